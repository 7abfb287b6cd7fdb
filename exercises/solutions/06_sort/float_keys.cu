// Floats as digits
//
// A radix sort takes the digits of unsigned numbers. keys[i] is to be the bits of
// in[i], changed such that the keys as unsigned numbers are in the same order as the
// floats. As usual, the key of 0.0f is 0x80000000 and the key of -0.0f is 0x7fffffff.
//
// STARTER
//- // Your task: change the bits so. All floats have to keep different keys, -0 and 0
//- // too.
// SOLUTION
// Negative floats are turned round, the others are put above them.
// END
//
// Grade it:     warpbook exercise check float_keys
// Get a hint:   warpbook exercise hint float_keys

extern "C" __global__ void to_keys(unsigned *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bits = __float_as_uint(in[i]);
    // STARTER
    //- // TODO: positive floats are in order already, but below negative ones.
    //- unsigned change = 0;
    // SOLUTION
    bool negative = bits >> 31;
    unsigned change = negative ? 0xffffffff : 0x80000000;
    // END
    keys[i] = bits ^ change;
}
