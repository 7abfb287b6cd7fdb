// right: lanes are named by number in a shuffle, so that the sum goes round, and the
// right: last warp finishes
extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    __shared__ int of_warp[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int lane = t % 32;
    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2)
        sum += __shfl_sync(0xffffffff, sum, (lane + d) % 32);
    if (lane == 31) of_warp[t / 32] = sum;
    __syncthreads();
    if (t / 32 == 7) {
        int all = lane < 8 ? of_warp[lane] : 0;
        for (int d = 4; d >= 1; d /= 2) all += __shfl_sync(0xffffffff, all, lane + d);
        if (lane == 0) out[blockIdx.x] = all;
    }
}
