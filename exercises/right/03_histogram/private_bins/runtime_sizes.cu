// right: blockDim in place of numbers, 64-bit indices, and a loop that ends by a break

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    const int bins = 64;
    __shared__ unsigned own[bins];
    int each = 4;
    long long begin = (long long)blockIdx.x * blockDim.x * each;
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        own[bin] = 0u;
    }
    __syncthreads();
    for (int k = 0; k < each; k++) {
        long long i = begin + (long long)k * blockDim.x + threadIdx.x;
        if (i >= n) break;
        atomicAdd(&own[in[i]], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        if (own[bin] > 0) {
            atomicAdd(&hist[bin], own[bin]);
        }
    }
}
