// A spin lock that lanes of one warp take one after another.
// expect: none
// launch: 1 32
// args: zeros:4 zeros:4

extern "C" __global__ void lock_between_lanes(int *lock, int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
