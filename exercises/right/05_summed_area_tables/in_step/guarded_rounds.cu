// right: asks whether there is a neighbour instead of keeping zeros, and writes nothing
// right: after the last round

template <int Distance>
__device__ void add_left(float &sum, float *row, int lane)
{
    __syncwarp();
    if (lane >= Distance) sum += row[lane - Distance];
    if (Distance == 16) return;
    __syncwarp();
    row[lane] = sum;
}

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][32];
    const int lane = threadIdx.x;
    const size_t y = size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (y >= h) return;
    float *row = rows[threadIdx.y];
    float sum = row[lane] = image[32 * y + lane];
    add_left<1>(sum, row, lane);
    add_left<2>(sum, row, lane);
    add_left<4>(sum, row, lane);
    add_left<8>(sum, row, lane);
    add_left<16>(sum, row, lane);
    table[32 * y + lane] = sum;
}
