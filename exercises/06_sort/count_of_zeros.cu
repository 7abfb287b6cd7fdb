// How many zeros are there?
//
// One block of two warps splits up to 64 keys by one bit: first all keys with a 0, in
// their order, then those with a 1, in theirs.
//
// This follows a printed text: "the last element of the scan is the total number of
// zeros". Your task: find out why the keys do not all arrive, and correct it.
//
// Grade it:     warpbook exercise check count_of_zeros
// Get a hint:   warpbook exercise hint count_of_zeros

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

    int zeros = zeros_before[n - 1];
    if (t < n) out[zero ? zeros_before[t] : zeros + t - zeros_before[t]] = chunk[t];
}
