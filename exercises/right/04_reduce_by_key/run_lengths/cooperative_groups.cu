// right: cooperative groups instead of intrinsics, and lanes without a beginning return
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int lane = warp.thread_rank();
    int key = lane < n ? in[lane] : 0;
    int left = warp.shfl_up(key, 1);
    bool head = lane < n && (lane == 0 || left != key);
    unsigned heads = warp.ballot(head);
    if (!head) return;
    int run = __popc(heads << (31 - lane)) - 1;
    unsigned later = heads & ~(0xffffffffu >> (31 - lane));
    int end = later ? __ffs(later) - 1 : n;
    keys[run] = key;
    lengths[run] = end - lane;
}
