// A lock of the grid is given back behind a fence, but nothing keeps what is done with it from being read before it is taken.
// expect: race
// launch: 8 32
// args: zeros:4 zeros:4

extern "C" __global__ void lock_taken_without_fence(int *lock, int *sum)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum += 1; //~ any
    __threadfence();
    atomicExch(lock, 0);
}
