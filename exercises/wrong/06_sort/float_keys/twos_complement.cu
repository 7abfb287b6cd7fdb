// wrong: a negative float is the two's complement of its amount
// fails: result
// because: Floats keep a sign and an amount. Subtracting one from the other is off by
// because: one: -0 and 0 would get the same key.

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]);
    bool negative = bits >> 31;
    unsigned change = negative ? 0xffffffff : 0x80000000;
    keys[i] = negative ? 0x80000000 - (bits & 0x7fffffff) : bits ^ change;
}
