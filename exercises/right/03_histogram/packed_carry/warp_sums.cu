// right: adds up each bin over the lanes before it goes to global memory
// warpbook: arch=compute_80

__device__ void empty(unsigned *hist, unsigned (*words)[32])
{
    unsigned lane = threadIdx.x, mine = 0;
    for (unsigned w = 0; w < 4; w++) {
        unsigned word = words[w][lane];
        words[w][lane] = 0;
        for (unsigned k = 0; k < 4; k++) {
            unsigned sum = __reduce_add_sync(0xffffffff, word >> 8 * k & 0xff);
            if (lane == 4 * w + k) mine = sum;
        }
    }
    if (lane < 16 && mine > 0) atomicAdd(&hist[lane], mine);
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4][32];
    unsigned lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[w][lane] = 0;

    int rounds = 0;
    for (int first = 0; first < n; first += 32) {
        if (first + lane < n) {
            unsigned value = in[first + lane];
            words[value >> 2][lane] += 1u << ((value & 3) << 3);
        }
        if (++rounds % 255 == 0) empty(hist, words);
    }
    empty(hist, words);
}
