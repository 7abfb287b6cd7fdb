// wrong: shuffles keep warps in step, no barrier is needed
// fails: findings, result, contract
// because: Shuffles order lanes of one warp. Warp 0 loads what seven other warps store:
// because: that needs a barrier.

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    __shared__ int of_warp[8];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) of_warp[t / 32] = sum;

    if (t < 32) {
        sum = t < 8 ? of_warp[t] : 0;
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    }

    if (t == 0) out[blockIdx.x] = sum;
}
