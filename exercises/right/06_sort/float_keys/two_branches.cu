// right: a guard around the body, a 64-bit index and two branches, in a helper function

__device__ unsigned ordered(float value)
{
    unsigned bits = __float_as_uint(value);
    if (bits & 0x80000000) return ~bits;
    return bits | 0x80000000;
}

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = ordered(in[i]);
}
