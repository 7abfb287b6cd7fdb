// right: template parameters, unrolled rounds and 64-bit indices

template <int Bins, int Threads, int Each>
__device__ void count(unsigned *hist, const unsigned char *in, long long n)
{
    __shared__ unsigned bins[Bins];
    const long long begin = (long long)blockIdx.x * Threads * Each + threadIdx.x;
    for (int v = threadIdx.x; v < Bins; v += Threads) bins[v] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Each; k++) {
        const long long i = begin + k * Threads;
        if (i < n) atomicAdd(&bins[in[i]], 1u);
    }
    __syncthreads();
    for (int v = threadIdx.x; v < Bins; v += Threads) atomicAdd(&hist[v], bins[v]);
}

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    count<64, 256, 4>(hist, in, n);
}
