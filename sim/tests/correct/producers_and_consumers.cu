// Warps with different work meet at named barriers, which count threads: the instructions may stand anywhere.
// expect: none
// launch: 1 128
// args: zeros:256

extern "C" __global__ void producers_and_consumers(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    if (t < 64) {
        for (int round = 0; round < 4; round++) {
            asm volatile("bar.sync 1, 128;" ::: "memory"); // the tile is free
            words[t] = t * round;
            asm volatile("bar.arrive 2, 128;" ::: "memory"); // the tile is full
        }
    } else {
        int sum = 0;
        asm volatile("bar.arrive 1, 128;" ::: "memory");
        for (int round = 0; round < 4; round++) {
            asm volatile("bar.sync 2, 128;" ::: "memory");
            sum += words[127 - t];
            if (round < 3)
                asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
        out[t - 64] = sum;
    }
}
