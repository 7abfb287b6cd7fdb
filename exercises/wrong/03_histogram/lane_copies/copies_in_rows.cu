// wrong: a copy is 64 bins side by side
// fails: contract
// because: Word 64 * lane + value is in bank value % 32: lanes with the same value are
// because: all in one bank, with different words. Constant data takes 32 wavefronts.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);
    for (int i = t; i < 64 * 32; i += 256) copies[i] = 0;
    __syncthreads();

    for (int i = first + t; i < end; i += 256)
        atomicAdd(&copies[64 * (t % 32) + in[i]], 1u);
    __syncthreads();
    if (t < 64) {
        unsigned sum = 0;
        for (int k = 0; k < 32; k++) sum += copies[64 * k + t];
        atomicAdd(&hist[t], sum);
    }
}
