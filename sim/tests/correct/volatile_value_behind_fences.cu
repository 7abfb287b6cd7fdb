// A volatile value and an atomic flag, with a fence on both sides.
// expect: none
// launch: 2 1
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void volatile_value_behind_fences(volatile int *value, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *value;
    }
}
