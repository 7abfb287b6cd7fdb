// right: a tile of 32 threads votes, and the first tile counts six bits
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int first_of_warp[8];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int lane = tile.thread_rank();
    int warp = tile.meta_group_rank();
    int i = blockIdx.x * block.size() + block.thread_rank();
    int x = i < n ? in[i] : 0;
    unsigned before = (1u << lane) - 1;
    unsigned votes = tile.ballot(x > 0);

    if (lane == 0) first_of_warp[warp] = __popc(votes);
    block.sync();
    if (warp == 0) {
        int total = lane < 8 ? first_of_warp[lane] : 0;
        int first = 0;
        for (int bit = 5; bit >= 0; bit--) {
            first = 2 * first + __popc(tile.ballot(total >> bit & 1) & before);
        }
        if (lane < 8) first_of_warp[lane] = first;
        if (lane == 7) counts[blockIdx.x] = first + total;
    }
    block.sync();
    if (x > 0) out[blockIdx.x * 256 + first_of_warp[warp] + __popc(votes & before)] = x;
}
