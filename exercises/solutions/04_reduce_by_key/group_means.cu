// A warp for each group
//
// Group g has the elements of `values` from offsets[g] on, up to offsets[g + 1] - 1.
// Some groups have none. `means` gets the mean of each group, rounded down, and 0 for a
// group without elements.
//
// STARTER
//- // Your task: let the lanes of a warp add up its group together.
// SOLUTION
// The lanes of a warp walk through its group side by side.
// END
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

    // STARTER
    //- // TODO: add up values[begin] to values[end - 1], and divide by their number
    //- if (lane == 0) means[group] = end - begin;
    // SOLUTION
    unsigned sum = 0;
    for (unsigned i = begin + lane; i < end; i += 32) sum += values[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) means[group] = begin < end ? sum / (end - begin) : 0;
    // END
}
