// wrong: one vector load and one vector store are as good as an atomic
// fails: findings, result, contract
// because: Two particles of the same cell both read the old sums, and the one that
// because: writes last wins. Between load and store anything may happen.

// warpbook: arch=compute_90
extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    float4 value = values[i];
    float4 old = sums[key];
    sums[key] =
        make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w);
}
