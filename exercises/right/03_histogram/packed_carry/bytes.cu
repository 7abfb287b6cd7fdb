// right: counts in the bytes themselves instead of shifting ones into words

__device__ void empty(unsigned *hist, unsigned *words)
{
    for (int w = 0; w < 4; w++) {
        unsigned word = words[32 * w + threadIdx.x];
        words[32 * w + threadIdx.x] = 0;
        for (int k = 0; k < 4; k++) {
            atomicAdd(&hist[4 * w + k], word % 256);
            word /= 256;
        }
    }
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    unsigned char *bytes = (unsigned char *)words;
    int lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[32 * w + lane] = 0;

    int left = 255;
    for (int first = 0; first < n; first += 32) {
        if (left == 0) {
            empty(hist, words);
            left = 255;
        }
        int i = first + lane;
        if (i < n) {
            unsigned value = in[i];
            bytes[4 * (32 * (value / 4) + lane) + value % 4]++;
        }
        left--;
    }
    empty(hist, words);
}
