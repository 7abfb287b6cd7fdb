// All threads write a tile; the thread that has the copy engine store it makes it visible when all have met.
// warpbook: arch=compute_90
// expect: none
// launch: 1 64
// args: zeros:512

__device__ void put(int *to, const int *from)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;"
                 ::"l"(to), "r"((unsigned)__cvta_generic_to_shared(from))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

extern "C" __global__ void bulk_store_with_one_fence(int *out)
{
    __shared__ alignas(16) int tile[64];
    for (int round = 0; round < 2; round++) {
        tile[threadIdx.x] = 64 * round + threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (threadIdx.x == 0) {
            put(out + 64 * round, tile);
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}
