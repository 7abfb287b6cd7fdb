// right: the first round takes four neighbouring words in one load of 16 bytes, the
// right: others two words as a tree
extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ __align__(16) int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    int sum = 0;
    if (t < 64) {
        int4 four = reinterpret_cast<const int4 *>(partial)[t];
        sum = four.x + four.y + four.z + four.w;
    }
    __syncthreads();
    if (t < 64) partial[t] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
