// wrong: a loop in one thread is the same sum
// fails: contract
// because: It is the same sum, and another cost: one thread reads all 256 words,
// because: while 255 threads wait for it. The compiler lets it take two neighbours at a
// because: time, and still there are more loads than in the whole tree, with one lane
// because: at work in each of them.

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
