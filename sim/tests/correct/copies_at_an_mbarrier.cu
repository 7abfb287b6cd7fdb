// All threads copy, and an mbarrier waits for all copies.
// warpbook: arch=compute_90
// expect: none
// launch: 1 64
// args: iota:64 zeros:256

__device__ void wait(unsigned barrier, unsigned odd)
{
    unsigned done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(odd)
                     : "memory");
    while (!done);
}

extern "C" __global__ void copies_at_an_mbarrier(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ unsigned long long barrier;
    unsigned full = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(full) : "memory");
    __syncthreads();
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(full) : "memory");
    wait(full, 0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
