// right: eight lanes of each warp load the totals, and two reductions of the warp give
// right: what is before it and what is in the block
extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[8];
    unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * 256 + t;
    int x = i < unsigned(n) ? in[i] : 0;
    unsigned votes = __ballot_sync(~0u, x > 0);
    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    int total = lane < 8 ? totals[lane] : 0;
    int before = __reduce_add_sync(~0u, lane < warp ? total : 0);
    int all = __reduce_add_sync(~0u, total);
    if (x > 0) out[blockIdx.x * 256 + before + __popc(votes & ((1u << lane) - 1))] = x;
    if (t == 0) counts[blockIdx.x] = all;
}
