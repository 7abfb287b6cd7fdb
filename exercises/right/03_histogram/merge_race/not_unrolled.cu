// right: loops are not unrolled, and the sum of a row stays in a register to the end
extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64][64];
    const int t = threadIdx.x;
#pragma unroll 1
    for (int value = 0; value < 64; value++) counts[value][t] = 0;
    unsigned total = 0;
    for (int first = 0; first < n; first += 256) {
        const int end = min(n, first + 256);
#pragma unroll 1
        for (int i = first + t; i < end; i += 64) ++counts[in[i]][t];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 64; k++) {
            unsigned &word = counts[t][(k + t) & 63];
            total += word;
            word = 0;
        }
        __syncthreads();
    }
    hist[t] += total;
}
