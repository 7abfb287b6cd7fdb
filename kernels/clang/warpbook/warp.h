// What the lanes of a warp do together: votes, shuffles, matches, reductions.
#pragma once
#pragma clang system_header
#include "vector_types.h"

WB_DEVICE unsigned __activemask() { return __nvvm_activemask(); }
WB_DEVICE void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
WB_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
WB_DEVICE int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
WB_DEVICE int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
WB_DEVICE int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }

// The instruction takes the mask of lanes that stay within a segment of `width` lanes, and a bound.
#define WB_SHUFFLE(name, instruction, amount, bound)                                               \
    WB_DEVICE int name(unsigned mask, int x, amount lane, int width = 32) {                        \
        return __nvvm_shfl_sync_##instruction##_i32(mask, x, lane, ((32 - width) << 8) | bound);   \
    }                                                                                              \
    WB_DEVICE float name(unsigned mask, float x, amount lane, int width = 32) {                    \
        return __nvvm_shfl_sync_##instruction##_f32(mask, x, lane, ((32 - width) << 8) | bound);   \
    }                                                                                              \
    WB_DEVICE unsigned name(unsigned mask, unsigned x, amount lane, int width = 32) {              \
        return (unsigned)name(mask, (int)x, lane, width);                                          \
    }                                                                                              \
    WB_DEVICE unsigned long long name(unsigned mask, unsigned long long x, amount lane,            \
                                      int width = 32) {                                            \
        const unsigned low = name(mask, (unsigned)x, lane, width);                                 \
        const unsigned high = name(mask, (unsigned)(x >> 32), lane, width);                        \
        return (unsigned long long)high << 32 | low;                                               \
    }                                                                                              \
    WB_DEVICE long long name(unsigned mask, long long x, amount lane, int width = 32) {            \
        return (long long)name(mask, (unsigned long long)x, lane, width);                          \
    }                                                                                              \
    WB_DEVICE long name(unsigned mask, long x, amount lane, int width = 32) {                      \
        return sizeof(long) == 8 ? (long)name(mask, (long long)x, lane, width)                     \
                                 : (long)name(mask, (int)x, lane, width);                          \
    }                                                                                              \
    WB_DEVICE unsigned long name(unsigned mask, unsigned long x, amount lane, int width = 32) {    \
        return (unsigned long)name(mask, (long)x, lane, width);                                    \
    }                                                                                              \
    WB_DEVICE double name(unsigned mask, double x, amount lane, int width = 32) {                  \
        const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);                 \
        return __builtin_bit_cast(double, name(mask, bits, lane, width));                          \
    }
WB_SHUFFLE(__shfl_sync, idx, int, 31)
WB_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
WB_SHUFFLE(__shfl_down_sync, down, unsigned, 31)
WB_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef WB_SHUFFLE

#define WB_MATCH(type, bits, word)                                                                 \
    WB_DEVICE unsigned __match_any_sync(unsigned mask, type x) {                                   \
        return __nvvm_match_any_sync_##bits(mask, __builtin_bit_cast(word, x));                    \
    }                                                                                              \
    WB_DEVICE unsigned __match_all_sync(unsigned mask, type x, int *all) {                         \
        return __nvvm_match_all_sync_##bits##p(mask, __builtin_bit_cast(word, x), all);            \
    }
WB_MATCH(int, i32, int)
WB_MATCH(unsigned, i32, int)
WB_MATCH(float, i32, int)
WB_MATCH(long long, i64, long long)
WB_MATCH(unsigned long long, i64, long long)
WB_MATCH(double, i64, long long)
#undef WB_MATCH
WB_DEVICE unsigned __match_any_sync(unsigned mask, long x) { return __match_any_sync(mask, (long long)x); }
WB_DEVICE unsigned __match_any_sync(unsigned mask, unsigned long x) {
    return __match_any_sync(mask, (unsigned long long)x);
}
WB_DEVICE unsigned __match_all_sync(unsigned mask, long x, int *all) {
    return __match_all_sync(mask, (long long)x, all);
}
WB_DEVICE unsigned __match_all_sync(unsigned mask, unsigned long x, int *all) {
    return __match_all_sync(mask, (unsigned long long)x, all);
}

// Compute capability 8.0 brought these.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
WB_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned x) { return __nvvm_redux_sync_add((int)x, mask); }
WB_DEVICE int __reduce_add_sync(unsigned mask, int x) { return __nvvm_redux_sync_add(x, mask); }
WB_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned x) { return __nvvm_redux_sync_umin(x, mask); }
WB_DEVICE int __reduce_min_sync(unsigned mask, int x) { return __nvvm_redux_sync_min(x, mask); }
WB_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned x) { return __nvvm_redux_sync_umax(x, mask); }
WB_DEVICE int __reduce_max_sync(unsigned mask, int x) { return __nvvm_redux_sync_max(x, mask); }
WB_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned x) { return __nvvm_redux_sync_and((int)x, mask); }
WB_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned x) { return __nvvm_redux_sync_or((int)x, mask); }
WB_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned x) { return __nvvm_redux_sync_xor((int)x, mask); }
#endif
