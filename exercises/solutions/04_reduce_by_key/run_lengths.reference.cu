extern "C" __global__ void reference(int *keys, int *lengths, const int *in, int n)
{
    int run = -1;
    for (int i = 0; i < n; i++) {
        if (i == 0 || in[i] != in[i - 1]) {
            keys[++run] = in[i];
            lengths[run] = 0;
        }
        lengths[run]++;
    }
}
