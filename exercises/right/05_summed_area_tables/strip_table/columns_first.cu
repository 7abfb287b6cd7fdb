// right: adds down the column first, in a register, and then along the row

__device__ int sum_below(int value)
{
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, value, distance);
        value += threadIdx.x >= distance ? left : 0;
    }
    return value;
}

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    const int x = threadIdx.x;
    const bool inside = x < w;
    int column = 0;
    for (int y = 0; y < h; y++, image += w, table += w) {
        if (inside) column += image[x];
        int sum = sum_below(column);
        if (inside) table[x] = sum;
    }
}
