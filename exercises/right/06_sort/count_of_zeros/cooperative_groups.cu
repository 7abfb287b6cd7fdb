// right: cooperative groups instead of intrinsics, and the keys stay in registers
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int zeros_before[64], of_warp[2];
    __shared__ bool last_is_zero;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = block.thread_rank();
    unsigned key = 0;
    if (t < n) key = in[t];
    bool zero = t < n && (key >> bit) % 2 == 0;

    unsigned votes = warp.ballot(zero);
    if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = __popc(votes);
    block.sync();
    unsigned below = (1u << warp.thread_rank()) - 1;
    zeros_before[t] =
        __popc(votes & below) + (warp.meta_group_rank() == 0 ? 0 : of_warp[0]);
    if (t == n - 1) last_is_zero = zero;
    block.sync();

    int zeros = zeros_before[n - 1] + (last_is_zero ? 1 : 0);
    if (t < n) {
        int before = zeros_before[t];
        out[zero ? before : zeros + t - before] = key;
    }
}
