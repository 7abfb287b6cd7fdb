// right: full pieces of the row without a guard, the next one loaded ahead, and then
// right: the ragged end

template <typename T>
__device__ T inclusive(T value)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        T left = __shfl_up_sync(0xffffffff, value, distance);
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
    int x = lane;
    float next = x < w ? image[y * w + x] : 0.0f;
    for (int pieces = w / 32; pieces > 0; pieces--) {
        float sum = before + inclusive(next);
        next = x + 32 < w ? image[y * w + x + 32] : 0.0f;
        table[y * w + x] = sum;
        before = __shfl_sync(0xffffffff, sum, 31);
        x += 32;
    }
    if (w % 32 == 0) return;
    float sum = before + inclusive(next);
    if (x < w) table[y * w + x] = sum;
}
