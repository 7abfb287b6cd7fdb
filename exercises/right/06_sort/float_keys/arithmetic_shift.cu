// right: a shift of the signed bits makes the mask

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int bits = __float_as_int(in[i]);
    keys[i] = bits ^ (bits >> 31 | 0x80000000);
}
