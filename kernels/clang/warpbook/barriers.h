// Barriers of a block, fences, clocks, and what ends a kernel.
#pragma once
#pragma clang system_header
#include "vector_types.h"

// __syncthreads() is clang's own.
WB_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
WB_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
WB_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }

WB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

WB_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
WB_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WB_DEVICE unsigned long long globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }
WB_DEVICE void __nanosleep(unsigned nanoseconds) { __nvvm_nanosleep(nanoseconds); }
WB_DEVICE unsigned __smid() { return __nvvm_read_ptx_sreg_smid(); }

WB_DEVICE void __trap() { asm volatile("trap;"); }
WB_DEVICE void __brkpt() { asm volatile("brkpt;"); }
WB_DEVICE void __exit() { __nvvm_exit(); }
WB_DEVICE void __prof_trigger(int) {}

extern "C" {
__device__ int printf(const char *format, ...);
__device__ __attribute__((noreturn)) void __assertfail(const char *condition, const char *file, unsigned line,
                                                       const char *function, __SIZE_TYPE__ size);
}
WB_DEVICE void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    __assertfail(condition, file, line, function, 1);
}
