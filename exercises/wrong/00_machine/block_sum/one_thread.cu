// wrong: a loop in one thread is the same sum
// fails: contract
// because: One thread loads 256 words, one by one, while 255 wait. The tree has 8 rounds. Here the barrier count is right, but each
// because: load moves a single word, and 255 more loads are executed than rounds.

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;

    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 256; k++) partial[0] += partial[k];
    }

    if (t == 0) out[blockIdx.x] = partial[0];
}
