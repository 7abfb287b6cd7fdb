// What `scale` has to compute.
extern "C" __global__ void reference(float *out, const float *in, int n, int per)
{
    for (int i = 0; i < n; i++) out[i] = 2.0f * in[i];
}
