// right: warpSize in place of numbers, and the number of rounds so far is kept across
// right: all of them

__device__ void empty(unsigned *hist, unsigned *words)
{
    for (int value = 0; value < 16; value++) {
        unsigned word = words[value / 4 * warpSize + threadIdx.x];
        atomicAdd(&hist[value], word >> value % 4 * 8 & 0xff);
    }
    for (int w = 0; w < 4; w++) words[w * warpSize + threadIdx.x] = 0;
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    int lane = threadIdx.x;
    for (int i = lane; i < 4 * warpSize; i += warpSize) words[i] = 0;

    int rounds = (n + warpSize - 1) / warpSize;
    for (int round = 1; round <= rounds; round++) {
        int i = (round - 1) * warpSize + lane;
        if (i < n) {
            unsigned value = in[i];
            unsigned *word = &words[(value / 4) * warpSize + lane];
            *word = *word + (1u << (8 * (value % 4)));
        }
        bool full = round % 255 == 0;
        if (full && round < rounds) empty(hist, words);
    }
    empty(hist, words);
}
