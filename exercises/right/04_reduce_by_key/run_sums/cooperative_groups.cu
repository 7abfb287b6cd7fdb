// right: cooperative groups instead of intrinsics, and the condition as a distance from
// right: the beginning of the run
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int lane = warp.thread_rank();
    int key = -1, sum = 0;
    if (i < n) {
        key = keys[i];
        sum = values[i];
    }

    int left = warp.shfl_up(key, 1);
    unsigned heads = warp.ballot(lane == 0 || left != key);
    int begin = 31 - __clz(heads & (0xffffffff >> (31 - lane)));
    int before = lane - begin;
#pragma unroll
    for (int distance = 1; distance < warp.size(); distance *= 2) {
        int other = warp.shfl_up(sum, distance);
        if (distance <= before) sum += other;
    }
    bool last = lane == 31 || (heads >> (lane + 1) & 1);
    if (last && i < n) atomicAdd(&sums[key], sum);
}
