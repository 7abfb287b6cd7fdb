// One thread has the copy engine bring two tiles in turn to one place, and a warp reads them. The bytes are announced
// before the copy begins, and who asked for it never waits for its end.
// warpbook: arch=compute_90
// expect: none
// launch: 1 64
// args: zeros:256 zeros:256

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

extern "C" __global__ void bulk_copy(int *out, const int *in)
{
    __shared__ alignas(16) int tile[32];
    __shared__ unsigned long long barriers[2];
    unsigned full = (unsigned)__cvta_generic_to_shared(&barriers[0]), empty = full + 8;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(empty) : "memory");
    }
    __syncthreads();
    for (unsigned round = 0; round < 2; round++) {
        if (threadIdx.x < 32) {
            wait(full, round);
            out[32 * round + threadIdx.x] = tile[31 - threadIdx.x];
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(empty) : "memory");
        } else if (threadIdx.x == 32) {
            if (round > 0) wait(empty, 0);
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(full) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                             (unsigned)__cvta_generic_to_shared(tile)),
                         "l"(in + 32 * round), "r"(full)
                         : "memory");
        }
    }
}
