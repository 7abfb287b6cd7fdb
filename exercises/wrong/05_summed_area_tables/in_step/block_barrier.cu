// wrong: __syncthreads() is the safe choice
// fails: contract
// because: It makes all warps of the block wait for each other, though none needs what
// because: another one has.

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    int lane = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    float *own = &rows[threadIdx.y][16 + lane];

    float sum = image[32 * y + lane];
    if (lane < 16) own[-16] = 0.0f;
    *own = sum;
    __syncwarp();
    for (int distance = 1; distance < 32; distance *= 2) {
        sum += own[-distance];
        __syncthreads();
        *own = sum;
        __syncthreads();
    }
    table[32 * y + lane] = sum;
}
