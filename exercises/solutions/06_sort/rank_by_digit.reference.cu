extern "C" __global__ void reference(unsigned *out, const unsigned *in, int warps,
                                     int shift)
{
    for (int warp = 0; warp < warps; warp++) {
        int place = 32 * warp;
        for (unsigned digit = 0; digit < 4; digit++)
            for (int i = 32 * warp; i < 32 * warp + 32; i++)
                if ((in[i] >> shift) % 4 == digit) out[place++] = in[i];
    }
}
