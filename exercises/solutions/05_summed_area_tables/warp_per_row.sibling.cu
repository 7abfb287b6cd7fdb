// A sibling: the largest pixel so far, along rows, by a warp per row.
//
// In each round the lanes take 32 neighbouring pixels, 4 sectors. All lanes stay in the
// loop, also those past the end of the row, because the shuffles name all of them: they
// have a number that changes nothing. The last lane knows the largest of all pixels so
// far, and tells the others for the next round.
extern "C" __global__ void largest_so_far(int *out, const int *image, int w)
{
    int lane = threadIdx.x, before = -2147483647 - 1;
    for (int first = 0; first < w; first += 32) {
        int x = first + lane;
        int most = max(before, x < w ? image[blockIdx.x * w + x] : before);
        for (int distance = 1; distance < 32; distance *= 2) {
            most = max(most, __shfl_up_sync(0xffffffff, most, distance));
        }
        if (x < w) out[blockIdx.x * w + x] = most;
        before = __shfl_sync(0xffffffff, most, 31);
    }
}
