// The lanes of a branch read from a lane that took the other one.
// expect: invalid-sync-mask
// launch: 1 32
// args: zeros:128

extern "C" __global__ void value_of_an_absent_lane(int *out)
{
    int t = threadIdx.x, value = t + 1;
    if (t < 16)
        value = __shfl_sync(0x0000ffff, value, 20); //~ invalid-sync-mask
    out[t] = value;
}
