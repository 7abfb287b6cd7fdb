// wrong: only the negative ones have to be changed
// fails: result
// because: Inverted, they are in order, and begin with a 0 as the positive ones do:
// because: both kinds are mixed.

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]);
    bool negative = bits >> 31;
    unsigned change = negative ? 0xffffffff : 0;
    keys[i] = bits ^ change;
}
