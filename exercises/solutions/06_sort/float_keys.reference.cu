// By arithmetic on the amount: negative floats count down from the middle, the others
// up.
extern "C" __global__ void reference(unsigned *keys, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned amount = __float_as_uint(in[i]) % 0x80000000u;
        bool negative = __float_as_uint(in[i]) >= 0x80000000u;
        keys[i] = negative ? 0x7fffffffu - amount : 0x80000000u + amount;
    }
}
