// A spin lock for all blocks; what is done under it is not put before its release.
// expect: race
// launch: 4 32
// args: zeros:4 zeros:4

extern "C" __global__ void lock_of_the_grid_without_fence(int *lock, int *sum)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum += 1; //~ race
    atomicExch(lock, 0);
}
