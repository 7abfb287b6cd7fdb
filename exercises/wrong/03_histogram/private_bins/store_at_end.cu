// wrong: each block stores its histogram to the result
// fails: findings, result, contract
// because: The blocks write over each other: what counts is the last one.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);

    __shared__ unsigned bins[64];
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int i = first + t; i < end; i += 256) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    if (t < 64) hist[t] = bins[t];
}
