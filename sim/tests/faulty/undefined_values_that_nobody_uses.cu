// The upper lanes of the mask read from lanes outside it, and nobody uses what they get: the sum is lane 0's alone.
// expect: remark
// launch: 1 32
// args: zeros:4

extern "C" __global__ void undefined_values_that_nobody_uses(int *out)
{
    int t = threadIdx.x, value = t;
    if (t < 8) {
        for (int d = 4; d > 0; d /= 2)
            value += __shfl_down_sync(0x000000ff, value, d); //~ remark
        if (t == 0)
            *out = value;
    }
}
