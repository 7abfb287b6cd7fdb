// A sibling: the largest element up to each lane of a warp.
//
// Round 1: every lane looks one lane back, and has the largest of two. Round 2: two
// lanes back, and that lane has the largest of two already: four. After five rounds
// every lane has looked back to lane 0. A lane without a lane d before it gets its own
// number back; for the largest that does no harm, for a sum it would: there the lane
// must test before it adds. All lanes shuffle in every round, because the mask names
// all of them, and because the lanes above need to be given something.
extern "C" __global__ void largest_so_far(int *out, const int *in)
{
    int lane = threadIdx.x;
    int best = in[lane];
    for (int d = 1; d < 32; d *= 2)
        best = max(best, __shfl_up_sync(0xffffffff, best, d));
    out[lane] = best;
}
