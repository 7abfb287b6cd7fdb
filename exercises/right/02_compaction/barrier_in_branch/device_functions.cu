// right: device functions for the place and the load, 64-bit indices, and an early
// right: return behind the barrier
__device__ int loaded(const int *in, long long i, long long n)
{
    return i < n ? in[i] : 0;
}

__device__ int votes_below(unsigned votes)
{
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(votes & below);
}

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[2];
    const long long i = 64ll * blockIdx.x + threadIdx.x;
    const int warp = threadIdx.x >> 5;

    const int x = loaded(in, i, n);
    const unsigned votes = __ballot_sync(0xffffffff, x > 0);
    if ((threadIdx.x & 31) == 31) totals[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = totals[0] + totals[1];
    if (x <= 0) return;
    const int before = warp == 0 ? 0 : totals[0];
    out[64ll * blockIdx.x + before + votes_below(votes)] = x;
}
