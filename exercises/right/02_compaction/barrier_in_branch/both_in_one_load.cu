// right: both totals come in one load of 8 bytes, and a tile of cooperative groups
// right: votes
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ __align__(8) int totals[2];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int i = block.group_index().x * 64 + block.thread_rank();
    const int x = i < n ? __ldg(in + i) : 0;
    const unsigned votes = warp.ballot(x > 0);
    if (warp.thread_rank() == 0) totals[warp.meta_group_rank()] = __popc(votes);
    block.sync();
    const int2 both = *reinterpret_cast<const int2 *>(totals);
    const int before = warp.meta_group_rank() ? both.x : 0;
    if (x > 0)
        out[block.group_index().x * 64 + before +
            __popc(votes & ((1u << warp.thread_rank()) - 1))] = x;
    if (block.thread_rank() == 0) counts[block.group_index().x] = both.x + both.y;
}
