// right: 64-bit indices, cooperative groups for the position, and factors of zero or
// right: one at the edges
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    const auto block = cg::this_thread_block();
    const long long x =
        block.group_index().x * block.dim_threads().x + block.thread_index().x;
    const long long y =
        block.group_index().y * block.dim_threads().y + block.thread_index().y;
    if (x >= w || y >= h) return;

    const bool is_left = x - r <= 0, is_top = y - r <= 0;
    const long long before = is_left ? 0 : x - r - 1, right = min(x + r, w - 1ll);
    const long long above = is_top ? 0 : y - r - 1, bottom = min(y + r, h - 1ll);
    const int a = table[bottom * w + right];
    const int b = table[bottom * w + before] * !is_left;
    const int c = table[above * w + right] * !is_top;
    const int d = table[above * w + before] * (!is_left && !is_top);
    sums[y * w + x] = a - b - c + d;
}
