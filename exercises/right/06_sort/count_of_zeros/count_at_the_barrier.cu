// right: the barrier itself counts the zeros of the block

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int zeros_before[64], of_warp[2];
    __shared__ unsigned chunk[64];
    int t = threadIdx.x, lane = t % 32;
    if (t < n) chunk[t] = in[t];
    bool zero = t < n && !(chunk[t] >> bit & 1);

    // An exclusive scan of the zeros.
    unsigned votes = __ballot_sync(0xffffffff, zero);
    if (lane == 0) of_warp[t / 32] = __popc(votes);
    int zeros = __syncthreads_count(zero);
    zeros_before[t] = __popc(votes & ((1u << lane) - 1)) + (t < 32 ? 0 : of_warp[0]);
    if (t >= n) return;
    int place = zero ? zeros_before[t] : zeros + t - zeros_before[t];
    out[place] = chunk[t];
}
