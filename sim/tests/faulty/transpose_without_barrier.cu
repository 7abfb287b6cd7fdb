// A tile is read by columns before it is filled by rows.
// expect: race
// launch: 1 32,8
// args: iota:1024 zeros:4096

extern "C" __global__ void transpose_without_barrier(const int *in, int *out)
{
    __shared__ int tile[32][33];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x]; //~ party
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y]; //~ race
}
