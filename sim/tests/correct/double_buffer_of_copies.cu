// While one tile is read, the next one is copied. In the last round the group is empty, so that there is always one
// that need not be waited for.
// warpbook: arch=compute_90
// expect: none
// launch: 1 64
// args: iota:256 zeros:1024

__device__ void copy(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}

extern "C" __global__ void double_buffer_of_copies(const int *in, int *out)
{
    __shared__ int tiles[2][64];
    int t = threadIdx.x;
    copy(&tiles[0][t], in + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int round = 0; round < 4; round++) {
        if (round < 3)
            copy(&tiles[(round + 1) % 2][t], in + 64 * (round + 1) + t);
        asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        out[64 * round + t] = tiles[round % 2][63 - t];
        __syncthreads();
    }
}
