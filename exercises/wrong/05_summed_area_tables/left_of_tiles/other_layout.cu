// wrong: the tiles of a row are neighbours
// fails: result, contract
// because: The rows of one tile are neighbours: sums[tile * lines + line]. That lets
// because: the lanes of a warp read side by side.

extern "C" __global__ void left_borders(int *sums, int tiles, int lines)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    int left = 0;
    for (int tile = 0; tile < tiles; tile++) {
        int own = sums[line * tiles + tile];
        sums[line * tiles + tile] = left;
        left += own;
    }
}
