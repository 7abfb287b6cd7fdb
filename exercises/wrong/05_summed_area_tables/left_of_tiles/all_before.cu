// wrong: adding up anew for each tile is the same
// fails: contract
// because: Each sum is then read once for every tile behind it.

extern "C" __global__ void left_borders(int *sums, int tiles, int lines)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    int left = 0;
    for (int tile = tiles - 1; tile >= 0; tile--) {
        left = 0;
#pragma unroll 1
        for (int t = 0; t < tile; t++) left += sums[t * lines + line];
        sums[tile * lines + line] = left;
    }
}
