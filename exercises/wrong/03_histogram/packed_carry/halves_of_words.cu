// wrong: 16 bits never overflow here, so nothing has to be emptied in between
// fails: contract
// because: Two counters in a word take twice the shared memory of four, and a longer
// because: input overflows them, too.

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[8 * 32];
    int lane = threadIdx.x;
    for (int w = 0; w < 8; w++) words[32 * w + lane] = 0;
    for (int i = lane; i < n; i += 32) {
        unsigned value = in[i];
        words[32 * (value / 2) + lane] += 1u << 16 * (value % 2);
    }
    for (int w = 0; w < 8; w++) {
        unsigned word = words[32 * w + lane];
        atomicAdd(&hist[2 * w], word & 0xffff);
        atomicAdd(&hist[2 * w + 1], word >> 16);
    }
}
