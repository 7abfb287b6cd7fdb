// A thread reads only what it has copied itself, and yet before it has waited for the copy.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void own_copy_without_wait(const int *in, int *out)
{
    __shared__ int tile[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); //~ party
    int word = tile[threadIdx.x]; //~ race
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = word;
}
