// wrong: every thread adds its own flag
// fails: findings, result
// because: Each thread then has a number of zeros of its own. It is the flag of the
// because: last key that is missing, for all of them.

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
    bool last_is_zero = zero;
    int zeros = zeros_before[last] + last_is_zero;
    if (t < n) out[zero ? zeros_before[t] : zeros + t - zeros_before[t]] = chunk[t];
}
