// right: a tile of cooperative groups meets in place of __syncwarp()
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int lane = warp.thread_rank();
    int y = blockIdx.x * 4 + warp.meta_group_rank();
    if (y >= h) return;
    float *own = &rows[warp.meta_group_rank()][16 + lane];

    float sum = image[32 * y + lane];
    if (lane < 16) own[-16] = 0.0f;
    *own = sum;
    warp.sync();
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = own[-distance];
        warp.sync();
        sum += left;
        *own = sum;
        warp.sync();
    }
    table[32 * y + lane] = sum;
}
