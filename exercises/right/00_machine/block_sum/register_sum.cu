// right: each thread keeps its sum in a register, so that a round loads one word per
// right: thread and not two
extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;
    partial[t] = sum;
    for (int half = 128; half > 0; half >>= 1) {
        __syncthreads();
        if (t < half) {
            sum += partial[t + half];
            partial[t] = sum;
        }
    }
    if (t == 0) out[blockIdx.x] = sum;
}
