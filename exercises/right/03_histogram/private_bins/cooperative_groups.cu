// right: cooperative groups instead of intrinsics
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned bins[64];
    cg::thread_block block = cg::this_thread_block();
    for (unsigned v = block.thread_rank(); v < 64; v += block.size()) bins[v] = 0;
    block.sync();

    int begin = block.group_index().x * 1024;
    int end = min(n, begin + 1024);
    for (int i = begin + block.thread_rank(); i < end; i += block.size())
        atomicAdd(bins + in[i], 1u);
    block.sync();

    for (unsigned v = block.thread_rank(); v < 64; v += block.size())
        atomicAdd(hist + v, bins[v]);
}
