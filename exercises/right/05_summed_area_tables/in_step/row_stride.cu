// right: the zeros are written once, before a loop over the rows of the whole grid, and
// right: the sums stay in shared memory

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    int lane = threadIdx.x;
    float *row = rows[threadIdx.y] + 16;
    if (lane < 16) row[lane - 16] = 0.0f;

    int warps = gridDim.x * blockDim.y;
    for (int y = blockIdx.x * blockDim.y + threadIdx.y; y < h; y += warps) {
        row[lane] = image[32 * y + lane];
        __syncwarp();
        for (int distance = 1; distance < 32; distance *= 2) {
            float sum = row[lane] + row[lane - distance];
            __syncwarp();
            row[lane] = sum;
            __syncwarp();
        }
        table[32 * y + lane] = row[lane];
    }
}
