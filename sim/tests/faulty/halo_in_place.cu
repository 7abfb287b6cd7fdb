// Each block reads its tile and one element of the next one's, and then writes its tile where it was. All warps of a block
// look at its first element.
// expect: race any
// launch: 3 64
// args: iota:193

extern "C" __global__ void halo_in_place(int *values)
{
    __shared__ int tile[65];
    int at = blockIdx.x * 64 + threadIdx.x;
    int first = values[blockIdx.x * 64];
    tile[threadIdx.x] = values[at];
    if (threadIdx.x == 0)
        tile[64] = values[at + 64];
    __syncthreads();
    values[at] = tile[threadIdx.x] + tile[threadIdx.x + 1] - first;
}
