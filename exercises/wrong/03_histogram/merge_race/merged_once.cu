// wrong: the merges can wait until everything is counted
// fails: contract
// because: The rounds keep each count small. Behind the last element, all merges but
// because: the first add up zeros.

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    int t = threadIdx.x;
    for (int value = 0; value < 64; value++) counts[64 * value + t] = 0;
    for (int i = t; i < n; i += 64) counts[64 * in[i] + t]++;
    __syncthreads();
    for (int first = 0; first < n; first += 256) {
        unsigned sum = 0;
        for (int k = 0; k < 64; k++) {
            int at = 64 * t + (k + t) % 64;
            sum += counts[at];
            counts[at] = 0;
        }
        hist[t] += sum;
    }
}
