// One row too far
//
// `table` is the summed-area table of an image of w x h pixels. For each pixel, `sums`
// gets the sum of the pixels around it, up to r columns and r rows away, as far as they
// are in the image.
//
// STARTER
//- // It uses four elements of the table, but the sums are wrong. Your task: correct
//- // what is taken away.
// SOLUTION
// What is taken away ends one column to the left and one row above; at the edges there
// is nothing.
// END
//
// Grade it:     warpbook exercise check box_mean
// Get a hint:   warpbook exercise hint box_mean

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;

    int left = max(x - r, 0), right = min(x + r, w - 1);
    int top = max(y - r, 0), bottom = min(y + r, h - 1);
    int sum = table[bottom * w + right];
    // STARTER
    //- sum -= table[bottom * w + left];
    //- sum -= table[top * w + right];
    //- sum += table[top * w + left];
    // SOLUTION
    if (left > 0) sum -= table[bottom * w + left - 1];
    if (top > 0) sum -= table[(top - 1) * w + right];
    if (left > 0 && top > 0) sum += table[(top - 1) * w + left - 1];
    // END
    sums[y * w + x] = sum;
}
