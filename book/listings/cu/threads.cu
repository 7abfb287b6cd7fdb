// Threads, warps and lanes: what a block of so many threads costs.
// run: number_threads "32 threads" 1 32 0 zeros:128
// run: number_threads "33 threads" 1 33 0 zeros:132
// run: number_threads "64 threads" 1 64 0 zeros:256
// run: number_threads "96 threads of a square block" 1 8,12 0 zeros:384
// run: number_square "8 by 8" 1 8,8 0 zeros:256
// run: number_square "33 by 2" 1 33,2 0 zeros:264
// run: number_all "100 elements in blocks of 32" 4 32 0 zeros:400 i32:100
// run: number_all "100 elements in one block of 128" 1 128 0 zeros:400 i32:100

// ANCHOR: number
// Every thread writes its own number.
extern "C" __global__ void number_threads(int *out)
{
    int i = threadIdx.y * blockDim.x + threadIdx.x;

    out[i] = i;
}
// ANCHOR_END: number

// ANCHOR: square
// Every thread of a block with two dimensions writes the number of its lane.
extern "C" __global__ void number_square(int *out)
{
    int i = threadIdx.y * blockDim.x + threadIdx.x;

    out[i] = i % 32;
}
// ANCHOR_END: square

// ANCHOR: all
// More threads than elements: the last ones have nothing to do.
extern "C" __global__ void number_all(int *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) out[i] = i * i;
}
// ANCHOR_END: all
