// wrong: fewer blocks that count more have fewer bins to add up
// fails: contract
// because: Every second block leaves at once, and the others take twice as long.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned bins[64];
    int t = threadIdx.x;
    if (blockIdx.x % 2 == 1) return;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 2048);
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int i = first + t; i < end; i += 256) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    if (t < 64) atomicAdd(&hist[t], bins[t]);
}
