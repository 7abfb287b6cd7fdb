// Counts one value after the other.
extern "C" __global__ void reference(unsigned *hist, const unsigned char *in, int n)
{
    for (int i = 0; i < n; i++) hist[in[i]]++;
}
