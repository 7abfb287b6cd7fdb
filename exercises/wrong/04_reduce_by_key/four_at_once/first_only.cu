// wrong: the address of the first float is enough
// fails: result, contract
// because: With a `float *` it is the addition of one float, and three values are lost.
// because: The pointer's type says how much is added.

// warpbook: arch=compute_90
extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    float4 value = values[i];
    atomicAdd(&sums[key].x, value.x);
}
