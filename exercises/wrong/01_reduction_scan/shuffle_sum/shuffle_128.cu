// wrong: shuffles reach all threads of the block
// fails: result, contract
// because: A shuffle stays within its warp: a lane that would be beyond the warp gets
// because: its own number back, so numbers are added to themselves, and those of the
// because: other warps never.

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    __shared__ int of_warp[8];
    for (int d = 128; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? of_warp[t] : 0;
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    }

    if (t == 0) out[blockIdx.x] = sum;
}
