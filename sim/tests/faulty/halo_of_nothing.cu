// The halo of a tile is read but never loaded.
// expect: uninitialized
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void halo_of_nothing(const int *in, int *out)
{
    __shared__ int tile[66];
    tile[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2]; //~ uninitialized
}
