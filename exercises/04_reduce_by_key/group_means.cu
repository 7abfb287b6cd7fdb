// A warp for each group
//
// Group g has the elements of `values` from offsets[g] on, up to offsets[g + 1] - 1.
// Some groups have none. `means` gets the mean of each group, rounded down, and 0 for a
// group without elements.
//
// Your task: let the lanes of a warp add up its group together.
//
// Grade it:     warpbook exercise check group_means
// Get a hint:   warpbook exercise hint group_means

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (group >= groups) return;
    unsigned begin = offsets[group], end = offsets[group + 1];

    // TODO: add up values[begin] to values[end - 1], and divide by their number
    if (lane == 0) means[group] = end - begin;
}
