// An addition made of compare-and-swap.
extern "C" __global__ void add_by_swaps(int *sums, const int *values, int keys)
{
    int lane = threadIdx.x;
    int *sum = &sums[lane % keys];
    int value = values[lane];
    int seen = *const_cast<volatile int *>(sum), before;
    do {
        before = seen;
        seen = atomicCAS(sum, before, before + value);
    } while (seen != before);
}
