// Scans over the threads of a group, in the order of their ranks.
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"
#include "operators.h"

namespace cooperative_groups {
template <class Group, class T, class Op> WB_DEVICE T inclusive_scan(const Group &group, T value, Op op) {
    const unsigned rank = group.thread_rank(), size = group.size();
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        if (distance < size) {
            const T other = group.shfl_up(value, distance);
            if (rank >= distance) value = op(other, value);
        }
    }
    return value;
}
template <class Group, class T> WB_DEVICE T inclusive_scan(const Group &group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op> WB_DEVICE T exclusive_scan(const Group &group, T value, Op op) {
    const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T> WB_DEVICE T exclusive_scan(const Group &group, T value) {
    return exclusive_scan(group, value, plus<T>());
}
} // namespace cooperative_groups
