// wrong: the negative ones are those with a clear sign bit
// fails: result
// because: The sign bit of a negative float is set.

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]);
    bool negative = bits >> 31;
    unsigned change = negative ? 0x80000000 : 0xffffffff;
    keys[i] = bits ^ change;
}
