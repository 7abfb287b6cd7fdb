// Lanes without an element have ended, and the sum of the warp reads from them.
// expect: invalid-sync-mask
// launch: 1 32
// args: iota:20 zeros:4 u32:20

extern "C" __global__ void sum_with_ended_lanes(const int *in, int *out, unsigned n)
{
    unsigned t = threadIdx.x;
    if (t >= n)
        return;
    int value = in[t];
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(0xffffffff, value, d); //~ invalid-sync-mask
    if (t == 0)
        *out = value;
}
