// right: a group without elements is done at once, and all lanes get the sum by a
// right: butterfly

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned group = thread / warpSize, lane = thread % warpSize;
    if (group >= groups) return;
    const unsigned begin = offsets[group], count = offsets[group + 1] - begin;
    if (count == 0) {
        if (lane == 0) means[group] = 0;
        return;
    }
    unsigned sum = 0;
    for (unsigned i = lane; i < count; i += warpSize) sum += values[begin + i];
    for (unsigned mask = 1; mask < warpSize; mask *= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (lane == 0) means[group] = sum / count;
}
