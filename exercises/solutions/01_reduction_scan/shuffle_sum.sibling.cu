// A sibling: the largest of 128 numbers, by four warps.
//
// Within a warp, lane k compares with lane k + 16, then k + 8, and so on: after five
// shuffles lane 0 has the largest of its warp. All lanes take part in every shuffle,
// though only lane 0's number is wanted: a lane that is named in the mask must execute
// it. Four numbers are left, in four warps. Shared memory holds them: four stores, a
// barrier, one load by one warp, two shuffles.
extern "C" __global__ void largest(int *out, const int *in)
{
    __shared__ int of_warp[4];
    int t = threadIdx.x;
    int best = in[t];
    for (int d = 16; d > 0; d /= 2)
        best = max(best, __shfl_down_sync(0xffffffff, best, d));
    if (t % 32 == 0) of_warp[t / 32] = best;
    __syncthreads();
    if (t < 32) {
        best = of_warp[t % 4];
        for (int d = 2; d > 0; d /= 2)
            best = max(best, __shfl_down_sync(0xffffffff, best, d));
    }
    if (t == 0) out[0] = best;
}
