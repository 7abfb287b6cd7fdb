// The block that finds itself the last sums up, and makes the counter ready for the next launch.
// expect: none
// launch: 6 64
// args: iota:384 zeros:24 zeros:4 zeros:4

extern "C" __global__ void last_block_resets_the_counter(const int *in, volatile int *sums, unsigned *done, int *out)
{
    __shared__ bool last;
    int sum = __reduce_add_sync(0xffffffff, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 32) {
        int total = 0;
        for (int b = 0; b < gridDim.x; b++)
            total += sums[b];
        *out = total;
        *done = 0;
    }
}
