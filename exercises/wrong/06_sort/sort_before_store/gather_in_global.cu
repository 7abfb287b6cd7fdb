// wrong: a gather from global memory saves the shared memory
// fails: contract, result
// because: The stores are in order now, but each lane loads from a sector of its own;
// because: and rank[t] says where key t goes, not which key belongs to place t.

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    unsigned place = rank[first + t];
    out[first + t] = in[first + place];
}
