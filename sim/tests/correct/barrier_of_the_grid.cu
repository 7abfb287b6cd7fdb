// A barrier of all blocks: everyone meets, thread 0 fences and counts, and waits for the last block to come.
// expect: none
// launch: 3 64
// args: zeros:768 zeros:4 zeros:768 u32:1

extern "C" __global__ void barrier_of_the_grid(int *parts, int *arrived, int *out, unsigned last)
{
    parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        // Only the last block waits: the blocks before it have come already.
        while (blockIdx.x + last == gridDim.x && *(volatile int *)arrived < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    if (blockIdx.x + last == gridDim.x)
        for (int b = 0; b < gridDim.x; b++)
            out[b * 64 + threadIdx.x] = parts[b * 64 + (threadIdx.x ^ 40)];
}
