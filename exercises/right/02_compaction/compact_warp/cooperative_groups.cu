// right: a tile of 32 threads votes
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = tile.thread_rank();
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = tile.ballot(keep);
    int place = __popc(votes & ((1u << lane) - 1));

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = __popc(votes);
}
