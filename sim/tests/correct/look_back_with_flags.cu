// A look-back scan whose sums lie beside their flags, behind fences.
// expect: none
// launch: 8 64
// args: iota:512 zeros:32 zeros:32 zeros:2048

extern "C" __global__ void look_back_with_flags(const int *in, int *sums, volatile int *flags, int *out)
{
    __shared__ int words[64];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    words[t] = in[b * 64 + t];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int left = t >= d ? words[t - d] : 0;
        __syncthreads();
        words[t] += left;
    }
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            while (flags[b - 1] == 0) {
            }
            __threadfence();
            sum = sums[b - 1];
        }
        sums[b] = sum + words[63];
        __threadfence();
        flags[b] = 1;
        before = sum;
    }
    __syncthreads();
    out[b * 64 + t] = before + words[t];
}
