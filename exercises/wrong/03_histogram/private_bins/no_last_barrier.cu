// wrong: an atomic is finished for everybody when the next line begins
// fails: findings, result
// because: It is for the thread that has sent it. Warps 0 and 1 merge bins in which
// because: warp 7 may not have counted yet.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);

    __shared__ unsigned bins[64];
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int i = first + t; i < end; i += 256) atomicAdd(&bins[in[i]], 1u);
    if (t < 64) atomicAdd(&hist[t], bins[t]);
}
