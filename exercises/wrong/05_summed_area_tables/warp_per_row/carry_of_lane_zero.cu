// wrong: every lane carries its own sum
// fails: result
// because: A lane's own sum covers the pixels up to its own. The next round needs the
// because: sum of all 32, which lane 31 has.

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
        float sum = before + sum_below(x < w ? image[y * w + x] : 0.0f);
        if (x < w) table[y * w + x] = sum;
        before = sum;
    }
}
