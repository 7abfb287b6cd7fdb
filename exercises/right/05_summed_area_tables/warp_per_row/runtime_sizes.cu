// right: warpSize in place of numbers, so that no loop is unrolled, and the scan is
// right: written into the loop

extern "C" __global__ void scan_rows(float *table, const float *image, int w, int h)
{
    int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
    int y = blockIdx.x * (blockDim.x / warpSize) + warp;
    if (y >= h) return;
    long long row = (long long)y * w;
    float before = 0.0f;
    int rounds = (w + warpSize - 1) / warpSize;
    for (int round = 0; round < rounds; round++) {
        int x = round * warpSize + lane;
        float sum = 0.0f;
        if (x < w) sum = image[row + x];
        for (int distance = 1; distance < warpSize; distance *= 2) {
            float left = __shfl_up_sync(0xffffffff, sum, distance);
            if (lane >= distance) sum += left;
        }
        float total = __shfl_sync(0xffffffff, sum, warpSize - 1);
        if (x < w) table[row + x] = before + sum;
        before += total;
    }
}
