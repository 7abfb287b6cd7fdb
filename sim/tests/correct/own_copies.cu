// Every thread waits for its own copy and reads nothing else, so no barrier is needed.
// warpbook: arch=compute_90
// expect: none
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void own_copies(const int *in, int *out)
{
    __shared__ int tile[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x] + 1;
}
