// A thread per row.
extern "C" __global__ void scan_rows(float *table, const float *image, int width,
                                     int height)
{
    int y = threadIdx.x;
    float sum = 0.0f;
    for (int x = 0; x < width; x++) {
        sum += image[y * width + x];
        table[y * width + x] = sum;
    }
}

// A thread per column.
extern "C" __global__ void scan_columns(float *table, const float *image, int width,
                                        int height)
{
    int x = threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < height; y++) {
        sum += image[y * width + x];
        table[y * width + x] = sum;
    }
}
