// wrong: the square is small enough to add it up
// fails: contract
// because: The result is right, but each thread takes four loads for every pixel of its
// because: square. The table's point is that four are enough for all of it.

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;

    int left = max(x - r, 0), right = min(x + r, w - 1);
    int top = max(y - r, 0), bottom = min(y + r, h - 1);
    int sum = 0;
    for (int v = top; v <= bottom; v++)
        for (int u = left; u <= right; u++) {
            sum += table[v * w + u];
            if (u > 0) sum -= table[v * w + u - 1];
            if (v > 0) sum -= table[v * w + u - w];
            if (u > 0 && v > 0) sum += table[v * w + u - w - 1];
        }
    sums[y * w + x] = sum;
}
