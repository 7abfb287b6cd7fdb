// right: two tables take turns, so that a round merges one while the next may already
// right: count in the other

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned tables[2][64 * 64];
    int t = threadIdx.x;
    for (int value = 0; value < 64; value++) {
        tables[0][64 * value + t] = 0;
        tables[1][64 * value + t] = 0;
    }

    int turn = 0;
    for (int first = 0; first < n; first += 256, turn ^= 1) {
        unsigned *counts = tables[turn];
        for (int i = first + t; i < n && i < first + 256; i += 64)
            counts[64 * in[i] + t]++;
        __syncthreads();
        unsigned sum = 0;
        for (int k = 0; k < 64; k++) {
            int at = 64 * t + (k + t) % 64;
            sum += counts[at];
            counts[at] = 0;
        }
        hist[t] += sum;
    }
}
