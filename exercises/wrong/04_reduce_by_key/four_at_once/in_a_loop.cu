// wrong: a loop over the four floats is one atomic in the source, so it is one
// fails: contract
// because: What counts is what is executed: the loop's atomic is executed four times.

// warpbook: arch=compute_90
extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    float4 value = values[i];
    const float four[4] = {value.x, value.y, value.z, value.w};
    for (int k = 0; k < 4; k++) atomicAdd(&sums[key].x + k, four[k]);
}
