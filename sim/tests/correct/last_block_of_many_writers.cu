// All threads write and fence, meet, and thread 0 draws the ticket: fences before a barrier count.
// expect: none
// launch: 4 64
// args: zeros:1024 zeros:4 zeros:1024

extern "C" __global__ void last_block_of_many_writers(int *parts, int *tickets, int *copy)
{
    __shared__ int last;
    parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int b = 0; b < gridDim.x; b++)
            copy[b * 64 + threadIdx.x] = parts[b * 64 + (threadIdx.x ^ 33)];
}
