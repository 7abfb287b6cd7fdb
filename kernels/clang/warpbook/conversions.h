// Conversions between numbers with a rounding, and reinterpretations of bits.
#pragma once
#pragma clang system_header
#include "integers.h"

WB_BOTH int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WB_BOTH unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
WB_BOTH float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WB_BOTH float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WB_BOTH long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WB_BOTH double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WB_BOTH int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
WB_BOTH int __double2loint(double x) { return (int)__double_as_longlong(x); }
WB_BOTH double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

// PTX calls rounding down `rm` and rounding up `rp`.
#define WB_ROUNDINGS(name, to, from, instruction)                                                  \
    WB_DEVICE to name##_rn(from x) { return __nvvm_##instruction##_rn(x); }                        \
    WB_DEVICE to name##_rz(from x) { return __nvvm_##instruction##_rz(x); }                        \
    WB_DEVICE to name##_ru(from x) { return __nvvm_##instruction##_rp(x); }                        \
    WB_DEVICE to name##_rd(from x) { return __nvvm_##instruction##_rm(x); }
WB_ROUNDINGS(__float2int, int, float, f2i)
WB_ROUNDINGS(__float2uint, unsigned, float, f2ui)
WB_ROUNDINGS(__float2ll, long long, float, f2ll)
WB_ROUNDINGS(__float2ull, unsigned long long, float, f2ull)
WB_ROUNDINGS(__int2float, float, int, i2f)
WB_ROUNDINGS(__uint2float, float, unsigned, ui2f)
WB_ROUNDINGS(__ll2float, float, long long, ll2f)
WB_ROUNDINGS(__ull2float, float, unsigned long long, ull2f)
WB_ROUNDINGS(__double2float, float, double, d2f)
WB_ROUNDINGS(__double2int, int, double, d2i)
WB_ROUNDINGS(__double2uint, unsigned, double, d2ui)
WB_ROUNDINGS(__double2ll, long long, double, d2ll)
WB_ROUNDINGS(__double2ull, unsigned long long, double, d2ull)
WB_ROUNDINGS(__ll2double, double, long long, ll2d)
WB_ROUNDINGS(__ull2double, double, unsigned long long, ull2d)
#undef WB_ROUNDINGS
// Every integer of 32 bits is a double.
WB_DEVICE double __int2double_rn(int x) { return x; }
WB_DEVICE double __uint2double_rn(unsigned x) { return x; }
