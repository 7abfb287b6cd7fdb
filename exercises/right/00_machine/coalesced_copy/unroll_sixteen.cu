// right: a grid-stride loop that the compiler is asked to unroll sixteen times
extern "C" __global__ void scale(float *__restrict__ out, const float *__restrict__ in,
                                 int n, int per)
{
    int threads = gridDim.x * blockDim.x;
#pragma unroll 16
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[i] = 2.0f * __ldg(in + i);
}
