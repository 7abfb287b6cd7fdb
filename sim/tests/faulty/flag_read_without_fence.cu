// Block 0 releases its value properly. Block 1 sees the flag, and may have read the value before: it has no fence.
// expect: race
// launch: 2 32
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void flag_read_without_fence(int *value, volatile int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //~ any
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        *out = *value; //~ any
    }
}
