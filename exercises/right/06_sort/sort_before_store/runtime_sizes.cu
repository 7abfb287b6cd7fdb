// right: blockDim in place of 256, 64-bit indices, and loops that each thread passes
// right: once

extern "C" __global__ void place_tile(unsigned *out, const unsigned *in,
                                      const unsigned *rank)
{
    __shared__ unsigned tile[256];
    size_t first = (size_t)blockIdx.x * blockDim.x;
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned place = rank[first + k];
        tile[place] = in[first + k];
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) {
        out[first + k] = tile[k];
    }
}
