// right: the vector reduction as one PTX instruction
// warpbook: arch=compute_90

__device__ void add_four(float4 *address, float4 value)
{
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y),
                   "f"(value.z), "f"(value.w)
                 : "memory");
}

extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    add_four(&sums[keys[i]], values[i]);
}
