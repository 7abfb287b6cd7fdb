// A warp-wide sum whose mask forgets lane 31.
// expect: invalid-sync-mask
// launch: 1 32
// args: zeros:128

extern "C" __global__ void reduction_of_other_lanes(int *out)
{
    out[threadIdx.x] = __reduce_add_sync(0x7fffffff, threadIdx.x); //~ invalid-sync-mask
}
