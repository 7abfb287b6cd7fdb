// wrong: the last element of the scan is that of the last thread
// fails: findings, result
// because: With fewer than 64 keys that is right, because threads without a key add
// because: nothing. With 64 keys the last one's flag is missing, as before.

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

    int zeros = zeros_before[63];
    if (t < n) out[zero ? zeros_before[t] : zeros + t - zeros_before[t]] = chunk[t];
}
