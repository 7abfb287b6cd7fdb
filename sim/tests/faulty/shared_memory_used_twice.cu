// One dynamic array serves two phases, and the second begins before the first has ended.
// expect: race
// launch: 1 64 256
// args: zeros:256

extern "C" __global__ void shared_memory_used_twice(int *out)
{
    extern __shared__ int space[];
    int t = threadIdx.x;
    space[t] = t;
    __syncthreads();
    int first = space[63 - t]; //~ any
    space[t] = 2 * t; //~ any
    __syncthreads();
    out[t] = first + space[63 - t];
}
