// wrong: shuffles and shared memory share the work if each takes half of the bits
// fails: contract
// because: Every lane takes part in five rounds of shuffles, and then eight rounds go
// because: through shared memory all the same. A number that has half of the bits
// because: takes as many rounds as one that has all of them.

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int x = i < n ? in[i] : 0;
    int low = x & 31;
    int high = x - low;
    for (int d = 16; d > 0; d /= 2) high += __shfl_down_sync(0xffffffff, high, d);
    partial[t] = t % 32 == 0 ? low + high : low;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
