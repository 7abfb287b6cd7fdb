// right: a helper function adds a bin's count to the result, and leaves out bins that
// right: have counted nothing

__device__ void add(unsigned *bin, unsigned count)
{
    if (count > 0) atomicAdd(bin, count);
}

__device__ void empty(unsigned *hist, unsigned (*words)[32])
{
    for (int w = 0; w < 4; w++) {
        unsigned word = words[w][threadIdx.x];
        words[w][threadIdx.x] = 0;
        for (int k = 0; k < 4; k++) add(&hist[4 * w + k], word >> 8 * k & 255);
    }
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4][32];
    int lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[w][lane] = 0;

    int rounds = (n + 31) / 32;
    for (int round = 0; round < rounds; round++) {
        int i = 32 * round + lane;
        if (i < n) {
            unsigned value = in[i];
            words[value / 4][lane] += 1u << 8 * (value % 4);
        }
        if (round % 255 == 254) empty(hist, words);
    }
    empty(hist, words);
}
