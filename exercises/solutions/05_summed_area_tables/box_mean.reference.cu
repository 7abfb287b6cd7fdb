// Row by row. The sum of a row up to a column is what the table has there, less what it
// has in the row above.
__device__ int up_to(const int *table, int w, int x, int y)
{
    if (x < 0) return 0;
    int above = y == 0 ? 0 : table[(y - 1) * w + x];
    return table[y * w + x] - above;
}

extern "C" __global__ void reference(int *sums, const int *table, int w, int h, int r)
{
    for (int i = 0; i < w * h; i++) {
        int right = min(i % w + r, w - 1);
        int sum = 0;
        for (int y = 0; y < h; y++)
            if (abs(y - i / w) <= r)
                sum += up_to(table, w, right, y) - up_to(table, w, i % w - r - 1, y);
        sums[i] = sum;
    }
}
