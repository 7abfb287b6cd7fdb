// wrong: at the edge the element at the edge is taken instead
// fails: result
// because: max(left - 1, 0) is column 0, which belongs to the square. At the edge
// because: nothing has to be taken away.

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;

    int left = max(x - r, 0), right = min(x + r, w - 1);
    int top = max(y - r, 0), bottom = min(y + r, h - 1);
    int sum = table[bottom * w + right];
    sum -= table[bottom * w + max(left - 1, 0)];
    if (top > 0) sum -= table[(top - 1) * w + right];
    if (left > 0 && top > 0) sum += table[(top - 1) * w + left - 1];
    sums[y * w + x] = sum;
}
