// Sort first, then store
//
// A block of 256 threads has a tile of 256 keys. `rank` says where in the tile each of
// them belongs: rank[i] is a number from 0 to 255, and no two keys of a tile have the
// same.
//
// As it is, each thread stores its key to its place at once, and a warp's store
// goes to many sectors, where four would do. Your task: make the stores of a warp
// go to neighbouring words.
//
// Grade it:     warpbook exercise check sort_before_store
// Get a hint:   warpbook exercise hint sort_before_store

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    unsigned key = in[first + t], place = rank[first + t];
    out[first + place] = key;
}
