// Each half of the block has a barrier of its own.
// expect: none
// launch: 1 128
// args: zeros:512

extern "C" __global__ void named_barriers_of_halves(int *out)
{
    __shared__ int words[128];
    int t = threadIdx.x, half = t / 64;
    words[t] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    out[t] = words[t ^ 32];
}
