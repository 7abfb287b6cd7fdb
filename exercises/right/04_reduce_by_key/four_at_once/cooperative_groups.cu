// right: a loop over the elements of the whole grid, with the numbers of its threads
// right: from cooperative groups
// warpbook: arch=compute_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void add_vectors(float4 *sums, const int *keys,
                                       const float4 *values, int n)
{
    const auto grid = cg::this_grid();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) {
        const int key = __ldg(&keys[i]);
        const float4 value = __ldg(&values[i]);
        atomicAdd(&sums[key], value);
    }
}
