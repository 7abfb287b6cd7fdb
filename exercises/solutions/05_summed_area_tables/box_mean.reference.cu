// Pixel by pixel: first the image from its table, then each square.
__device__ int pixel(const int *table, int w, int x, int y)
{
    int here = table[y * w + x];
    int left = x == 0 ? 0 : table[y * w + x - 1];
    int above = y == 0 ? 0 : table[y * w + x - w];
    int both = x == 0 || y == 0 ? 0 : table[y * w + x - w - 1];
    return here - left - above + both;
}

extern "C" __global__ void reference(int *sums, const int *table, int w, int h, int r)
{
    for (int i = 0; i < w * h; i++) {
        int sum = 0;
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                if (abs(x - i % w) <= r && abs(y - i / w) <= r)
                    sum += pixel(table, w, x, y);
        sums[i] = sum;
    }
}
