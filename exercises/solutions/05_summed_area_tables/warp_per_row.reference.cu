extern "C" __global__ void reference(float *table, const float *image, int w, int h)
{
    for (int y = 0; y < h; y++) {
        float sum = 0.0f;
        for (int x = 0; x < w; x++) table[y * w + x] = sum += image[y * w + x];
    }
}
