// A chain of blocks, each with the sum of those before; the flag is raised before the sum is there.
// expect: race
// launch: 4 32
// args: zeros:16 zeros:16

extern "C" __global__ void flag_before_its_value(int *sums, volatile int *flags)
{
    if (threadIdx.x != 0)
        return;
    int b = blockIdx.x, before = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) {
        }
        __threadfence();
        before = sums[b - 1]; //~ race
    }
    __threadfence();
    flags[b] = 1;
    sums[b] = before + b; //~ party
}
