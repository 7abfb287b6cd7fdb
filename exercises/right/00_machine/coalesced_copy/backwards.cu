// right: the rounds run from the last to the first
extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t + (per - 1) * threads; i >= 0; i -= threads) {
        if (i < n) out[i] = 2.0f * in[i];
    }
}
