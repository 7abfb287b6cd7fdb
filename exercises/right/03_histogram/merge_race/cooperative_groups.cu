// right: cooperative groups, a table of two dimensions, and the merge in a helper
// right: function
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned take_row(unsigned (&row)[64], unsigned begin)
{
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned k = 0; k < 64; k++) {
        unsigned &count = row[(begin + k) & 63];
        sum += count;
        count = 0;
    }
    return sum;
}

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64][64];
    auto block = cg::this_thread_block();
    unsigned t = block.thread_rank();
    for (int value = 0; value < 64; value++) counts[value][t] = 0;

    for (int first = 0; first < n; first += 256) {
        int end = min(n, first + 256);
        for (int i = first + t; i < end; i += block.size()) counts[in[i]][t]++;
        block.sync();
        hist[t] += take_row(counts[t], t);
        block.sync();
    }
}
