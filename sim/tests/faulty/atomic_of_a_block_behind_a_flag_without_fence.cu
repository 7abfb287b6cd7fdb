// Block 1 waits for a flag and then updates the count with an atomic of its own block: without a fence behind the flag
// nothing says that the update of block 0 came before.
// expect: remark
// launch: 2 1
// args: zeros:4 zeros:4

extern "C" __global__ void atomic_of_a_block_behind_a_flag_without_fence(int *count, int *flag)
{
    if (blockIdx.x == 0) {
        atomicAdd(count, 1); //~ party
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        atomicAdd_block(count, 1); //~ remark
    }
}
