// What the lock guards is itself read and written with volatile accesses, so there is no data race, although no fence
// stands behind taking it. That nothing orders them is a remark.
// expect: remark
// launch: 8 32
// args: zeros:4 zeros:4

extern "C" __global__ void lock_with_relaxed_words(int *lock, volatile int *sum)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum = *sum + 1; //~ remark
    __threadfence();
    atomicExch(lock, 0);
}
