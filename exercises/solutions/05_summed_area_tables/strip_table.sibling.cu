// A sibling: the largest pixel above and to the left of each pixel of a strip, itself
// included.
//
// Along the row: in round d a lane takes the largest of its own and that of the lane d
// before it; lane 0 gets its own back, which changes nothing here (with sums it would).
// Down the column: a register keeps the result of the row above.
extern "C" __global__ void largest_corner(int *out, const int *image, int h)
{
    int x = threadIdx.x, above = -2147483647 - 1;
    for (int y = 0; y < h; y++) {
        int most = image[32 * y + x];
        for (int distance = 1; distance < 32; distance *= 2) {
            most = max(most, __shfl_up_sync(0xffffffff, most, distance));
        }
        above = max(above, most);
        out[32 * y + x] = above;
    }
}
