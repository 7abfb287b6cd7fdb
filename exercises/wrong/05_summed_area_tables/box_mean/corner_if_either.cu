// wrong: the corner comes back if something has been taken away
// fails: findings, result
// because: Only if both have been taken away is there a part that has been taken away
// because: twice.

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;

    int left = max(x - r, 0), right = min(x + r, w - 1);
    int top = max(y - r, 0), bottom = min(y + r, h - 1);
    int sum = table[bottom * w + right];
    if (left > 0) sum -= table[bottom * w + left - 1];
    if (top > 0) sum -= table[(top - 1) * w + right];
    if (left > 0 || top > 0) sum += table[(top - 1) * w + left - 1];
    sums[y * w + x] = sum;
}
