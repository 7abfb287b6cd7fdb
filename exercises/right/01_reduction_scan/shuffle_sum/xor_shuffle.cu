// right: a butterfly: lanes exchange with the lane whose number differs in one bit, and
// right: all get the sum
extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    __shared__ int of_warp[8];
    for (int bit = 1; bit < 32; bit *= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t >= 32) return;
    sum = of_warp[t % 8];
    for (int bit = 1; bit < 8; bit *= 2) sum += __shfl_xor_sync(0xffffffff, sum, bit);

    if (t == 0) out[blockIdx.x] = sum;
}
