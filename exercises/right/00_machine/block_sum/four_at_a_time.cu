// right: each round adds four numbers, so that four rounds are enough
extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int quarter = 64; quarter > 0; quarter /= 4) {
        if (t < quarter) {
            partial[t] = partial[t] + partial[t + quarter] + partial[t + 2 * quarter] +
                         partial[t + 3 * quarter];
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
