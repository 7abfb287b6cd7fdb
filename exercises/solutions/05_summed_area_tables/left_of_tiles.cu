// The sum to the left of each tile
//
// An image is cut into tiles. sums[tile * lines + line] is the sum of the pixels of
// tile number `tile` in one row of pixels, `line`. A thread per row.
//
// STARTER
//- // Your task: replace each sum by what is to the left of that tile in its row: the
//- // sum over all tiles before it. In place.
// SOLUTION
// In place, each sum becomes the sum over all tiles before it.
// END
//
// Grade it:     warpbook exercise check left_of_tiles
// Get a hint:   warpbook exercise hint left_of_tiles

extern "C" __global__ void left_borders(int *sums, int tiles, int lines)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    // STARTER
    //- // TODO: walk over the tiles of this row.
    //- if (line < lines && tiles > 0) sums[line] = 0;
    // SOLUTION
    if (line >= lines) return;
    int left = 0;
    for (int tile = 0; tile < tiles; tile++) {
        int own = sums[tile * lines + line];
        sums[tile * lines + line] = left;
        left += own;
    }
    // END
}
