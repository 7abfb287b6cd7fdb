// The copy engine fills one tile again and again, but every round waits for the first parity: the second round finds that
// phase over already.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:192 zeros:768

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

__device__ void fetch(int *to, const int *from, unsigned barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                 ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(barrier) //~ race
                 : "memory");
}

extern "C" __global__ void bulk_copies_with_one_parity(const int *in, int *out)
{
    __shared__ alignas(16) int tile[64];
    __shared__ unsigned long long barrier;
    unsigned full = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 3; round++) {
        if (threadIdx.x == 0)
            fetch(tile, in + 64 * round, full);
        if (round != 1)
            wait(full, 0);
        else
            __syncthreads();
        out[64 * round + threadIdx.x] = tile[63 - threadIdx.x]; //~ race
        __syncthreads();
    }
}
