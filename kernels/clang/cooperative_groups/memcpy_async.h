// Copies from global to shared memory by all threads of a group.
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class Group> WB_DEVICE void memcpy_async(const Group &group, void *shared, const void *global, size_t bytes) {
    const size_t together = (size_t)shared | (size_t)global | bytes;
    const unsigned rank = group.thread_rank(), size = group.size();
    if (together % 16 == 0) {
        for (size_t at = 16 * rank; at < bytes; at += 16 * size) wb_copy_async((char *)shared + at, (const char *)global + at, 16, 0);
    } else if (together % 4 == 0) {
        for (size_t at = 4 * rank; at < bytes; at += 4 * size) wb_copy_async((char *)shared + at, (const char *)global + at, 4, 0);
    } else {
        for (size_t at = rank; at < bytes; at += size) ((char *)shared)[at] = ((const char *)global)[at];
    }
}
template <class Group, class T>
WB_DEVICE void memcpy_async(const Group &group, T *shared, size_t, const T *global, size_t count) {
    memcpy_async(group, (void *)shared, (const void *)global, count * sizeof(T));
}
template <class Group> WB_DEVICE void wait(const Group &group) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    group.sync();
}
} // namespace cooperative_groups
