// Reductions over the threads of a group.
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"
#include "operators.h"

namespace cooperative_groups {
namespace wb {
// What redux.sync knows: sums, minima, maxima and bits of 32-bit integers.
template <class Op, class T> struct hardware {
    static constexpr bool known = false;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WB_HARDWARE(op, type, function)                                                            \
    template <> struct hardware<op<type>, type> {                                                  \
        static constexpr bool known = true;                                                        \
        static WB_MEMBER type of(unsigned mask, type x) { return (type)function(mask, x); }        \
    };
WB_HARDWARE(plus, int, __reduce_add_sync)
WB_HARDWARE(plus, unsigned, __reduce_add_sync)
WB_HARDWARE(less, int, __reduce_min_sync)
WB_HARDWARE(less, unsigned, __reduce_min_sync)
WB_HARDWARE(greater, int, __reduce_max_sync)
WB_HARDWARE(greater, unsigned, __reduce_max_sync)
WB_HARDWARE(bit_and, int, __reduce_and_sync)
WB_HARDWARE(bit_and, unsigned, __reduce_and_sync)
WB_HARDWARE(bit_or, int, __reduce_or_sync)
WB_HARDWARE(bit_or, unsigned, __reduce_or_sync)
WB_HARDWARE(bit_xor, int, __reduce_xor_sync)
WB_HARDWARE(bit_xor, unsigned, __reduce_xor_sync)
#undef WB_HARDWARE
#endif
} // namespace wb

template <unsigned SIZE, class Parent, class T, class Op>
WB_DEVICE T reduce(const thread_block_tile<SIZE, Parent> &tile, T value, Op op) {
    if constexpr (wb::hardware<Op, T>::known) {
        return wb::hardware<Op, T>::of(tile.wb_mask(), value);
    } else {
#pragma unroll
        for (unsigned distance = SIZE / 2; distance > 0; distance /= 2) {
            value = op(value, tile.shfl_xor(value, distance));
        }
        return value;
    }
}

template <class T, class Op> WB_DEVICE T reduce(const coalesced_group &group, T value, Op op) {
    if constexpr (wb::hardware<Op, T>::known) {
        return wb::hardware<Op, T>::of(group.wb_mask(), value);
    } else {
        const unsigned size = group.size(), rank = group.thread_rank();
        for (unsigned distance = 1; distance < size; distance *= 2) {
            const T other = group.shfl_down(value, distance);
            if (rank % (2 * distance) == 0 && rank + distance < size) value = op(value, other);
        }
        return group.shfl(value, 0);
    }
}
} // namespace cooperative_groups
