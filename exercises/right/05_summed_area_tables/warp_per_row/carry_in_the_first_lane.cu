// right: the first lane adds what the row has so far to its pixel before the scan

__device__ float sum_below(float value, unsigned lane)
{
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance <<= 1) {
        const float left = __shfl_up_sync(~0u, value, distance);
        if (lane >= distance) value += left;
    }
    return value;
}

extern "C" __global__ void scan_rows(float *table, const float *image, int w, int h)
{
    const unsigned lane = threadIdx.x % warpSize;
    const int y = blockIdx.x * 2 + threadIdx.x / warpSize;
    if (y < h) {
        float before = 0.0f;
        for (int first = 0; first < w; first += 32) {
            const bool inside = first + lane < w;
            const size_t at = size_t(y) * w + first + lane;
            float pixel = inside ? image[at] : 0.0f;
            if (lane == 0) pixel += before;
            const float sum = sum_below(pixel, lane);
            if (inside) table[at] = sum;
            before = __shfl_sync(~0u, sum, 31);
        }
    }
}
