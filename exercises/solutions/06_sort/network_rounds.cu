// A bitonic network: every thread compares one pair in each round.
extern "C" __global__ void bitonic_sort(int *out, const int *in)
{
    extern __shared__ int keys[];
    int t = threadIdx.x, n = 2 * blockDim.x;
    keys[t] = in[t];
    keys[t + n / 2] = in[t + n / 2];
    __syncthreads();
#pragma unroll 1
    for (int length = 2; length <= n; length *= 2) {
#pragma unroll 1
        for (int distance = length / 2; distance > 0; distance /= 2) {
            int left = 2 * t - t % distance, right = left + distance;
            bool ascending = (left & length) == 0;
            int a = keys[left];
            int b = keys[right];
            keys[left] = ascending ? min(a, b) : max(a, b);
            keys[right] = ascending ? max(a, b) : min(a, b);
            __syncthreads();
        }
    }
    out[t] = keys[t];
    out[t + n / 2] = keys[t + n / 2];
}
