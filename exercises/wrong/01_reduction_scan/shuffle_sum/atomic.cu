// wrong: one atomicAdd per warp is as good
// fails: contract
// because: It is right, and eight atomics on one word; the contract asks for none. And
// because: the word has to be zero before the first warp adds, which takes another
// because: barrier.

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    __shared__ int total;
    if (t == 0) total = 0;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    sum = total;

    if (t == 0) out[blockIdx.x] = sum;
}
