// Half warps shuffle among themselves: lanes at the edge of their half get their own value.
// expect: none
// launch: 1 32
// args: zeros:512

extern "C" __global__ void shuffles_with_a_width(int *out)
{
    int t = threadIdx.x, value = t * t;
    if (t < 16) {
        unsigned half = 0x0000ffff;
        out[t] = __shfl_up_sync(half, value, 3, 16);
        out[t + 32] = __shfl_down_sync(half, value, 5, 16);
        out[t + 64] = __shfl_xor_sync(half, value, 8, 16);
        out[t + 96] = __shfl_sync(half, value, 20, 16);
    }
}
