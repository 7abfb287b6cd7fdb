// right: a tile of 32 threads shuffles
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i < n ? in[i] : 0;
    int sum = x;
    for (unsigned d = 1; d < tile.size(); d *= 2) {
        int before = tile.shfl_up(sum, d);
        if (tile.thread_rank() >= d) sum += before;
    }
    if (i < n) out[i] = sum - x;
}
