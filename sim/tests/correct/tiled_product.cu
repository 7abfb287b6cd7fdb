// A tiled product with both of its barriers.
// expect: none
// launch: 2,2 16,16
// args: iota:1024 iota:1024 zeros:4096

extern "C" __global__ void tiled_product(const int *a, const int *b, int *c)
{
    __shared__ int ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    for (int tile = 0; tile < 2; tile++) {
        ta[y][x] = a[row * 32 + tile * 16 + x];
        tb[y][x] = b[(tile * 16 + y) * 32 + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * 32 + column] = sum;
}
