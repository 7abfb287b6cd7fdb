// right: tiles of 32 threads vote, the block waits, and each thread adds the totals of
// right: the tiles before
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[8];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int t = block.thread_rank();
    int i = blockIdx.x * 256 + t;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = tile.ballot(keep);
    if (tile.thread_rank() == 0) totals[tile.meta_group_rank()] = __popc(votes);
    block.sync();
    int place = __popc(votes & ((1u << tile.thread_rank()) - 1));
    for (int w = tile.meta_group_rank() - 1; w >= 0; w--) place += totals[w];

    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 255) counts[blockIdx.x] = place + keep;
}
