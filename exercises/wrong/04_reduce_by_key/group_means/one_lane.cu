// wrong: one lane walks through the group, the others have nothing to do
// fails: contract
// because: The result is right, but the warp takes 32 times as many rounds, and moves a
// because: sector for each element.

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];

    unsigned sum = 0;
    if (lane > 0) return;
    for (unsigned i = begin; i < end; i++) sum += values[i];
    means[group] = begin < end ? sum / (end - begin) : 0;
}
