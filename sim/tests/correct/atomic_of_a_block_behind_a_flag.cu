// Block 1 waits for a flag, executes a fence, and then updates the count with an atomic of its own block.
// expect: none
// launch: 2 1
// args: zeros:4 zeros:4

extern "C" __global__ void atomic_of_a_block_behind_a_flag(int *count, int *flag)
{
    if (blockIdx.x == 0) {
        atomicAdd(count, 1);
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        atomicAdd_block(count, 1);
    }
}
