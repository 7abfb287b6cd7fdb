// right: a lane adds up two sums side by side, and one number that may be left over

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    unsigned lane = threadIdx.x & 31;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];
    unsigned even = 0, odd = 0;
    unsigned i = begin + lane;
    for (; i + 32 < end; i += 64) {
        even += values[i];
        odd += values[i + 32];
    }
    if (i < end) even += values[i];
    unsigned sum = even + odd;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane > 0) return;
    if (end > begin)
        means[group] = sum / (end - begin);
    else
        means[group] = 0;
}
