// wrong: column left - 1 exists, because left is at least 0
// fails: findings, result
// because: At the left edge left - 1 is -1: that is the last element of the row above,
// because: or lies in front of the table.

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;

    int left = max(x - r, 0), right = min(x + r, w - 1);
    int top = max(y - r, 0), bottom = min(y + r, h - 1);
    int sum = table[bottom * w + right];
    sum -= table[bottom * w + left - 1];
    if (top > 0) sum -= table[(top - 1) * w + right];
    if (left > 0 && top > 0) sum += table[(top - 1) * w + left - 1];
    sums[y * w + x] = sum;
}
