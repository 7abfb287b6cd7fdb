// Asynchronous copies of one thread, in groups that end in their order.
#pragma once
#pragma clang system_header
#include "cuda_runtime.h"
WB_DEVICE void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zeros = 0) {
    wb_copy_async(shared, global, bytes, zeros);
}
WB_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most `n` groups, the last ones, are on their way. The instruction wants a constant.
#define __pipeline_wait_prior(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
