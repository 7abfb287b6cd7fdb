// wrong: the negative ones are turned round, their sign stays
// fails: result
// because: Then they are in order, but still above all positive ones.

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]);
    bool negative = bits >> 31;
    unsigned change = negative ? 0x7fffffff : 0;
    keys[i] = bits ^ change;
}
