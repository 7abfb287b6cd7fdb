// right: the sign as a number from 0 to 1 makes the mask by a negation

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (!(i < n)) {
        return;
    }
    float value = in[i];
    unsigned bits = __float_as_uint(value);
    unsigned sign = bits >> 31;
    unsigned mask = (0u - sign) | (1u << 31);
    unsigned key = bits ^ mask;
    keys[i] = key;
}
