// wrong: volatile is enough, as in the old listings
// fails: findings
// because: `volatile` keeps the compiler from leaving out loads and stores. It does not
// because: make a lane wait for another one.

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    int lane = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    volatile float *own = &rows[threadIdx.y][16 + lane];

    float sum = image[32 * y + lane];
    if (lane < 16) own[-16] = 0.0f;
    *own = sum;
    for (int distance = 1; distance < 32; distance *= 2) {
        sum += own[-distance];
        *own = sum;
    }
    table[32 * y + lane] = sum;
}
