// Integer functions: bits, products, sums of differences, dot products of bytes, minima and maxima.
#pragma once
#pragma clang system_header
#include "vector_types.h"

WB_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
WB_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WB_DEVICE int __clz(int x) { return __builtin_clzg((unsigned)x, 32); }
WB_DEVICE int __clzll(long long x) { return __builtin_clzg((unsigned long long)x, 64); }
WB_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
WB_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
WB_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
WB_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WB_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) { return __nvvm_fns(mask, base, offset); }

WB_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    return __nvvm_prmt(a, b, selector & 0x7777);
}
WB_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return __builtin_elementwise_fshl(high, low, shift);
}
WB_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return __builtin_elementwise_fshr(high, low, shift);
}
WB_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}
WB_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}

WB_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WB_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
WB_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WB_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
WB_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WB_DEVICE unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
WB_DEVICE unsigned __sad(int a, int b, unsigned c) { return __nvvm_sad_i(a, b, c); }
WB_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return __nvvm_sad_ui(a, b, c); }
WB_DEVICE int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
WB_DEVICE int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
WB_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
WB_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }

#define WB_DOT(name, type, ta, tb, operation)                                                      \
    WB_DEVICE type name(ta a, tb b, type c) {                                                      \
        type result;                                                                               \
        asm(operation " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));                 \
        return result;                                                                             \
    }
WB_DOT(__dp4a, int, int, int, "dp4a.s32.s32")
WB_DOT(__dp4a, unsigned, unsigned, unsigned, "dp4a.u32.u32")
WB_DOT(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
WB_DOT(__dp2a_lo, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
WB_DOT(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
WB_DOT(__dp2a_hi, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#undef WB_DOT
WB_DEVICE int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
WB_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
WB_DEVICE int __dp2a_lo(short2 a, char4 b, int c) {
    return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
WB_DEVICE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_lo(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
WB_DEVICE int __dp2a_hi(short2 a, char4 b, int c) {
    return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
WB_DEVICE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_hi(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

#define WB_MIN_MAX(type)                                                                           \
    WB_BOTH type min(type a, type b) { return b < a ? b : a; }                                     \
    WB_BOTH type max(type a, type b) { return a < b ? b : a; }
WB_MIN_MAX(int)
WB_MIN_MAX(unsigned)
WB_MIN_MAX(long)
WB_MIN_MAX(unsigned long)
WB_MIN_MAX(long long)
WB_MIN_MAX(unsigned long long)
#undef WB_MIN_MAX
// A signed and an unsigned operand are compared as C++ compares them.
#define WB_MIXED(s, u)                                                                             \
    WB_BOTH u min(s a, u b) { return min((u)a, b); }                                               \
    WB_BOTH u min(u a, s b) { return min(a, (u)b); }                                               \
    WB_BOTH u max(s a, u b) { return max((u)a, b); }                                               \
    WB_BOTH u max(u a, s b) { return max(a, (u)b); }
WB_MIXED(int, unsigned)
WB_MIXED(long, unsigned long)
WB_MIXED(long long, unsigned long long)
#undef WB_MIXED
WB_BOTH unsigned umin(unsigned a, unsigned b) { return min(a, b); }
WB_BOTH unsigned umax(unsigned a, unsigned b) { return max(a, b); }
WB_BOTH long long llmin(long long a, long long b) { return min(a, b); }
WB_BOTH long long llmax(long long a, long long b) { return max(a, b); }
WB_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
WB_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

WB_BOTH int abs(int x) { return __builtin_elementwise_abs(x); }
WB_BOTH long abs(long x) { return __builtin_elementwise_abs(x); }
WB_BOTH long long abs(long long x) { return __builtin_elementwise_abs(x); }
WB_BOTH long labs(long x) { return __builtin_elementwise_abs(x); }
WB_BOTH long long llabs(long long x) { return __builtin_elementwise_abs(x); }
