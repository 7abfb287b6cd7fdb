// right: three rounds in shared memory leave 32 numbers, and one warp adds these with
// right: shuffles
extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t < 128) partial[t] += partial[t + 128];
    __syncthreads();
    if (t < 64) partial[t] += partial[t + 64];
    __syncthreads();
    if (t >= 32) return;
    int sum = partial[t] + partial[t + 32];
#pragma unroll
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0) out[blockIdx.x] = sum;
}
