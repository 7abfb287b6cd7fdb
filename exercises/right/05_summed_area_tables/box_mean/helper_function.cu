// right: a helper function reads zero to the left of the table and above it

__device__ int element(const int *table, int w, int x, int y)
{
    return x < 0 || y < 0 ? 0 : table[y * w + x];
}

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    int left = max(x - r, 0) - 1, right = min(x + r, w - 1);
    int top = max(y - r, 0) - 1, bottom = min(y + r, h - 1);
    sums[y * w + x] = element(table, w, right, bottom) -
                      element(table, w, left, bottom) - element(table, w, right, top) +
                      element(table, w, left, top);
}
