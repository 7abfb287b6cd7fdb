// Divides each group's sum by its count, and looks whether the group is empty first.
// expect: none
// launch: 1 64
// args: iota:64 iota:64 zeros:256

extern "C" __global__ void mean_of_groups_that_may_be_empty(const unsigned *sums,
                                                            const unsigned *counts,
                                                            unsigned *means)
{
    unsigned i = threadIdx.x;
    means[i] = counts[i] > 0 ? sums[i] / counts[i] : 0;
}
