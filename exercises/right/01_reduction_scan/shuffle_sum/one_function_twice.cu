// right: one function adds up a warp's numbers and the sums of the warps, with five
// right: rounds in both places

// The sum over all lanes, in lane 0.
__device__ __forceinline__ int sum_of_warp(int value)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) value += __shfl_down_sync(0xffffffff, value, d);
    return value;
}

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    __shared__ int of_warp[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = sum_of_warp(i < n ? in[i] : 0);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = sum_of_warp(t < 8 ? of_warp[t] : 0);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
