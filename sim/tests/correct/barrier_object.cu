// An mbarrier hands a tile from all threads to all threads.
// expect: none
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barrier_object(int *out)
{
    __shared__ unsigned long long barrier;
    __shared__ int tile[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x;
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    unsigned done;
    do
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at), "l"(state)
                     : "memory");
    while (!done);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
