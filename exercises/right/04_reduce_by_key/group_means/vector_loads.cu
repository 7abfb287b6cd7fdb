// right: loads four neighbours at a time where a group is aligned, and single ones at
// right: its two ends

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];
    unsigned first = min((begin + 3) / 4 * 4, end);  // the fours: from here
    unsigned last = max(end / 4 * 4, first);         // to here

    unsigned sum = 0;
    if (begin + lane < first) sum += values[begin + lane];
#pragma unroll 1
    for (unsigned i = first + 4 * lane; i < last; i += 4 * 32) {
        uint4 four = *reinterpret_cast<const uint4 *>(values + i);
        sum += four.x + four.y + four.z + four.w;
    }
    if (last + lane < end) sum += values[last + lane];

    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) means[group] = begin < end ? sum / (end - begin) : 0;
}
