// What half precision and bfloat16 have in common: how their instructions are called, and how a wider number is rounded
// twice without harm.
#pragma once
#pragma clang system_header
#include "conversions.h"

#define WB_SMALL_ONE(name, type, word, c, instruction)                                             \
    WB_DEVICE type name(type a) {                                                                  \
        word r;                                                                                    \
        asm(instruction " %0, %1;" : "=" c(r) : c(wb_bits(a)));                                    \
        return __builtin_bit_cast(type, r);                                                        \
    }
#define WB_SMALL_TWO(name, type, word, c, instruction)                                             \
    WB_DEVICE type name(type a, type b) {                                                          \
        word r;                                                                                    \
        asm(instruction " %0, %1, %2;" : "=" c(r) : c(wb_bits(a)), c(wb_bits(b)));                 \
        return __builtin_bit_cast(type, r);                                                        \
    }
#define WB_SMALL_THREE(name, type, word, c, instruction)                                           \
    WB_DEVICE type name(type a, type b, type x) {                                                  \
        word r;                                                                                    \
        asm(instruction " %0, %1, %2, %3;" : "=" c(r) : c(wb_bits(a)), c(wb_bits(b)), c(wb_bits(x))); \
        return __builtin_bit_cast(type, r);                                                        \
    }

// A float whose last bit tells that something was cut off: rounding it again gives what rounding once would have.
WB_DEVICE float wb_to_odd(float cut, bool exact) {
    return exact ? cut : __uint_as_float(__float_as_uint(cut) | 1);
}
WB_DEVICE float wb_round_to_odd(double x) {
    const float cut = __nvvm_d2f_rz(x);
    return wb_to_odd(cut, x != x || (double)cut == x);
}
WB_DEVICE float wb_round_to_odd(int x) {
    const float cut = __nvvm_i2f_rz(x);
    return wb_to_odd(cut, (double)cut == (double)x);
}
WB_DEVICE float wb_round_to_odd(unsigned x) {
    const float cut = __nvvm_ui2f_rz(x);
    return wb_to_odd(cut, (double)cut == (double)x);
}
WB_DEVICE float wb_round_to_odd(short x) { return (float)x; }
WB_DEVICE float wb_round_to_odd(unsigned short x) { return (float)x; }
WB_DEVICE float wb_round_to_odd(long long x) {
    const float cut = __nvvm_ll2f_rz(x);
    return wb_to_odd(cut, __nvvm_f2ll_rz(cut) == x);
}
WB_DEVICE float wb_round_to_odd(unsigned long long x) {
    const float cut = __nvvm_ull2f_rz(x);
    return wb_to_odd(cut, __nvvm_f2ull_rz(cut) == x);
}
