// right: loads the rank before the key, and addresses the shared tile in bytes

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    __shared__ __align__(16) unsigned char tile[1024];
    unsigned i = (blockIdx.x << 8) | threadIdx.x;
    unsigned place = rank[i] & 255;
    *reinterpret_cast<unsigned *>(tile + 4 * place) = in[i];
    __syncthreads();
    out[i] = *reinterpret_cast<const unsigned *>(tile + 4 * threadIdx.x);
}
