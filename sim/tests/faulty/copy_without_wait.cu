// Every thread copies a word to shared memory asynchronously. The barrier behind it does not wait for copies.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void copy_without_wait(const int *in, int *out)
{
    __shared__ int tile[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); //~ party
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; //~ race
}
