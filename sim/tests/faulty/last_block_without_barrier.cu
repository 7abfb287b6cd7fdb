// Thread 0 draws the ticket for a block whose other threads may still be writing.
// expect: race
// launch: 4 64
// args: zeros:1024 zeros:4 zeros:1024

extern "C" __global__ void last_block_without_barrier(int *sums, int *tickets, int *copy)
{
    __shared__ int last;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; //~ party
    // __syncthreads() is missing
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last)
        for (int b = 0; b < gridDim.x; b++)
            copy[b * blockDim.x + threadIdx.x] = sums[b * blockDim.x + (threadIdx.x ^ 32)]; //~ race
}
