// All lanes vote
//
// Each block of two warps keeps the positive ones of its 64 ints. It writes them side
// by side and in order to `out`, from the block's first element on, and their number to
// counts[blockIdx.x].
//
// As it is, all of it stands in a branch that the threads beyond n do not take.
// Your task: let everybody come to the vote and to the barrier. The vote, the
// totals and the places are right.
//
// Grade it:     warpbook exercise check barrier_in_branch
// Get a hint:   warpbook exercise hint barrier_in_branch

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[2];
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    // TODO: who is missing in here, if n is 40? Who then writes totals[1]?
    if (i < n) {
        int x = in[i];
        unsigned votes = __ballot_sync(0xffffffff, x > 0);
        if (lane == 31) totals[warp] = __popc(votes);
        __syncthreads();
        int place = __popc(votes & ((1u << lane) - 1)) + warp * totals[0];
        if (x > 0) out[blockIdx.x * 64 + place] = x;
        if (threadIdx.x == 0) counts[blockIdx.x] = totals[0] + totals[1];
    }
}
