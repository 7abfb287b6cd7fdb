// right: cooperative groups divide the warp into the present lanes, and these into
// right: groups of one key
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto present = cg::binary_partition(warp, i < n);
    if (i >= n) return;
    int key = keys[i];
    auto peers = cg::labeled_partition(present, key);
    int sum = cg::reduce(peers, values[i], cg::plus<int>());
    if (peers.thread_rank() == 0) atomicAdd(&sums[key], sum);
}
