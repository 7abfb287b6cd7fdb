// right: each thread loads its four neighbouring bytes as one word
extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned bins[64];
    int t = threadIdx.x, i = blockIdx.x * 1024 + 4 * t;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    if (i + 4 <= n) {
        unsigned four = *(const unsigned *)(in + i);
#pragma unroll
        for (int k = 0; k < 32; k += 8) atomicAdd(&bins[four >> k & 255], 1u);
    } else
        for (int k = i; k < n; k++) atomicAdd(&bins[in[k]], 1u);
    __syncthreads();
    if (t < 64) atomicAdd(&hist[t], bins[t]);
}
