// right: for any number of warps, by a template: each thread adds up the totals of the
// right: warps before
template <int Warps>
__device__ void compact(int *out, int *count, int x)
{
    __shared__ int totals[Warps];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned votes = __ballot_sync(0xffffffff, x > 0);
    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1));
    int all = 0;
#pragma unroll
    for (int w = 0; w < Warps; w++) {
        int total = totals[w];
        if (w < warp) place += total;
        all += total;
    }
    if (x > 0) out[place] = x;
    if (threadIdx.x == 0) *count = all;
}

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = 0;
    if (i < n) x = in[i];
    compact<2>(out + blockIdx.x * 64, counts + blockIdx.x, x);
}
