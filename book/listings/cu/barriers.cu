// Barriers: who waits for whom.
// run: even_work "128 threads" 1 128 0 zeros:512
// run: uneven_work "128 threads" 1 128 0 zeros:512
// run: rotate_block "128 threads" 1 128 512 zeros:512
// run: rotate_warp "128 threads" 1 128 512 zeros:512

// ANCHOR: work
static __device__ __noinline__ int steps(int value, int count)
{
    for (int round = 0; round < count; round++) value = value * 1664525 + 1013904223;
    return value;
}

// Every warp has as much to do before the barrier.
extern "C" __global__ void even_work(int *out)
{
    int value = steps(threadIdx.x, 8);

    __syncthreads();
    out[threadIdx.x] = value;
}

// Warp w has 8 * w rounds to do: the last has most.
extern "C" __global__ void uneven_work(int *out)
{
    int value = steps(threadIdx.x, threadIdx.x / 32 * 8);

    __syncthreads();
    out[threadIdx.x] = value;
}
// ANCHOR_END: work

// ANCHOR: rotate
// Every thread reads what the thread to its right wrote, around the block.
extern "C" __global__ void rotate_block(int *out)
{
    extern __shared__ int words[];

    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x];
}

// The same around each warp: no other warp's words are read.
extern "C" __global__ void rotate_warp(int *out)
{
    extern __shared__ int words[];
    int right = threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32;

    words[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = words[right];
}
// ANCHOR_END: rotate
