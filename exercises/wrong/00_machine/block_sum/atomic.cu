// wrong: atomicAdd on partial[0] needs no tree
// fails: contract
// because: 255 threads add to one word: the lanes of a warp are served one after the
// because: other. And thread 0 needs its own number counted once only. The contract
// because: allows no atomics.

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;

    __syncthreads();
    if (t > 0) atomicAdd(&partial[0], partial[t]);
    __syncthreads();

    if (t == 0) out[blockIdx.x] = partial[0];
}
