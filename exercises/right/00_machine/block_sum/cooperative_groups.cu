// right: cooperative groups: the block waits in the first rounds, a tile of 32 threads
// right: in the last ones
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;
    block.sync();
    for (int half = 128; half >= 32; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        block.sync();
    }
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    if (tile.meta_group_rank() == 0) {
        for (int half = tile.size() / 2; half > 0; half /= 2) {
            if (t < half) partial[t] += partial[t + half];
            tile.sync();
        }
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
