// A thread overwrites a word when it has been copied.
// warpbook: arch=compute_90
// expect: none
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void source_overwritten_behind_the_copy(int *in, int *out)
{
    __shared__ int tile[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    in[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
