// Divides each group's sum by its count, and one group is empty.
// expect: division-by-zero
// launch: 1 64
// args: iota:64 iota:64 zeros:256

extern "C" __global__ void
mean_of_an_empty_group(const unsigned *sums, const unsigned *counts, unsigned *means)
{
    unsigned i = threadIdx.x;
    means[i] = sums[i] / counts[i];  //~ division-by-zero
}
