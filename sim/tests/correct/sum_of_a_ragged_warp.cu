// Lanes without an element take part in the sum with zero.
// expect: none
// launch: 1 32
// args: iota:20 zeros:4 u32:20

extern "C" __global__ void sum_of_a_ragged_warp(const int *in, int *out, unsigned n)
{
    unsigned t = threadIdx.x;
    int value = t < n ? in[t] : 0;
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(0xffffffff, value, d);
    if (t == 0)
        *out = value;
}
