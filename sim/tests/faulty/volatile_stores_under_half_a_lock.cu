// Two warps write a volatile word under a lock whose release has no fence in front of it.
// expect: remark
// launch: 1 64
// args: zeros:4 zeros:4

extern "C" __global__ void volatile_stores_under_half_a_lock(int *lock, volatile int *word)
{
    if (threadIdx.x % 32 != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *word = threadIdx.x; //~ remark
    atomicExch(lock, 0);
}
