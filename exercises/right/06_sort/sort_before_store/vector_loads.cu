// right: a quarter of the threads loads and stores four keys at a time

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    __shared__ uint4 tile[64];
    unsigned *words = &tile[0].x;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t < 64) {
        uint4 key = reinterpret_cast<const uint4 *>(in)[i];
        uint4 place = reinterpret_cast<const uint4 *>(rank)[i];
        words[place.x] = key.x;
        words[place.y] = key.y;
        words[place.z] = key.z;
        words[place.w] = key.w;
    }
    __syncthreads();
    if (t < 64) reinterpret_cast<uint4 *>(out)[i] = tile[t];
}
