// right: the vote is that of a tile of 32 threads
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool negative = i < n && in[i] < 0;
    int first = __ffs(tile.ballot(negative)) - 1;
    if (tile.thread_rank() == 0 && i < n) out[i / 32] = first;
}
