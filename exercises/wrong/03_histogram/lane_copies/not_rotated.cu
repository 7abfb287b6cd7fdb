// wrong: the order in which copies are added does not matter
// fails: contract
// because: Not for the sum, but for the banks: at copy k all lanes of a warp are in
// because: bank k.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);
    for (int i = t; i < 64 * 32; i += 256) copies[i] = 0;
    __syncthreads();

    for (int i = first + t; i < end; i += 256)
        atomicAdd(&copies[32 * in[i] + t % 32], 1u);
    __syncthreads();
    if (t < 64) {
        unsigned sum = 0;
        for (int k = 0; k < 32; k++) sum += copies[32 * t + k];
        atomicAdd(&hist[t], sum);
    }
}
