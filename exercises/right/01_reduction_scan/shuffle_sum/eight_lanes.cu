// right: the second part is for eight lanes only, and the mask of its shuffles names
// right: these
extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    __shared__ int of_warp[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;
    sum += __shfl_down_sync(0xffffffff, sum, 16);
    sum += __shfl_down_sync(0xffffffff, sum, 8);
    sum += __shfl_down_sync(0xffffffff, sum, 4);
    sum += __shfl_down_sync(0xffffffff, sum, 2);
    sum += __shfl_down_sync(0xffffffff, sum, 1);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 8) {
        sum = of_warp[t];
        sum += __shfl_down_sync(0xff, sum, 4);
        sum += __shfl_down_sync(0xff, sum, 2);
        sum += __shfl_down_sync(0xff, sum, 1);
    }
    if (t == 0) out[blockIdx.x] = sum;
}
