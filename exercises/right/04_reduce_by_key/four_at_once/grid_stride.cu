// right: a loop over the grid, arrays of floats that are read as vectors, and a
// right: template
// warpbook: arch=compute_90

template <typename Vector>
__device__ void add_all(float *sums, const int *keys, const float *values, int n)
{
    const Vector *vectors = reinterpret_cast<const Vector *>(values);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        Vector value = vectors[i];
        atomicAdd(&reinterpret_cast<Vector *>(sums)[keys[i]], value);
    }
}

extern "C" __global__ void add_vectors(float *sums, const int *keys,
                                       const float *values, int n)
{
    add_all<float4>(sums, keys, values, n);
}
