// A butterfly of a half warp reaches into the other half, which is not in the mask.
// expect: invalid-sync-mask
// launch: 1 32
// args: zeros:128

extern "C" __global__ void neighbour_across_the_mask(int *out)
{
    int t = threadIdx.x, value = t;
    if (t < 16)
        value += __shfl_xor_sync(0x0000ffff, value, 16); //~ invalid-sync-mask
    out[t] = value;
}
