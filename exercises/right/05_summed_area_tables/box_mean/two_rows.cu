// right: pointers to the two rows, each of which gives the difference of two elements;
// right: a guard around the body

// What lies in the columns `left` to `right` of a row of the table.
__device__ int between(const int *__restrict__ row, int left, int right)
{
    int sum = row[right];
    if (left != 0) sum -= row[left - 1];
    return sum;
}

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < w && y < h) {
        const int left = x < r ? 0 : x - r;
        const int right = x + r < w ? x + r : w - 1;
        const int above = y - r - 1;
        const int bottom = y + r < h ? y + r : h - 1;
        int sum = between(table + bottom * w, left, right);
        if (above >= 0) sum -= between(table + above * w, left, right);
        sums[y * w + x] = sum;
    }
}
