// wrong: a group has at most as many elements as a warp has lanes
// fails: result
// because: Long groups lose all elements behind the first 32.

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];

    unsigned sum = 0;
    if (begin + lane < end) sum = values[begin + lane];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) means[group] = begin < end ? sum / (end - begin) : 0;
}
