// right: a pointer goes from tile to tile, and the number of tiles counts down

extern "C" __global__ void left_borders(int *sums, int tiles, int lines)
{
    int line = blockIdx.x * 64 + threadIdx.x;
    if (line < lines) {
        int left = 0;
        for (int *own = sums + line; tiles > 0; tiles--, own += lines) {
            int next = left + *own;
            *own = left;
            left = next;
        }
    }
}
