// A lock that a volatile store releases: it orders nothing, so the sum is not guarded.
// expect: race remark
// launch: 1 64
// args: zeros:4 zeros:4

extern "C" __global__ void volatile_release_without_fence(int *lock, int *sum)
{
    if (threadIdx.x % 32 != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) { //~ any
    }
    *sum += threadIdx.x; //~ race
    *(volatile int *)lock = 0; //~ any
}
