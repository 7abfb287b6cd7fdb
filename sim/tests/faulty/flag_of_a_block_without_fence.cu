// Block 0 raises a flag for block 1; nothing keeps the value behind it from coming later.
// expect: race
// launch: 2 32
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void flag_of_a_block_without_fence(int *value, volatile int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //~ party
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        *out = *value; //~ race
    }
}
