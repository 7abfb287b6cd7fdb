// Threads sum up pairs in shared memory until one warp is left, which goes on with shuffles.
// expect: none
// launch: 2 128
// args: iota:256 zeros:8

extern "C" __global__ void sum_of_halves(const int *in, int *out)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    words[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64)
        words[t] += words[t + 64];
    __syncthreads();
    if (t < 32) {
        int sum = words[t] + words[t + 32];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
