// right: indices of 64 bits, and two branches that store, one of them a zero
extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)n) words[threadIdx.x] = __ldg(in + i);
    __syncthreads();
    if (i >= (size_t)n) return;
    if (threadIdx.x == 127 || i + 1 == (size_t)n)
        out[i] = 0;
    else
        out[i] = words[threadIdx.x + 1] - words[threadIdx.x];
}
