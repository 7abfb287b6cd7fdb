// The first threads set the end of a tile to zero, which a copy that is under way writes, too.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void halo_overwritten_by_a_copy(const int *in, int *out)
{
    __shared__ int tile[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); //~ party
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 8)
        tile[56 + threadIdx.x] = 0; //~ race
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
