// Block 0 hands a value to block 1 with a fence and a volatile flag.
// expect: none
// launch: 2 32
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void flag_of_a_block(int *value, volatile int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *out = *value;
    }
}
