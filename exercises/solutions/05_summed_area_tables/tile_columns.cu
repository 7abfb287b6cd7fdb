// The sums of the rows of a tile, a lane per row.
extern "C" __global__ void row_sums(float *sums, const float *in, int stride)
{
    extern __shared__ float tile[];
    int lane = threadIdx.x;
    for (int y = 0; y < 32; y++) tile[y * stride + lane] = in[32 * y + lane];
    __syncwarp();
    float sum = 0.0f;
#pragma unroll 1
    for (int x = 0; x < 32; x++) {
        sum += tile[lane * stride + x];
    }
    sums[lane] = sum;
}
