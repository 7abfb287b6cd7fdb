// wrong: lanes behind the end of the row can skip the round
// fails: findings, result
// because: The shuffles in sum_below name all 32 lanes: those that have nothing to add
// because: bring a 0.

__device__ float sum_below(float value)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % 32 >= distance) value += left;
    }
    return value;
}

extern "C" __global__ void scan_rows(float *table, const float *image, int w, int h)
{
    int y = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (y >= h) return;
    float before = 0.0f;
    for (int first = 0; first < w; first += 32) {
        int x = first + lane;
        float sum = before;
        if (x < w) sum += sum_below(image[y * w + x]);
        if (x < w) table[y * w + x] = sum;
        before = __shfl_sync(0xffffffff, sum, 31);
    }
}
