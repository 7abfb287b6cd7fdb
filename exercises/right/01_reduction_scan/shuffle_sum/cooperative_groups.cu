// right: a tile of 32 threads reduces, the block waits, and the first tile reduces the
// right: sums of the tiles
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    __shared__ int of_warp[8];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int i = blockIdx.x * 256 + block.thread_rank();
    int sum = cg::reduce(warp, i < n ? in[i] : 0, cg::plus<int>());
    if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        int part = warp.thread_rank() < warp.meta_group_size()
                       ? of_warp[warp.thread_rank()]
                       : 0;
        sum = cg::reduce(warp, part, cg::plus<int>());
        if (warp.thread_rank() == 0) out[blockIdx.x] = sum;
    }
}
