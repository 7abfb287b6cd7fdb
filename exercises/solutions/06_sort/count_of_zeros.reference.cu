extern "C" __global__ void reference(unsigned *out, const unsigned *in, int n, int bit)
{
    int place = 0;
    for (unsigned digit = 0; digit < 2; digit++)
        for (int i = 0; i < n; i++)
            if ((in[i] >> bit & 1) == digit) out[place++] = in[i];
}
