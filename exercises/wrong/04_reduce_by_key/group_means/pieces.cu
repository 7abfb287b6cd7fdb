// wrong: each lane takes a piece of the group
// fails: contract
// because: Neighbouring lanes then read elements that lie apart: each access moves many
// because: sectors, where lanes side by side share them.

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];

    unsigned sum = 0;
    unsigned piece = (end - begin + 31) / 32;
    unsigned last = min(end, begin + (lane + 1) * piece);
    for (unsigned i = begin + lane * piece; i < last; i++) sum += values[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) means[group] = begin < end ? sum / (end - begin) : 0;
}
