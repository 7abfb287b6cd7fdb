// right: a word of padding behind every 32, as places far apart often have one bank; a
// right: guard that is never false

template <int Threads>
struct Tile {
    unsigned words[Threads + Threads / 32];
    __device__ unsigned &operator[](unsigned place)
    {
        return words[place + place / 32];
    }
};

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    __shared__ Tile<256> tile;
    const unsigned t = threadIdx.x;
    const size_t i = size_t(blockIdx.x) * blockDim.x + t;
    const unsigned place = rank[i];
    if (place < blockDim.x) tile[place] = in[i];
    __syncthreads();
    out[i] = tile[t];
}
