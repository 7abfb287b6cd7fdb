// right: thread and step come from the grid as a cooperative group
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    auto grid = cg::this_grid();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        out[i] = 2.0f * in[i];
}
