// right: four unrolled steps a round, a barrier before the next count, and no addition
// right: to a bin without values

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    const int t = threadIdx.x;
    for (int k = t; k < 64 * 64; k += 64) counts[k] = 0;
    for (int first = 0; first < n; first += 256) {
        if (first > 0) __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int i = first + 64 * k + t;
            if (i < n) ++counts[64 * in[i] + t];
        }
        __syncthreads();
        unsigned sum = 0;
        unsigned *row = counts + 64 * t;
        int c = t;
        for (int k = 0; k < 64; k++) {
            sum += row[c];
            row[c] = 0;
            c = c == 63 ? 0 : c + 1;
        }
        if (sum) hist[t] += sum;
    }
}
