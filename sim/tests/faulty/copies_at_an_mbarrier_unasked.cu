// An mbarrier waits for all copies, but nobody asks it.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void copies_at_an_mbarrier_unasked(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ unsigned long long barrier;
    unsigned full = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(full) : "memory");
    __syncthreads();
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); //~ party
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(full) : "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; //~ race
}
