// right: a loop over the warps of the whole grid, with the numbers of its threads from
// right: cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    const auto grid = cg::this_grid();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int lane = warp.thread_rank();
    for (long long first = grid.thread_rank() - lane; first < n; first += grid.size()) {
        int x = 0;
        if (first + lane < n) x = in[first + lane];
        const unsigned votes = warp.ballot(x > 0);
        const unsigned below = votes & ((1u << lane) - 1);
        if (x > 0) out[first + __popc(below)] = x;
        if (lane == 0) counts[first / warp.size()] = __popc(votes);
    }
}
