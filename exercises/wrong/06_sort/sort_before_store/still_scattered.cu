// wrong: going through shared memory makes the store coalesced
// fails: contract
// because: The key goes to shared memory and comes back to the same thread, which
// because: stores it to the same scattered place. What counts is what the lanes of the
// because: store address.

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    unsigned key = in[first + t], place = rank[first + t];
    __shared__ unsigned tile[256];
    tile[t] = key;
    __syncthreads();
    out[first + place] = tile[t];
}
