// right: takes four tiles at a time, and the rest one by one

extern "C" __global__ void left_borders(int *sums, int tiles, int lines)
{
    const int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    int left = 0, tile = 0;
    for (; tile + 4 <= tiles; tile += 4) {
        int own[4];
#pragma unroll
        for (int k = 0; k < 4; k++) own[k] = sums[(tile + k) * lines + line];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            sums[(tile + k) * lines + line] = left;
            left += own[k];
        }
    }
    for (; tile < tiles; tile++) {
        int own = sums[tile * lines + line];
        sums[tile * lines + line] = left;
        left += own;
    }
}
