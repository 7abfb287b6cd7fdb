extern "C" __global__ void reference(unsigned *out, const unsigned *in,
                                     const unsigned *rank, int tiles)
{
    for (int tile = 0; tile < tiles; tile++)
        for (int i = 256 * tile; i < 256 * tile + 256; i++)
            out[256 * tile + rank[i]] = in[i];
}
