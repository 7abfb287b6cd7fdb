// wrong: the bits have to be stored before they can be changed
// fails: contract
// because: A key that goes to memory and back is stored twice. __float_as_uint costs
// because: nothing: it is the same register.

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile unsigned *words = keys;
    words[i] = __float_as_uint(in[i]);
    unsigned bits = words[i];
    words[i] = bits ^ (bits >> 31 ? 0xffffffff : 0x80000000);
}
