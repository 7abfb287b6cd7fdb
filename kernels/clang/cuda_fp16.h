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

WB_DEVICE int __half2int_rn(__half a) {
    int r;
    asm("cvt.rni.s32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __int2half_rn(int a) {
    unsigned short r;
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE int __half2int_rz(__half a) {
    int r;
    asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __int2half_rz(int a) {
    unsigned short r;
    asm("cvt.rz.f16.s32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE int __half2int_ru(__half a) {
    int r;
    asm("cvt.rpi.s32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __int2half_ru(int a) {
    unsigned short r;
    asm("cvt.rp.f16.s32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE int __half2int_rd(__half a) {
    int r;
    asm("cvt.rmi.s32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __int2half_rd(int a) {
    unsigned short r;
    asm("cvt.rm.f16.s32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned __half2uint_rn(__half a) {
    unsigned r;
    asm("cvt.rni.u32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __uint2half_rn(unsigned a) {
    unsigned short r;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned __half2uint_rz(__half a) {
    unsigned r;
    asm("cvt.rzi.u32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __uint2half_rz(unsigned a) {
    unsigned short r;
    asm("cvt.rz.f16.u32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned __half2uint_ru(__half a) {
    unsigned r;
    asm("cvt.rpi.u32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __uint2half_ru(unsigned a) {
    unsigned short r;
    asm("cvt.rp.f16.u32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned __half2uint_rd(__half a) {
    unsigned r;
    asm("cvt.rmi.u32.f16 %0, %1;" : "=r"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __uint2half_rd(unsigned a) {
    unsigned short r;
    asm("cvt.rm.f16.u32 %0, %1;" : "=h"(r) : "r"(a));
    return wb_f16(r);
}
WB_DEVICE short __half2short_rn(__half a) {
    short r;
    asm("cvt.rni.s16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __short2half_rn(short a) {
    unsigned short r;
    asm("cvt.rn.f16.s16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE short __half2short_rz(__half a) {
    short r;
    asm("cvt.rzi.s16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __short2half_rz(short a) {
    unsigned short r;
    asm("cvt.rz.f16.s16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE short __half2short_ru(__half a) {
    short r;
    asm("cvt.rpi.s16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __short2half_ru(short a) {
    unsigned short r;
    asm("cvt.rp.f16.s16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE short __half2short_rd(__half a) {
    short r;
    asm("cvt.rmi.s16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __short2half_rd(short a) {
    unsigned short r;
    asm("cvt.rm.f16.s16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned short __half2ushort_rn(__half a) {
    unsigned short r;
    asm("cvt.rni.u16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ushort2half_rn(unsigned short a) {
    unsigned short r;
    asm("cvt.rn.f16.u16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned short __half2ushort_rz(__half a) {
    unsigned short r;
    asm("cvt.rzi.u16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ushort2half_rz(unsigned short a) {
    unsigned short r;
    asm("cvt.rz.f16.u16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned short __half2ushort_ru(__half a) {
    unsigned short r;
    asm("cvt.rpi.u16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ushort2half_ru(unsigned short a) {
    unsigned short r;
    asm("cvt.rp.f16.u16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned short __half2ushort_rd(__half a) {
    unsigned short r;
    asm("cvt.rmi.u16.f16 %0, %1;" : "=h"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ushort2half_rd(unsigned short a) {
    unsigned short r;
    asm("cvt.rm.f16.u16 %0, %1;" : "=h"(r) : "h"(a));
    return wb_f16(r);
}
WB_DEVICE long long __half2ll_rn(__half a) {
    long long r;
    asm("cvt.rni.s64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ll2half_rn(long long a) {
    unsigned short r;
    asm("cvt.rn.f16.s64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE long long __half2ll_rz(__half a) {
    long long r;
    asm("cvt.rzi.s64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ll2half_rz(long long a) {
    unsigned short r;
    asm("cvt.rz.f16.s64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE long long __half2ll_ru(__half a) {
    long long r;
    asm("cvt.rpi.s64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ll2half_ru(long long a) {
    unsigned short r;
    asm("cvt.rp.f16.s64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE long long __half2ll_rd(__half a) {
    long long r;
    asm("cvt.rmi.s64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ll2half_rd(long long a) {
    unsigned short r;
    asm("cvt.rm.f16.s64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned long long __half2ull_rn(__half a) {
    unsigned long long r;
    asm("cvt.rni.u64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ull2half_rn(unsigned long long a) {
    unsigned short r;
    asm("cvt.rn.f16.u64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned long long __half2ull_rz(__half a) {
    unsigned long long r;
    asm("cvt.rzi.u64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ull2half_rz(unsigned long long a) {
    unsigned short r;
    asm("cvt.rz.f16.u64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned long long __half2ull_ru(__half a) {
    unsigned long long r;
    asm("cvt.rpi.u64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ull2half_ru(unsigned long long a) {
    unsigned short r;
    asm("cvt.rp.f16.u64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}
WB_DEVICE unsigned long long __half2ull_rd(__half a) {
    unsigned long long r;
    asm("cvt.rmi.u64.f16 %0, %1;" : "=l"(r) : "h"(a.__x));
    return r;
}
WB_DEVICE __half __ull2half_rd(unsigned long long a) {
    unsigned short r;
    asm("cvt.rm.f16.u64 %0, %1;" : "=h"(r) : "l"(a));
    return wb_f16(r);
}

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

// Comparisons: plain ones are false where something is no number, those ending in `u` are true.
WB_DEVICE bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
WB_DEVICE int __hisinf(__half a) { return (a.__x & 0x7fff) == 0x7c00 ? (a.__x >> 15 ? -1 : 1) : 0; }
WB_DEVICE __half2 __hisnan2(__half2 a) { return {__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f)}; }
WB_DEVICE bool __heq(__half a, __half b) { return __half2float(a) == __half2float(b); }
WB_DEVICE __half2 __heq2(__half2 a, __half2 b) { return {__half(__heq(a.x, b.x) ? 1.0f : 0.0f), __half(__heq(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __heq2_mask(__half2 a, __half2 b) { return (__heq(a.x, b.x) ? 0xffffu : 0) | (__heq(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
WB_DEVICE bool __hequ(__half a, __half b) { return !(__half2float(a) < __half2float(b) || __half2float(a) > __half2float(b)); }
WB_DEVICE __half2 __hequ2(__half2 a, __half2 b) { return {__half(__hequ(a.x, b.x) ? 1.0f : 0.0f), __half(__hequ(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hequ2_mask(__half2 a, __half2 b) { return (__hequ(a.x, b.x) ? 0xffffu : 0) | (__hequ(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbequ2(__half2 a, __half2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
WB_DEVICE bool __hne(__half a, __half b) { return __half2float(a) < __half2float(b) || __half2float(a) > __half2float(b); }
WB_DEVICE __half2 __hne2(__half2 a, __half2 b) { return {__half(__hne(a.x, b.x) ? 1.0f : 0.0f), __half(__hne(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hne2_mask(__half2 a, __half2 b) { return (__hne(a.x, b.x) ? 0xffffu : 0) | (__hne(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
WB_DEVICE bool __hneu(__half a, __half b) { return !(__half2float(a) == __half2float(b)); }
WB_DEVICE __half2 __hneu2(__half2 a, __half2 b) { return {__half(__hneu(a.x, b.x) ? 1.0f : 0.0f), __half(__hneu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hneu2_mask(__half2 a, __half2 b) { return (__hneu(a.x, b.x) ? 0xffffu : 0) | (__hneu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
WB_DEVICE bool __hlt(__half a, __half b) { return __half2float(a) < __half2float(b); }
WB_DEVICE __half2 __hlt2(__half2 a, __half2 b) { return {__half(__hlt(a.x, b.x) ? 1.0f : 0.0f), __half(__hlt(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hlt2_mask(__half2 a, __half2 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0) | (__hlt(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
WB_DEVICE bool __hltu(__half a, __half b) { return !(__half2float(a) >= __half2float(b)); }
WB_DEVICE __half2 __hltu2(__half2 a, __half2 b) { return {__half(__hltu(a.x, b.x) ? 1.0f : 0.0f), __half(__hltu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hltu2_mask(__half2 a, __half2 b) { return (__hltu(a.x, b.x) ? 0xffffu : 0) | (__hltu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbltu2(__half2 a, __half2 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
WB_DEVICE bool __hle(__half a, __half b) { return __half2float(a) <= __half2float(b); }
WB_DEVICE __half2 __hle2(__half2 a, __half2 b) { return {__half(__hle(a.x, b.x) ? 1.0f : 0.0f), __half(__hle(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hle2_mask(__half2 a, __half2 b) { return (__hle(a.x, b.x) ? 0xffffu : 0) | (__hle(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
WB_DEVICE bool __hleu(__half a, __half b) { return !(__half2float(a) > __half2float(b)); }
WB_DEVICE __half2 __hleu2(__half2 a, __half2 b) { return {__half(__hleu(a.x, b.x) ? 1.0f : 0.0f), __half(__hleu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hleu2_mask(__half2 a, __half2 b) { return (__hleu(a.x, b.x) ? 0xffffu : 0) | (__hleu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbleu2(__half2 a, __half2 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
WB_DEVICE bool __hgt(__half a, __half b) { return __half2float(a) > __half2float(b); }
WB_DEVICE __half2 __hgt2(__half2 a, __half2 b) { return {__half(__hgt(a.x, b.x) ? 1.0f : 0.0f), __half(__hgt(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hgt2_mask(__half2 a, __half2 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0) | (__hgt(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
WB_DEVICE bool __hgtu(__half a, __half b) { return !(__half2float(a) <= __half2float(b)); }
WB_DEVICE __half2 __hgtu2(__half2 a, __half2 b) { return {__half(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgtu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hgtu2_mask(__half2 a, __half2 b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbgtu2(__half2 a, __half2 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
WB_DEVICE bool __hge(__half a, __half b) { return __half2float(a) >= __half2float(b); }
WB_DEVICE __half2 __hge2(__half2 a, __half2 b) { return {__half(__hge(a.x, b.x) ? 1.0f : 0.0f), __half(__hge(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hge2_mask(__half2 a, __half2 b) { return (__hge(a.x, b.x) ? 0xffffu : 0) | (__hge(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
WB_DEVICE bool __hgeu(__half a, __half b) { return !(__half2float(a) < __half2float(b)); }
WB_DEVICE __half2 __hgeu2(__half2 a, __half2 b) { return {__half(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgeu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hgeu2_mask(__half2 a, __half2 b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbgeu2(__half2 a, __half2 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }

// Functions, through those of floats.
WB_DEVICE __half hceil(__half a) { return __float2half_rn(ceilf(__half2float(a))); }
WB_DEVICE __half2 h2ceil(__half2 a) { return {hceil(a.x), hceil(a.y)}; }
WB_DEVICE __half hfloor(__half a) { return __float2half_rn(floorf(__half2float(a))); }
WB_DEVICE __half2 h2floor(__half2 a) { return {hfloor(a.x), hfloor(a.y)}; }
WB_DEVICE __half hrint(__half a) { return __float2half_rn(rintf(__half2float(a))); }
WB_DEVICE __half2 h2rint(__half2 a) { return {hrint(a.x), hrint(a.y)}; }
WB_DEVICE __half htrunc(__half a) { return __float2half_rn(truncf(__half2float(a))); }
WB_DEVICE __half2 h2trunc(__half2 a) { return {htrunc(a.x), htrunc(a.y)}; }
WB_DEVICE __half hsin(__half a) { return __float2half_rn(sinf(__half2float(a))); }
WB_DEVICE __half2 h2sin(__half2 a) { return {hsin(a.x), hsin(a.y)}; }
WB_DEVICE __half hcos(__half a) { return __float2half_rn(cosf(__half2float(a))); }
WB_DEVICE __half2 h2cos(__half2 a) { return {hcos(a.x), hcos(a.y)}; }
WB_DEVICE __half hexp(__half a) { return __float2half_rn(expf(__half2float(a))); }
WB_DEVICE __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
WB_DEVICE __half hexp2(__half a) { return __float2half_rn(exp2f(__half2float(a))); }
WB_DEVICE __half2 h2exp2(__half2 a) { return {hexp2(a.x), hexp2(a.y)}; }
WB_DEVICE __half hexp10(__half a) { return __float2half_rn(exp10f(__half2float(a))); }
WB_DEVICE __half2 h2exp10(__half2 a) { return {hexp10(a.x), hexp10(a.y)}; }
WB_DEVICE __half hlog(__half a) { return __float2half_rn(logf(__half2float(a))); }
WB_DEVICE __half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
WB_DEVICE __half hlog2(__half a) { return __float2half_rn(log2f(__half2float(a))); }
WB_DEVICE __half2 h2log2(__half2 a) { return {hlog2(a.x), hlog2(a.y)}; }
WB_DEVICE __half hlog10(__half a) { return __float2half_rn(log10f(__half2float(a))); }
WB_DEVICE __half2 h2log10(__half2 a) { return {hlog10(a.x), hlog10(a.y)}; }
WB_DEVICE __half hsqrt(__half a) { return __float2half_rn(sqrtf(__half2float(a))); }
WB_DEVICE __half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
WB_DEVICE __half hrsqrt(__half a) { return __float2half_rn(rsqrtf(__half2float(a))); }
WB_DEVICE __half2 h2rsqrt(__half2 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
WB_DEVICE __half htanh(__half a) { return __float2half_rn(tanhf(__half2float(a))); }
WB_DEVICE __half2 h2tanh(__half2 a) { return {htanh(a.x), htanh(a.y)}; }
WB_DEVICE __half hrcp(__half a) { return __float2half_rn(1.0f / __half2float(a)); }
WB_DEVICE __half2 h2rcp(__half2 a) { return {hrcp(a.x), hrcp(a.y)}; }
WB_SMALL_ONE(htanh_approx, __half, unsigned short, "h", "tanh.approx.f16")
WB_SMALL_ONE(h2tanh_approx, __half2, unsigned, "r", "tanh.approx.f16x2")

// Operators.
WB_DEVICE __half operator+(__half a, __half b) { return __hadd(a, b); }
WB_DEVICE __half &operator+=(__half &a, __half b) { return a = a + b; }
WB_DEVICE __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
WB_DEVICE __half2 &operator+=(__half2 &a, __half2 b) { return a = a + b; }
WB_DEVICE __half operator-(__half a, __half b) { return __hsub(a, b); }
WB_DEVICE __half &operator-=(__half &a, __half b) { return a = a - b; }
WB_DEVICE __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
WB_DEVICE __half2 &operator-=(__half2 &a, __half2 b) { return a = a - b; }
WB_DEVICE __half operator*(__half a, __half b) { return __hmul(a, b); }
WB_DEVICE __half &operator*=(__half &a, __half b) { return a = a * b; }
WB_DEVICE __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
WB_DEVICE __half2 &operator*=(__half2 &a, __half2 b) { return a = a * b; }
WB_DEVICE __half operator/(__half a, __half b) { return __hdiv(a, b); }
WB_DEVICE __half &operator/=(__half &a, __half b) { return a = a / b; }
WB_DEVICE __half2 operator/(__half2 a, __half2 b) { return __h2div(a, b); }
WB_DEVICE __half operator-(__half a) { return __hneg(a); }
WB_DEVICE __half2 operator-(__half2 a) { return __hneg2(a); }
WB_DEVICE bool operator==(__half a, __half b) { return __heq(a, b); }
WB_DEVICE bool operator!=(__half a, __half b) { return __hneu(a, b); }
WB_DEVICE bool operator<(__half a, __half b) { return __hlt(a, b); }
WB_DEVICE bool operator<=(__half a, __half b) { return __hle(a, b); }
WB_DEVICE bool operator>(__half a, __half b) { return __hgt(a, b); }
WB_DEVICE bool operator>=(__half a, __half b) { return __hge(a, b); }

// Between lanes, and atomic sums.
WB_DEVICE __half2 __shfl_sync(unsigned mask, __half2 a, int lane, int width = 32) { return wb_f16x2(__shfl_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __half __shfl_sync(unsigned mask, __half a, int lane, int width = 32) { return wb_f16((unsigned short)__shfl_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __half2 __shfl_up_sync(unsigned mask, __half2 a, unsigned lane, int width = 32) { return wb_f16x2(__shfl_up_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __half __shfl_up_sync(unsigned mask, __half a, unsigned lane, int width = 32) { return wb_f16((unsigned short)__shfl_up_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __half2 __shfl_down_sync(unsigned mask, __half2 a, unsigned lane, int width = 32) { return wb_f16x2(__shfl_down_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __half __shfl_down_sync(unsigned mask, __half a, unsigned lane, int width = 32) { return wb_f16((unsigned short)__shfl_down_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __half2 __shfl_xor_sync(unsigned mask, __half2 a, int lane, int width = 32) { return wb_f16x2(__shfl_xor_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __half __shfl_xor_sync(unsigned mask, __half a, int lane, int width = 32) { return wb_f16((unsigned short)__shfl_xor_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __half2 atomicAdd(__half2 *address, __half2 a) {
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(wb_bits(a)) : "memory");
    return wb_f16x2(old);
}
WB_DEVICE __half atomicAdd(__half *address, __half a) {
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(wb_bits(a)) : "memory");
    return wb_f16(old);
}
