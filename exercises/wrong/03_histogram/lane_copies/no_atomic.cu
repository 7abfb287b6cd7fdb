// wrong: lanes have their own copies, so ++ is enough
// fails: findings, contract
// because: Lane k of each of the eight warps counts in the same copy. Between warps an
// because: increment must be indivisible.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);
    for (int i = t; i < 64 * 32; i += 256) copies[i] = 0;
    __syncthreads();

    for (int i = first + t; i < end; i += 256) copies[32 * in[i] + t % 32]++;
    __syncthreads();
    if (t < 64) {
        unsigned sum = 0;
        for (int k = 0; k < 32; k++) sum += copies[32 * t + (k + t) % 32];
        atomicAdd(&hist[t], sum);
    }
}
