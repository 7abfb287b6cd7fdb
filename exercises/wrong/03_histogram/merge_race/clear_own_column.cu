// wrong: if each thread clears its own column, nobody disturbs anybody
// fails: findings, result
// because: Then a thread clears its column while others still add up their rows: the
// because: race is another one, and still there.

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    int t = threadIdx.x;
    for (int value = 0; value < 64; value++) counts[64 * value + t] = 0;

    for (int first = 0; first < n; first += 256) {
        for (int i = first + t; i < n && i < first + 256; i += 64)
            counts[64 * in[i] + t]++;
        __syncthreads();
        unsigned sum = 0;
        for (int k = 0; k < 64; k++) {
            int at = 64 * t + (k + t) % 64;
            sum += counts[at];
        }
        hist[t] += sum;
        for (int k = 0; k < 64; k++) counts[64 * k + t] = 0;
    }
}
