// Half precision: 5 bits of exponent, 10 of fraction. Numbers, pairs of them, conversions, arithmetic, comparisons, functions.
#pragma once
#pragma clang system_header
#include "cuda_runtime.h"
#include "warpbook/small_floats.h"

struct __half;
struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __half() = default;
    WB_MEMBER_BOTH constexpr __half(__half_raw raw) : __x(raw.x) {}
    WB_MEMBER_BOTH operator __half_raw() const { return {__x}; }
    WB_MEMBER __half(float f);
    WB_MEMBER __half(double f);
    WB_MEMBER __half(int i);
    WB_MEMBER __half(unsigned i);
    WB_MEMBER __half(long long i);
    WB_MEMBER __half(unsigned long long i);
    WB_MEMBER __half(short i) : __half((int)i) {}
    WB_MEMBER __half(unsigned short i) : __half((int)i) {}
    WB_MEMBER operator float() const;
    WB_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }
    WB_MEMBER explicit operator int() const { return __nvvm_f2i_rz((float)*this); }
    WB_MEMBER explicit operator unsigned() const { return __nvvm_f2ui_rz((float)*this); }
    WB_MEMBER __half &operator=(float f) { return *this = __half(f); }
    WB_MEMBER __half &operator=(double f) { return *this = __half(f); }
    WB_MEMBER __half &operator=(int i) { return *this = __half(i); }
    WB_MEMBER __half &operator=(unsigned i) { return *this = __half(i); }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    WB_MEMBER __half2(__half x, __half y) : x(x), y(y) {}
};
using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

// The bits, for instructions.
WB_DEVICE unsigned short wb_bits(__half a) { return a.__x; }
WB_DEVICE unsigned wb_bits(__half2 a) { return __builtin_bit_cast(unsigned, a); }
WB_DEVICE __half wb_f16(unsigned short bits) { return __builtin_bit_cast(__half, bits); }
WB_DEVICE __half2 wb_f16x2(unsigned bits) { return __builtin_bit_cast(__half2, bits); }
WB_DEVICE unsigned short __half_as_ushort(__half a) { return a.__x; }
WB_DEVICE short __half_as_short(__half a) { return (short)a.__x; }
WB_DEVICE __half __ushort_as_half(unsigned short bits) { return wb_f16(bits); }
WB_DEVICE __half __short_as_half(short bits) { return wb_f16((unsigned short)bits); }

// Conversions.
WB_DEVICE float __half2float(__half a) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __float2half_rn(float f) {
    unsigned short r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return wb_f16(r);
}
WB_DEVICE __half __float2half_rz(float f) {
    unsigned short r;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return wb_f16(r);
}
WB_DEVICE __half __float2half_ru(float f) {
    unsigned short r;
    asm("cvt.rp.f16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return wb_f16(r);
}
WB_DEVICE __half __float2half_rd(float f) {
    unsigned short r;
    asm("cvt.rm.f16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return wb_f16(r);
}
WB_DEVICE __half __float2half(float f) { return __float2half_rn(f); }
WB_DEVICE __half __double2half(double f) {
    unsigned short r;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(f));
    return wb_f16(r);
}

// From and to whole numbers, with all roundings.
#define WB_HALF_CONVERSION(name, type, ptx, c, suffix, from, to)                                   \
    WB_DEVICE type __half2##name##suffix(__half a) {                                               \
        type r;                                                                                    \
        asm("cvt." from "." ptx ".f16 %0, %1;" : "=" c(r) : "h"(a.__x));                           \
        return r;                                                                                  \
    }                                                                                              \
    WB_DEVICE __half __##name##2half##suffix(type a) {                                             \
        unsigned short r;                                                                          \
        asm("cvt." to ".f16." ptx " %0, %1;" : "=h"(r) : c(a));                                    \
        return wb_f16(r);                                                                          \
    }
#define WB_HALF_CONVERSIONS(name, type, ptx, c)                                                    \
    WB_HALF_CONVERSION(name, type, ptx, c, _rn, "rni", "rn")                                       \
    WB_HALF_CONVERSION(name, type, ptx, c, _rz, "rzi", "rz")                                       \
    WB_HALF_CONVERSION(name, type, ptx, c, _ru, "rpi", "rp")                                       \
    WB_HALF_CONVERSION(name, type, ptx, c, _rd, "rmi", "rm")
WB_HALF_CONVERSIONS(int, int, "s32", "r")
WB_HALF_CONVERSIONS(uint, unsigned, "u32", "r")
WB_HALF_CONVERSIONS(short, short, "s16", "h")
WB_HALF_CONVERSIONS(ushort, unsigned short, "u16", "h")
WB_HALF_CONVERSIONS(ll, long long, "s64", "l")
WB_HALF_CONVERSIONS(ull, unsigned long long, "u64", "l")
#undef WB_HALF_CONVERSIONS
#undef WB_HALF_CONVERSION

