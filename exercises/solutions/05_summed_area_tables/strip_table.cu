// A table from top to bottom
//
// One warp makes the summed-area table of a strip of w x h pixels, w at most 32:
// element (x, y) is the sum of all pixels in columns 0 to x and rows 0 to y. Lane x
// takes column x.
//
// STARTER
//- // Your task: row by row, add up along the row across the lanes, and add what is
//- // above.
// SOLUTION
// Row by row: a scan across the lanes, and what is above is in a register.
// END
//
// Grade it:     warpbook exercise check strip_table
// Get a hint:   warpbook exercise hint strip_table

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    int x = threadIdx.x;
    int above = 0;  // the table's element in the row above
    for (int y = 0; y < h; y++) {
        int sum = x < w ? image[y * w + x] : 0;
        // STARTER
        //- // TODO: make `sum` the sum along the row up to this lane, and `above` the
        //- // table's element.
        //- above = sum;
        // SOLUTION
        for (int distance = 1; distance < 32; distance *= 2) {
            int left = __shfl_up_sync(0xffffffff, sum, distance);
            if (x >= distance) sum += left;
        }
        above += sum;
        // END
        if (x < w) table[y * w + x] = above;
    }
}
