// right: warpSize and blockDim in place of numbers, so that no loop is unrolled, and
// right: all warps but the first leave behind the barrier

__device__ int sum_of_warp(int value)
{
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    __shared__ int of_warp[8];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = sum_of_warp(i < n ? in[i] : 0);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    if (warp > 0) return;

    int warps = blockDim.x / warpSize;
    sum = sum_of_warp(lane < warps ? of_warp[lane] : 0);
    if (lane == 0) out[blockIdx.x] = sum;
}
