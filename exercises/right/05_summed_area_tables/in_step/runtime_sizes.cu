// right: warpSize in place of numbers, and two-dimensional indices without a pointer

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    int lane = threadIdx.x % warpSize;
    int row = threadIdx.y;
    int y = blockIdx.x * blockDim.y + row;
    if (y >= h) return;
    int half = warpSize / 2;

    rows[row][half + lane] = image[warpSize * y + lane];
    if (lane < half) rows[row][lane] = 0.0f;
    __syncwarp();
    for (int distance = 1; distance < warpSize; distance *= 2) {
        float left = rows[row][half + lane - distance];
        float own = rows[row][half + lane];
        __syncwarp();
        rows[row][half + lane] = left + own;
        __syncwarp();
    }
    table[warpSize * y + lane] = rows[row][half + lane];
}
