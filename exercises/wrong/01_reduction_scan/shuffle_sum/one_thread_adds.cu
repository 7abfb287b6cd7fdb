// wrong: eight sums are so few that one thread may add them
// fails: contract
// because: Thread 0 then loads eight words in eight instructions. One load instruction
// because: of one warp brings all eight, and three shuffles add them.

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    __shared__ int of_warp[8];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < 8; warp++) sum += of_warp[warp];
    }

    if (t == 0) out[blockIdx.x] = sum;
}
