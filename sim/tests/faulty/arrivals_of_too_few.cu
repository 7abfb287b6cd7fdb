// The mbarrier expects one arrival more than there are threads.
// expect: deadlock
// launch: 1 64
// args: zeros:256

extern "C" __global__ void arrivals_of_too_few(int *out)
{
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 65;" ::"r"(at) : "memory");
    __syncthreads();
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    unsigned done;
    do
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at), "l"(state) //~ deadlock
                     : "memory");
    while (!done);
    out[threadIdx.x] = 1;
}
