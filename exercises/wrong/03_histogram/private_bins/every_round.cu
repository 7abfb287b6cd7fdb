// wrong: bins are merged after every round of the loop
// fails: contract
// because: Then the merge is paid for every 256 elements instead of every 1024. And
// because: bins would have to be cleared in between.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);

    __shared__ unsigned bins[64];
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        int i = first + 256 * round + t;
        if (i < end) atomicAdd(&bins[in[i]], 1u);
        __syncthreads();
        if (t < 64) atomicAdd(&hist[t], bins[t]);
        __syncthreads();
        if (t < 64) bins[t] = 0;
        __syncthreads();
    }
}
