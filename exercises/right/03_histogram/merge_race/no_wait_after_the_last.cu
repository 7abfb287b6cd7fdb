// right: leaves the second barrier out after the last round, and merges by exclusive or

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    unsigned t = threadIdx.x;
    for (unsigned at = t; at < 64 * 64; at += 64) counts[at] = 0;

    int rounds = (n + 255) / 256;
    for (int round = 0; round < rounds; round++) {
        for (int i = 256 * round + t; i < min(n, 256 * (round + 1)); i += 64) {
            unsigned at = 64 * in[i] + t;
            counts[at] = counts[at] + 1;
        }
        __syncthreads();
        unsigned sum = 0;
        for (unsigned k = 0; k < 64; k++) {
            unsigned *at = counts + 64 * t + (k ^ t);
            sum += *at;
            *at = 0;
        }
        hist[t] += sum;
        if (round + 1 < rounds) __syncthreads();
    }
}
