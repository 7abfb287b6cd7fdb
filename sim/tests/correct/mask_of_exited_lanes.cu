// A full mask although some lanes have exited: nobody waits for them.
// expect: remark
// launch: 1 32
// args: zeros:128 u32:20

extern "C" __global__ void mask_of_exited_lanes(int *out, unsigned n)
{
    if (threadIdx.x >= n)
        return;
    out[threadIdx.x] = __any_sync(0xffffffff, threadIdx.x == 7); //~ remark
}
