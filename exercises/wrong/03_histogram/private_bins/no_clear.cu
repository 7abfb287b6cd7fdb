// wrong: shared memory is zero at the beginning
// fails: findings
// because: Nobody clears it: it holds what the last block has left there.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);

    __shared__ unsigned bins[64];

    for (int i = first + t; i < end; i += 256) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    if (t < 64) atomicAdd(&hist[t], bins[t]);
}
