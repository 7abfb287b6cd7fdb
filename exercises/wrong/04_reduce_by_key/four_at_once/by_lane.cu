// wrong: the sum belongs to the particle
// fails: result, contract
// because: Particles of the same cell share its sums: the place is the key, not the
// because: particle.

// warpbook: arch=compute_90
extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    float4 value = values[i];
    atomicAdd(&sums[i % 21], value);
}
