// wrong: one has to be added, because the scan is exclusive
// fails: findings, result
// because: Only if the last key has a 0. If it has a 1, the ones are put one place too
// because: far.

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
    __syncthreads();
    zeros_before[t] = __popc(votes & ((1u << lane) - 1)) + (t < 32 ? 0 : of_warp[0]);
    __syncthreads();

    int last = n - 1;
    bool last_is_zero = !(chunk[last] >> bit & 1);
    int zeros = zeros_before[last] + 1;
    if (t < n) out[zero ? zeros_before[t] : zeros + t - zeros_before[t]] = chunk[t];
}
