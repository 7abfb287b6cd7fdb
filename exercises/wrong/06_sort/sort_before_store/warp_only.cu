// wrong: __syncwarp() is enough, since a warp stores 32 neighbours
// fails: findings, result, contract
// because: The 32 neighbours were put there by all eight warps of the block.

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    unsigned key = in[first + t], place = rank[first + t];
    __shared__ unsigned tile[256];
    tile[place] = key;
    __syncwarp();
    out[first + t] = tile[t];
}
