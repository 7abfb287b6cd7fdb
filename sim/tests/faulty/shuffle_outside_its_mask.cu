// All lanes shuffle, but the mask names only half of them.
// expect: invalid-sync-mask
// launch: 1 32
// args: zeros:128

extern "C" __global__ void shuffle_outside_its_mask(int *out)
{
    out[threadIdx.x] = __shfl_down_sync(0x0000ffff, threadIdx.x, 1); //~ invalid-sync-mask
}
