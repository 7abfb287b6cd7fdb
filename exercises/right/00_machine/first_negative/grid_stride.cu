// right: a loop over the warps of the whole grid, with the numbers of its threads from
// right: cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    const auto grid = cg::this_grid();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int lane = warp.thread_rank();
    for (long long first = grid.thread_rank() - lane; first < n; first += grid.size()) {
        const long long i = first + lane;
        const unsigned votes = warp.ballot(i < n && in[i] < 0);
        if (lane == 0) out[first / warp.size()] = __ffs(votes) - 1;
    }
}
