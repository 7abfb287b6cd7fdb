// A tiled product whose loop loads the next tiles while slow threads still read the last ones.
// expect: race
// launch: 1 16,16
// args: iota:1024 iota:1024 zeros:1024

extern "C" __global__ void tile_overwritten(const int *a, const int *b, int *c)
{
    __shared__ int ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int tile = 0; tile < 2; tile++) {
        ta[y][x] = a[(y * 2 + tile) * 16 + x]; //~ any
        tb[y][x] = b[(tile * 16 + y) * 16 + x]; //~ any
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += ta[y][k] * tb[k][x]; //~ any
        // __syncthreads() is missing
    }
    c[y * 16 + x] = sum;
}
