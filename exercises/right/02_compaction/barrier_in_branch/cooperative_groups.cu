// right: a tile of 32 threads votes, the thread block waits, both as cooperative groups
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[2];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int lane = tile.thread_rank();
    int warp = tile.meta_group_rank();
    int i = blockIdx.x * 64 + block.thread_rank();

    int x = i < n ? in[i] : 0;
    unsigned votes = tile.ballot(x > 0);
    if (lane == 0) totals[warp] = __popc(votes);
    block.sync();
    int place = __popc(votes & ((1u << lane) - 1));
    if (warp == 1) place += totals[0];
    if (x > 0) out[blockIdx.x * 64 + place] = x;
    if (block.thread_rank() == 0) counts[blockIdx.x] = totals[0] + totals[1];
}
