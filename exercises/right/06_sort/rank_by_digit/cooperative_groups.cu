// right: a tile of cooperative groups votes, from the largest digit down, with a helper
// right: function
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int Bits, typename Warp>
__device__ unsigned place_of(const Warp &warp, unsigned digit)
{
    unsigned below = (1u << warp.thread_rank()) - 1, place = 0;
    for (int d = (1 << Bits) - 1; d >= 0; d--) {
        unsigned votes = warp.ballot(digit == d);
        if (d == digit) votes &= below;
        if (d <= digit) place += __popc(votes);
    }
    return place;
}

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int number = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (number >= warps) return;
    unsigned key = in[32 * number + warp.thread_rank()];
    out[32 * number + place_of<2>(warp, key >> shift & 3)] = key;
}
