// Thread 0 of every block fences its sum and draws a ticket; the last block reads all sums.
// expect: none
// launch: 4 64
// args: iota:256 zeros:16 zeros:4 zeros:4

extern "C" __global__ void last_block_sums_up(const int *in, int *sums, unsigned *tickets, int *total)
{
    __shared__ int words[64];
    __shared__ bool last;
    int t = threadIdx.x;
    words[t] = in[blockIdx.x * 64 + t];
    for (int d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            words[t] += words[t + d];
    }
    if (t == 0) {
        sums[blockIdx.x] = words[0];
        __threadfence();
        last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += sums[b];
        *total = sum;
    }
}
