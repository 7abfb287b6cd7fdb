// All threads write and meet; thread 0 fences for all of them and draws the ticket.
// expect: none
// launch: 4 64
// args: zeros:1024 zeros:4 zeros:1024

extern "C" __global__ void last_block_fences_after_the_barrier(int *parts, int *tickets, int *copy)
{
    __shared__ int last;
    parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        for (int b = 0; b < gridDim.x; b++)
            copy[b * 64 + threadIdx.x] = parts[b * 64 + (threadIdx.x ^ 33)];
}