WB_MEMBER __half::__half(float f) { *this = __float2half(f); }
WB_MEMBER __half::__half(double f) { *this = __double2half(f); }
WB_MEMBER __half::__half(int i) { *this = __int2half_rn(i); }
WB_MEMBER __half::__half(unsigned i) { *this = __uint2half_rn(i); }
WB_MEMBER __half::__half(long long i) { *this = __ll2half_rn(i); }
WB_MEMBER __half::__half(unsigned long long i) { *this = __ull2half_rn(i); }
WB_MEMBER __half::operator float() const { return __half2float(*this); }

// Pairs.
WB_DEVICE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
WB_DEVICE __half2 make_half2(__half x, __half y) { return {x, y}; }
WB_DEVICE __half2 __half2half2(__half a) { return {a, a}; }
WB_DEVICE __half __low2half(__half2 a) { return a.x; }
WB_DEVICE __half __high2half(__half2 a) { return a.y; }
WB_DEVICE __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
WB_DEVICE __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
WB_DEVICE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
WB_DEVICE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
WB_DEVICE __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
WB_DEVICE float __low2float(__half2 a) { return __half2float(a.x); }
WB_DEVICE float __high2float(__half2 a) { return __half2float(a.y); }
WB_DEVICE float2 __half22float2(__half2 a) { return {__low2float(a), __high2float(a)}; }
WB_DEVICE __half2 __floats2half2_rn(float x, float y) { return {__float2half_rn(x), __float2half_rn(y)}; }
WB_DEVICE __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
WB_DEVICE __half2 __float2half2_rn(float a) { return __floats2half2_rn(a, a); }

// Arithmetic: instructions on one number and on pairs.
#define WB_HALF_INSTRUCTIONS(one, two, instruction) WB_SMALL_TWO(one, __half, unsigned short, "h", instruction "f16") WB_SMALL_TWO(two, __half2, unsigned, "r", instruction "f16x2")
WB_HALF_INSTRUCTIONS(__hadd, __hadd2, "add.")
WB_HALF_INSTRUCTIONS(__hadd_rn, __hadd2_rn, "add.rn.")
WB_HALF_INSTRUCTIONS(__hadd_sat, __hadd2_sat, "add.sat.")
WB_HALF_INSTRUCTIONS(__hsub, __hsub2, "sub.")
WB_HALF_INSTRUCTIONS(__hsub_rn, __hsub2_rn, "sub.rn.")
WB_HALF_INSTRUCTIONS(__hsub_sat, __hsub2_sat, "sub.sat.")
WB_HALF_INSTRUCTIONS(__hmul, __hmul2, "mul.")
WB_HALF_INSTRUCTIONS(__hmul_rn, __hmul2_rn, "mul.rn.")
WB_HALF_INSTRUCTIONS(__hmul_sat, __hmul2_sat, "mul.sat.")
WB_HALF_INSTRUCTIONS(__hmin, __hmin2, "min.")
WB_HALF_INSTRUCTIONS(__hmax, __hmax2, "max.")
WB_HALF_INSTRUCTIONS(__hmin_nan, __hmin2_nan, "min.NaN.")
WB_HALF_INSTRUCTIONS(__hmax_nan, __hmax2_nan, "max.NaN.")
#undef WB_HALF_INSTRUCTIONS
WB_SMALL_THREE(__hfma, __half, unsigned short, "h", "fma.rn.f16")
WB_SMALL_THREE(__hfma2, __half2, unsigned, "r", "fma.rn.f16x2")
WB_SMALL_THREE(__hfma_relu, __half, unsigned short, "h", "fma.rn.relu.f16")
WB_SMALL_THREE(__hfma2_relu, __half2, unsigned, "r", "fma.rn.relu.f16x2")
WB_SMALL_THREE(__hfma_sat, __half, unsigned short, "h", "fma.rn.sat.f16")
WB_SMALL_THREE(__hfma2_sat, __half2, unsigned, "r", "fma.rn.sat.f16x2")
WB_SMALL_ONE(__hneg, __half, unsigned short, "h", "neg.f16")
WB_SMALL_ONE(__hneg2, __half2, unsigned, "r", "neg.f16x2")
WB_SMALL_ONE(__habs, __half, unsigned short, "h", "abs.f16")
WB_SMALL_ONE(__habs2, __half2, unsigned, "r", "abs.f16x2")
WB_DEVICE __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
    const __half real = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
    const __half imaginary = __hfma(a.y, b.x, __hfma(a.x, b.y, c.y));
    return {real, imaginary};
}
WB_DEVICE __half __hdiv(__half a, __half b) { return __float2half_rn(__half2float(a) / __half2float(b)); }
WB_DEVICE __half2 __h2div(__half2 a, __half2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }

// What is like bfloat16.
#define WB_NUMBER __half
#define WB_PAIR __half2
#define WB_TO_FLOAT __half2float
#define WB_FROM_FLOAT __float2half_rn
#define WB_OF_BITS wb_f16
#define WB_PAIR_OF_BITS wb_f16x2
#define WB_INFINITY_BITS 0x7c00
#define WB_PTX_TYPE "f16"
#include "warpbook/small_float_functions.h"
