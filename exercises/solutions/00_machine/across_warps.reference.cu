// The differences within every 128 elements.
extern "C" __global__ void reference(int *out, const int *in, int n)
{
    for (int i = 0; i < n; i++) {
        bool last = i % 128 == 127 || i + 1 == n;
        out[i] = last ? 0 : in[i + 1] - in[i];
    }
}
