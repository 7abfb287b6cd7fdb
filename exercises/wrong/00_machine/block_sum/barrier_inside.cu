// wrong: only the threads that add have to wait
// fails: findings, result
// because: __syncthreads() waits for all threads of the block. Inside the `if`, those
// because: that have nothing to add never come by.

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;

    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            partial[t] += partial[t + half];
            __syncthreads();
        }
    }

    if (t == 0) out[blockIdx.x] = partial[0];
}
