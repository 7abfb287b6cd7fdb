// right: shuffles, which read and write together, in place of the shared row

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    int lane = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    float sum = image[32 * y + lane];
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += left;
    }
    table[32 * y + lane] = sum;
}
