// right: the sum of totals is written out by the compiler, with a condition for each
// right: warp
__device__ __forceinline__ unsigned lanes_below()
{
    return (1u << (threadIdx.x & 31)) - 1u;
}

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ unsigned totals[8];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * 256 + t;
    int x = 0;
    if (i < (size_t)n) x = in[i];
    const bool keep = x > 0;

    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    if ((t & 31) == 31) totals[t >> 5] = __popc(votes);
    __syncthreads();
    unsigned place = __popc(votes & lanes_below());
#pragma unroll
    for (unsigned w = 0; w < 7; w++) {
        if (w < t >> 5) place += totals[w];
    }

    if (t == 255) counts[blockIdx.x] = place + keep;
    if (!keep) return;
    out[(size_t)blockIdx.x * 256 + place] = x;
}
