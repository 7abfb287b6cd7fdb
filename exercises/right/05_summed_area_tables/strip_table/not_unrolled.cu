// right: the loop over the rounds is not unrolled, and the places have 64 bits
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int x = warp.thread_rank();
    int above = 0;
    for (size_t y = 0; y < h; y++) {
        int sum = 0;
        if (x < w) sum = image[y * w + x];
#pragma unroll 1
        for (int distance = 1; distance < warp.size(); distance *= 2) {
            const int left = warp.shfl_up(sum, distance);
            if (x >= distance) sum += left;
        }
        above += sum;
        if (x < w) table[y * w + x] = above;
    }
}
