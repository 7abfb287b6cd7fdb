// The lanes that vote name the other half of the warp.
// expect: invalid-sync-mask
// launch: 1 32
// args: zeros:128

extern "C" __global__ void ballot_of_the_other_half(int *out)
{
    unsigned others = threadIdx.x < 16 ? 0xffff0000 : 0x0000ffff;
    out[threadIdx.x] = __ballot_sync(others, threadIdx.x & 1); //~ invalid-sync-mask
}
