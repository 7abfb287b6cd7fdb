// A thread overwrites the word that it has begun to copy.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void source_of_a_copy_overwritten(int *in, int *out)
{
    __shared__ int tile[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); //~ party
    in[threadIdx.x] = 0; //~ race
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
