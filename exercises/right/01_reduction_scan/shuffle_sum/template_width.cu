// right: a device function for a width that is known when it is compiled, written out
// right: by the compiler
template <int Width>
__device__ __forceinline__ int sum_of(int x)
{
#pragma unroll
    for (int d = Width / 2; d >= 1; d >>= 1)
        x += __shfl_down_sync(0xffffffffu, x, d, Width);
    return x;
}

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    constexpr int warps = 256 / 32;
    __shared__ int of_warp[warps];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    int sum = 0;
    if (i < (size_t)n) sum = in[i];
    sum = sum_of<32>(sum);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = 0;
        if (lane < warps) sum = of_warp[lane];
        sum = sum_of<warps>(sum);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}
