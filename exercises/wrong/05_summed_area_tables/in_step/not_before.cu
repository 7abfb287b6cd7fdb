// wrong: the first round reads what the same warp has just written, which needs no
// wrong: meeting
// fails: findings
// because: It reads what another lane has written, and lanes need not run in step.

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    int lane = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    float *own = &rows[threadIdx.y][16 + lane];

    float sum = image[32 * y + lane];
    if (lane < 16) own[-16] = 0.0f;
    *own = sum;
    for (int distance = 1; distance < 32; distance *= 2) {
        sum += own[-distance];
        __syncwarp();
        *own = sum;
        __syncwarp();
    }
    table[32 * y + lane] = sum;
}
