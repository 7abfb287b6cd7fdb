// A tile is filled by rows and read by columns.
// expect: none
// launch: 2,2 32,8
// args: iota:4096 zeros:16384

extern "C" __global__ void transpose(const int *in, int *out)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        tile[j][threadIdx.x] = in[(y + j) * 64 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        out[(y + j) * 64 + x] = tile[threadIdx.x][j];
}
