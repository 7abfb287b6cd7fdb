// wrong: one barrier before the rounds is enough, because a round is one instruction
// fails: findings, result
// because: A round is one instruction of one warp, and the block has eight warps.
// because: Warp 0 may be in its third round while warp 3 has not begun: each round
// because: needs a barrier before the next one.

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;

    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
    }

    if (t == 0) out[blockIdx.x] = partial[0];
}
