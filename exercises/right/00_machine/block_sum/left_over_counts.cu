// right: the loop counts what is left and halves it upwards, with 64-bit indices and a
// right: guard on both ends
extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    const size_t t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * blockDim.x + t;
    partial[t] = 0;
    if (i < (size_t)n) partial[t] = in[i];
    __syncthreads();
    size_t left = blockDim.x;
    while (left > 1) {
        const size_t keep = (left + 1) / 2;
        if (t < keep && t + keep < left) partial[t] += partial[t + keep];
        __syncthreads();
        left = keep;
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
