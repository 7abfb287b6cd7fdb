// right: each warp adds up the totals of the warps before with the instruction that
// right: adds up a warp
// warpbook: arch=compute_80
extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int lane = t % 32;
    int warp = t / 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = __ballot_sync(0xffffffff, keep);
    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    int place = __reduce_add_sync(0xffffffff, lane < warp ? totals[lane] : 0);
    place += __popc(votes & ((1u << lane) - 1));

    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 255) counts[blockIdx.x] = place + keep;
}
