// right: two loads are under way before the first store
extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + threads < n; i += 2 * threads) {
        float a = in[i];
        float b = in[i + threads];
        out[i] = 2.0f * a;
        out[i + threads] = 2.0f * b;
    }
    if (i < n) out[i] = 2.0f * in[i];
}
