// wrong: four floats are too many for an atomic, two float2 it must be
// fails: contract
// because: atomicAdd takes float2 and float4 in global memory, from compute
// because: capability 9.0 on. Two requests are one too many.

// warpbook: arch=compute_90
extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    float4 value = values[i];
    float2 *pairs = reinterpret_cast<float2 *>(&sums[key]);
    atomicAdd(pairs, make_float2(value.x, value.y));
    atomicAdd(pairs + 1, make_float2(value.z, value.w));
}
