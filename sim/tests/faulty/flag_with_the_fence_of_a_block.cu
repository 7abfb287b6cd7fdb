// The fence in front of the flag reaches the own block only.
// expect: race
// launch: 2 32
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void flag_with_the_fence_of_a_block(int *value, volatile int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42; //~ party
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence_block();
        *out = *value; //~ race
    }
}
