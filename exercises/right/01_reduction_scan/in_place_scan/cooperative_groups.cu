// right: the barriers are those of the thread block as a cooperative group, and only
// right: threads that add store
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    block.sync();

    for (int offset = 1; offset < block.size(); offset <<= 1) {
        int sum = 0;
        if (t >= offset) sum = temp[t] + temp[t - offset];
        block.sync();
        if (t >= offset) temp[t] = sum;
        block.sync();
    }

    if (i < n) out[i] = temp[t];
}
