// wrong: a group ends with the element that its second offset names
// fails: result, contract
// because: That element is the first of the next group, or lies behind the buffer.

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];

    unsigned sum = 0;
    for (unsigned i = begin + lane; i <= end; i += 32) sum += values[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) means[group] = begin < end ? sum / (end - begin) : 0;
}
