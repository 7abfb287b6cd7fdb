// Compacts every 32 elements, one after the other, and counts them.
extern "C" __global__ void reference(int *out, int *counts, const int *in, int n)
{
    for (int first = 0; first < n; first += 32) {
        int kept = 0;
        for (int i = first; i < n && i < first + 32; i++) {
            if (in[i] > 0) {
                out[first + kept] = in[i];
                kept++;
            }
        }
        counts[first / 32] = kept;
    }
}
