// right: the scan of cooperative groups
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int x = warp.thread_rank();
    int above = 0;
    for (int y = 0; y < h; y++) {
        int pixel = x < w ? image[y * w + x] : 0;
        above += cg::inclusive_scan(warp, pixel);
        if (x < w) table[y * w + x] = above;
    }
}
