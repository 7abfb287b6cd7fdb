// wrong: each lane takes a piece of the row
// fails: contract
// because: Lane k with pixels k * piece and on: neighbouring lanes are a piece apart,
// because: and each asks for a sector of its own.

__device__ float sum_below(float value)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % 32 >= distance) value += left;
    }
    return value;
}

extern "C" __global__ void scan_rows(float *table, const float *image, int w, int h)
{
    int y = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (y >= h) return;
    float before = 0.0f;
    int piece = (w + 31) / 32;
    float own = 0.0f;
    for (int x = lane * piece; x < w && x < lane * piece + piece; x++)
        own += image[y * w + x];
    __syncwarp();
    before = sum_below(own) - own;
    for (int x = lane * piece; x < w && x < lane * piece + piece; x++) {
        before += image[y * w + x];
        table[y * w + x] = before;
    }
}
