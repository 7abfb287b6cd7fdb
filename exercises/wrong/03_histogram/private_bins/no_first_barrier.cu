// wrong: a bin is cleared long before anybody counts in it
// fails: findings, result
// because: Threads 64 to 255 do not clear anything and may count at once, in bins that
// because: are cleared afterwards.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);

    __shared__ unsigned bins[64];
    if (t < 64) bins[t] = 0;
    for (int i = first + t; i < end; i += 256) atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    if (t < 64) atomicAdd(&hist[t], bins[t]);
}
