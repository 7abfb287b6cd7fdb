// right: every thread makes `per` rounds, each with a guard, as in the starter
extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int k = 0; k < per; k++) {
        int i = k * threads + t;
        if (i < n) out[i] = 2.0f * in[i];
    }
}
