// Looks through every 32 elements, one after the other.
extern "C" __global__ void reference(int *out, const int *in, int n)
{
    for (int begin = 0; begin < n; begin += 32) {
        out[begin / 32] = -1;
        for (int i = begin + 31; i >= begin; i--) {
            if (i < n && in[i] < 0) out[begin / 32] = i - begin;
        }
    }
}
