// right: as many rounds as the strip is wide, with a guard for what has no left
// right: neighbour

template <typename T>
__device__ T scan(T value, int lanes)
{
    for (unsigned distance = 1; distance < lanes; distance <<= 1) {
        T left = __shfl_up_sync(0xffffffffu, value, distance);
        if (threadIdx.x >= distance) value = left + value;
    }
    return value;
}

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    unsigned x = threadIdx.x;
    int above = 0;
    for (unsigned at = x, end = x + w * h; at < end; at += w) {
        int pixel = 0;
        if (x < w) pixel = image[at];
        above = above + scan(pixel, w);
        if (x < w) table[at] = above;
    }
}
