// Both sides of a branch have a barrier of their own, one of them `barrier.sync`, which counts threads wherever they are.
// expect: remark
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barrier_on_both_sides(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t;
    if (t < 32)
        asm volatile("bar.sync 0;" ::: "memory"); //~ remark
    else
        asm volatile("barrier.sync 0;" ::: "memory"); //~ party
    out[t] = words[63 - t];
}
