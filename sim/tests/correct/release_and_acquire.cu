// Block 0 hands a value to block 1 with a release store and an acquire load.
// expect: none
// launch: 2 32
// args: zeros:4 zeros:4 zeros:4

extern "C" __global__ void release_and_acquire(int *value, int *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *value = 42;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        } while (seen == 0);
        *out = *value;
    }
}
