// wrong: the border of a tile contains the tile
// fails: result
// because: It is what lies to the left of the tile. The first tile has nothing there.

extern "C" __global__ void left_borders(int *sums, int tiles, int lines)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    int left = 0;
    for (int tile = 0; tile < tiles; tile++) {
        int own = sums[tile * lines + line];
        left += own;
        sums[tile * lines + line] = left;
    }
}
