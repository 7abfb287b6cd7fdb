// A spin lock for all blocks, with fences inside.
// expect: none
// launch: 4 32
// args: zeros:4 zeros:4

extern "C" __global__ void lock_of_the_grid(int *lock, int *sum)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}
