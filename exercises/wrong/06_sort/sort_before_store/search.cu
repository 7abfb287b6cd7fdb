// wrong: each thread can look for the key of its place
// fails: contract
// because: The right key is found, but each thread loads all ranks of the tile, one
// because: after another.

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    unsigned key = in[first + t], place = rank[first + t];
    for (int i = 0; i < 256; i++)
        if (rank[first + i] == t) key = in[first + i], place = t;
    out[first + place] = key;
}
