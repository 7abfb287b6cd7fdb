extern "C" __global__ void reference(int *table, const int *image, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int i = 0; i < (y + 1) * w; i++)
                if (i % w <= x) sum += image[i];
            table[y * w + x] = sum;
        }
}
