// A sibling: the largest of 64 numbers, by two warps.
//
// Round 1: threads 0 to 31 compare their number with that of the thread 32 above.
// Round 2: threads 0 to 15 with that of the thread 16 above, and so on: six rounds.
// Before a round begins, the numbers of the round before must be there, also those of
// the other warp: that is what the barrier is for, and all threads of the block must
// reach it, so it is not inside the `if`.
extern "C" __global__ void largest(int *out, const int *in)
{
    __shared__ int best[64];
    int t = threadIdx.x;
    best[t] = in[t];
    __syncthreads();
    for (int distance = 32; distance >= 1; distance /= 2) {
        if (t < distance) best[t] = max(best[t], best[t + distance]);
        __syncthreads();
    }
    if (t == 0) out[0] = best[0];
}
