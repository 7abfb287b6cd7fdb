// Both sides of a branch have a barrier of their own: the hardware counts threads, not places.
// expect: none
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barrier_on_both_sides(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t;
    if (t < 32)
        asm volatile("bar.sync 0;" ::: "memory");
    else
        asm volatile("barrier.sync 0;" ::: "memory");
    out[t] = words[63 - t];
}
