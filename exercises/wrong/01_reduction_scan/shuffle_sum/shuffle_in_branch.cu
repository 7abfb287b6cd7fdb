// wrong: only lanes whose sum is needed have to shuffle
// fails: findings, result, contract
// because: The mask names all 32 lanes, so all must come by. A lane that adds must also
// because: be given something by a lane that is there.

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    __shared__ int of_warp[8];
    for (int d = 16; d > 0; d /= 2) {
        if (t % 32 < d) sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? of_warp[t] : 0;
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    }

    if (t == 0) out[blockIdx.x] = sum;
}
