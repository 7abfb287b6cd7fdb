// right: the exclusive scan of a tile of 32 threads from the library of cooperative
// right: groups
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * 64 + threadIdx.x;
    int sum = cg::exclusive_scan(tile, i < n ? in[i] : 0);
    if (i < n) out[i] = sum;
}
