// right: a loop over batches of 255 rounds around a loop over rounds, so that nothing
// right: is counted

__device__ void empty(unsigned *hist, unsigned *words)
{
    unsigned *own = words + threadIdx.x;
#pragma unroll
    for (int w = 0; w < 4; w++, own += 32) {
        unsigned word = *own;
        *own = 0;
#pragma unroll
        for (int k = 0; k < 4; k++)
            atomicAdd(hist + 4 * w + k, __byte_perm(word, 0, 0x4440 | k));
    }
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    const int most = 32 * 255;
    __shared__ unsigned words[4 * 32];
    int lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[32 * w + lane] = 0;

    for (int begin = 0; begin < n; begin += most) {
        int end = min(n, begin + most);
        for (int i = begin + lane; i < end; i += 32) {
            unsigned value = in[i];
            words[value / 4 * 32 + lane] += 1u << value % 4 * 8;
        }
        empty(hist, words);
    }
}
