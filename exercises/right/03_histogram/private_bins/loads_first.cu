// right: loads its elements before the first barrier, clears by the last warps, and
// right: skips bins that nobody counted

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned bins[64];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024 + t;

    int values[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        values[k] = first + 256 * k < n ? in[first + 256 * k] : -1;
    if (t >= 192) bins[t - 192] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (values[k] >= 0) atomicAdd(&bins[values[k]], 1u);
    __syncthreads();
    if (t >= 64) return;
    unsigned count = bins[t];
    if (count > 0) atomicAdd(&hist[t], count);
}
