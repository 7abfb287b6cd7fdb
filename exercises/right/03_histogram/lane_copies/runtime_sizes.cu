// right: warpSize and blockDim in place of numbers, so that no loop is unrolled

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    int t = threadIdx.x, lane = t % warpSize;
    int first = blockIdx.x * 4 * blockDim.x;
    int end = min(n, first + 4 * (int)blockDim.x);
    for (int i = t; i < 64 * warpSize; i += blockDim.x) copies[i] = 0;
    __syncthreads();

    for (int i = first + t; i < end; i += blockDim.x) {
        int value = in[i];
        atomicAdd(&copies[value * warpSize + lane], 1u);
    }
    __syncthreads();

    for (int value = t; value < 64; value += blockDim.x) {
        unsigned sum = 0;
        for (int k = 0; k < warpSize; k++) {
            int copy = (k + lane) % warpSize;
            sum += copies[value * warpSize + copy];
        }
        atomicAdd(&hist[value], sum);
    }
}
