// A block counts with atomics in global memory, meets and reads the count.
// expect: none
// launch: 2 64
// args: zeros:8 zeros:512

extern "C" __global__ void counter_read_behind_a_barrier(int *counters, int *out)
{
    if (threadIdx.x == 0)
        counters[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counters[blockIdx.x], 1);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = counters[blockIdx.x];
}
