// Compact a warp
//
// Each warp keeps the positive ones of its 32 ints. It writes them side by side and in
// order to `out`, from the warp's first element on, and their number to counts[w],
// where w counts the warps of the grid.
//
// Your task: find `place`, the number of kept elements before a lane's own one in
// its warp, and `kept`, the number of all of its warp. __ballot_sync and __popc are
// enough: no shared memory, no atomics.
//
// Grade it:     warpbook exercise check compact_warp
// Get a hint:   warpbook exercise hint compact_warp

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    int place = lane;  // TODO
    int kept = 32;     // TODO

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = kept;
}
