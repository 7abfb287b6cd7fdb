// right: the mask of the lanes below comes from the machine, and a device function
// right: makes the place
__device__ int place_in(unsigned votes)
{
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(votes & below);
}

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    const long long i = 64ll * blockIdx.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int x = 0;
    if (i < n) x = in[i];
    const unsigned votes = __ballot_sync(0xffffffffu, x > 0);
    if (lane == 0 && i < n) counts[i >> 5] = __popc(votes);
    if (x <= 0) return;
    out[i - lane + place_in(votes)] = x;
}
