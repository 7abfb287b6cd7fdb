// right: the flags lie in shared memory beside the keys, so that every thread can look
// right: up the last one

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int of_warp[2], zeros_before[64], flags[64];
    __shared__ unsigned chunk[64];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < n) chunk[t] = in[t];
    bool zero = t < n && !(chunk[t] >> bit & 1);

    unsigned votes = __ballot_sync(0xffffffff, zero);
    if (lane == 0) of_warp[warp] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1));
    if (warp > 0) before += of_warp[0];
    zeros_before[t] = before;
    flags[t] = zero;
    __syncthreads();

    if (t >= n) return;
    int zeros = zeros_before[n - 1] + flags[n - 1];
    out[zero ? before : zeros + t - before] = chunk[t];
}
