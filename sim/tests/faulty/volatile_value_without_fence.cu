// The value itself is volatile, so no access is left out. The flag is an atomic, and neither side has a fence: block 1 can see
// the flag and the old value.
// expect: remark
// launch: 2 1
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void volatile_value_without_fence(volatile int *value, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *value = 42; //~ party
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        *out = *value; //~ remark
    }
}
