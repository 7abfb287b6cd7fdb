// right: a cooperative group waits, and a two-dimensional array has one row to read and
// right: one to write
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2][256];
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    int i = blockIdx.x * block.size() + t;
    temp[0][t] = i < n ? in[i] : 0;
    int from = 0;

    for (int offset = 1; offset < 256; offset *= 2) {
        block.sync();
        int sum = temp[from][t];
        if (t >= offset) sum += temp[from][t - offset];
        from = 1 - from;
        temp[from][t] = sum;
    }

    if (i < n) out[i] = temp[from][t];
}
