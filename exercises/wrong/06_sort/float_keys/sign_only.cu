// wrong: floats are like ints: inverting the sign bit is enough
// fails: result
// because: Negative ints are in order among themselves, negative floats are not: the
// because: larger the amount, the larger the bits, and the smaller the number.

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]);
    unsigned change = 0x80000000;
    keys[i] = bits ^ change;
}
