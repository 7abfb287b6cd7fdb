// right: the number of zeros is the sum of the two warps' votes, and each thread keeps
// right: its own part of the scan

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int of_warp[2];
    unsigned t = threadIdx.x, lane = t % 32;
    unsigned key = t < n ? in[t] : 0xffffffff;
    bool zero = t < n && !(key >> bit & 1);

    unsigned votes = __ballot_sync(0xffffffff, zero);
    if (lane == 0) of_warp[t / 32] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1));
    if (t >= 32) before += of_warp[0];
    int zeros = of_warp[0] + of_warp[1];
    if (t < n) out[zero ? before : zeros + t - before] = key;
}
