// right: a loop over the warps of the whole grid, with the numbers of its threads from
// right: cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    const auto grid = cg::this_grid();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int lane = warp.thread_rank();
    for (long long first = grid.thread_rank() - lane; first < n; first += grid.size()) {
        const long long i = first + lane;
        const int own = i < n ? in[i] : 0;
        int sum = own;
        for (int distance = 1; distance < warp.size(); distance *= 2) {
            const int left = warp.shfl_up(sum, distance);
            if (lane >= distance) sum += left;
        }
        if (i < n) out[i] = sum - own;
    }
}
