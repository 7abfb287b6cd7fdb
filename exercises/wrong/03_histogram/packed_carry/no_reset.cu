// wrong: the count of rounds tells when 255 values have been counted
// fails: result
// because: Only once, if it does not begin again: in the next 255 rounds nobody
// because: empties.

__device__ void empty(unsigned *hist, unsigned *words)
{
    for (int w = 0; w < 4; w++) {
        unsigned word = words[32 * w + threadIdx.x];
        words[32 * w + threadIdx.x] = 0;
        for (int k = 0; k < 4; k++) atomicAdd(&hist[4 * w + k], word >> 8 * k & 255);
    }
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    int lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[32 * w + lane] = 0;

    int rounds = 0;
    for (int first = 0; first < n; first += 32) {
        unsigned value = first + lane < n ? in[first + lane] : 0;
        if (first + lane < n) words[32 * (value / 4) + lane] += 1u << 8 * (value % 4);
        rounds++;
        if (rounds == 255) {
            empty(hist, words);
        }
    }
    empty(hist, words);
}
