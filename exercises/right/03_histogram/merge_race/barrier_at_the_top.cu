// right: the second barrier is at the beginning of a round, and the result is added up
// right: in a register

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    const int t = threadIdx.x;
#pragma unroll
    for (int value = 0; value < 64; value++) counts[64 * value + t] = 0;

    unsigned total = 0;
    for (int first = 0; first < n; first += 256) {
        __syncthreads();  // everybody has merged the round before
        for (int k = 0; k < 4; k++) {
            int i = first + 64 * k + t;
            if (i < n) counts[64 * in[i] + t] += 1;
        }
        __syncthreads();  // everybody has counted
        for (int k = 63; k >= 0; k--) {
            int at = 64 * t + (k + t) % 64;
            total += counts[at];
            counts[at] = 0;
        }
    }
    hist[t] += total;
}
