// right: a guard around the body instead of a return, 64-bit indices and loads through
// right: the read-only path
// warpbook: arch=compute_90

extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)n) {
        atomicAdd(sums + __ldg(keys + i), __ldg(values + i));
    }
}
