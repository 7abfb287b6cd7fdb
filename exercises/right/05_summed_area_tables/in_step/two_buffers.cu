// right: rounds read one buffer and write the other, so that the warp meets once in
// right: each

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][2][16 + 32];
    int lane = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    float *from = &rows[threadIdx.y][0][16 + lane],
          *to = &rows[threadIdx.y][1][16 + lane];

    float sum = image[32 * y + lane];
    if (lane < 16) from[-16] = to[-16] = 0.0f;
    *from = sum;
    for (int distance = 1; distance < 32; distance <<= 1) {
        __syncwarp();
        sum += from[-distance];
        *to = sum;
        float *swapped = from;
        from = to;
        to = swapped;
    }
    table[32 * y + lane] = sum;
}
