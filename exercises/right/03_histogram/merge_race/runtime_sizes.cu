// right: blockDim in place of numbers, so that no loop is unrolled

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    int t = threadIdx.x, threads = blockDim.x;
    for (int value = 0; value < 64; value++) counts[value * threads + t] = 0;

    int first = 0;
    while (first < n) {
        int end = min(first + 4 * threads, n);
        for (int i = first + t; i < end; i += threads) counts[in[i] * threads + t]++;
        __syncthreads();
        unsigned sum = 0;
        for (int k = 0; k < threads; k++) {
            int column = k + t;
            if (column >= threads) column -= threads;
            sum += counts[t * threads + column];
            counts[t * threads + column] = 0;
        }
        hist[t] += sum;
        __syncthreads();
        first += 4 * threads;
    }
}
