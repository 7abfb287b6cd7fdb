// The maximum of floats by compare-and-swap, from all blocks.
// expect: none
// launch: 4 64
// args: iota:256 zeros:4

extern "C" __global__ void maximum_of_floats(const int *in, int *out)
{
    float mine = in[blockIdx.x * 64 + threadIdx.x];
    int seen = *(volatile int *)out, expected;
    do {
        expected = seen;
        if (__int_as_float(expected) >= mine)
            break;
        seen = atomicCAS(out, expected, __float_as_int(mine));
    } while (seen != expected);
}
