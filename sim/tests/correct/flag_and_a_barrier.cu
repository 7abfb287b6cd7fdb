// One thread waits for a flag of another block; behind a barrier all threads of its block read what was handed over.
// expect: none
// launch: 2 64
// args: zeros:256 zeros:4 zeros:256

extern "C" __global__ void flag_and_a_barrier(int *values, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        values[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0)
            while (*flag == 0) {
            }
        __syncthreads();
        out[threadIdx.x] = values[63 - threadIdx.x];
    }
}
