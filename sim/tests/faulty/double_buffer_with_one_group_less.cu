// While one tile is read, the next one is copied. In the last round there is no next one, and the wait lets the last
// copy be under way.
// warpbook: arch=compute_90
// expect: race
// launch: 1 64
// args: iota:256 zeros:1024

__device__ void copy(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) //~ party
                 : "memory");
}

extern "C" __global__ void double_buffer_with_one_group_less(const int *in, int *out)
{
    __shared__ int tiles[2][64];
    int t = threadIdx.x;
    copy(&tiles[0][t], in + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int round = 0; round < 4; round++) {
        if (round < 3)
            copy(&tiles[(round + 1) % 2][t], in + 64 * (round + 1) + t);
        if (round < 3)
            asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        out[64 * round + t] = tiles[round % 2][63 - t]; //~ race
        __syncthreads();
    }
}
