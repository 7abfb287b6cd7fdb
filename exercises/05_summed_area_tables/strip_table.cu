// A table from top to bottom
//
// One warp makes the summed-area table of a strip of w x h pixels, w at most 32:
// element (x, y) is the sum of all pixels in columns 0 to x and rows 0 to y. Lane x
// takes column x.
//
// Your task: row by row, add up along the row across the lanes, and add what is
// above.
//
// Grade it:     warpbook exercise check strip_table
// Get a hint:   warpbook exercise hint strip_table

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    int x = threadIdx.x;
    int above = 0;  // the table's element in the row above
    for (int y = 0; y < h; y++) {
        int sum = x < w ? image[y * w + x] : 0;
        // TODO: make `sum` the sum along the row up to this lane, and `above` the
        // table's element.
        above = sum;
        if (x < w) table[y * w + x] = above;
    }
}
