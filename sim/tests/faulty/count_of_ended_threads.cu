// A barrier for two warps, and one of them has ended: threads that ended do not count here.
// expect: barrier-divergence
// launch: 1 256
// args: zeros:1024

extern "C" __global__ void count_of_ended_threads(int *out)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t >= 32)
        return;
    asm volatile("bar.sync 1, 64;" ::: "memory"); //~ barrier-divergence
    out[t] = t + 1;
}
