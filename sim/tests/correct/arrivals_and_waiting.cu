// Two warps hand a buffer to and fro with barriers at which one arrives and the other waits.
// expect: none
// launch: 1 64
// args: zeros:512

extern "C" __global__ void arrivals_and_waiting(int *out)
{
    __shared__ int words[32];
    int lane = threadIdx.x % 32;
    for (int step = 0; step < 4; step++) {
        if (threadIdx.x < 32) {
            if (step > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            words[lane] = step * lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[step * 32 + 31 - lane] = words[lane];
            if (step < 3)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
