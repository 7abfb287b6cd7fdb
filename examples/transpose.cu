// The transpose of a matrix of n x n floats, n a multiple of 32: a block of 32 x 8
// threads turns a tile of 32 x 32.
extern "C" __global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, column = blockIdx.x * 32, row = blockIdx.y * 32;
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][x] = in[(row + y) * n + column + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[(column + y) * n + row + x] = tile[x][y];
}
