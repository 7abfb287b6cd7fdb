// wrong: thread t fetches the key of place t from shared memory with its rank
// fails: result
// because: rank[t] says where key t goes, not which key belongs to place t. That would
// because: be the inverse permutation.

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    unsigned key = in[first + t], place = rank[first + t];
    __shared__ unsigned tile[256];
    tile[t] = key;
    __syncthreads();
    out[first + t] = tile[place];
}
