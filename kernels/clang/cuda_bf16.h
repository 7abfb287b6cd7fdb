// bfloat16: 8 bits of exponent, 7 of fraction. Numbers, pairs of them, conversions, arithmetic, comparisons, functions.
#pragma once
#pragma clang system_header
#include "cuda_runtime.h"
#include "warpbook/small_floats.h"

struct __nv_bfloat16;
struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    WB_MEMBER_BOTH constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
    WB_MEMBER_BOTH operator __nv_bfloat16_raw() const { return {__x}; }
    WB_MEMBER __nv_bfloat16(float f);
    WB_MEMBER __nv_bfloat16(double f);
    WB_MEMBER __nv_bfloat16(int i);
    WB_MEMBER __nv_bfloat16(unsigned i);
    WB_MEMBER __nv_bfloat16(long long i);
    WB_MEMBER __nv_bfloat16(unsigned long long i);
    WB_MEMBER __nv_bfloat16(short i) : __nv_bfloat16((int)i) {}
    WB_MEMBER __nv_bfloat16(unsigned short i) : __nv_bfloat16((int)i) {}
    WB_MEMBER operator float() const;
    WB_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }
    WB_MEMBER explicit operator int() const { return __nvvm_f2i_rz((float)*this); }
    WB_MEMBER explicit operator unsigned() const { return __nvvm_f2ui_rz((float)*this); }
    WB_MEMBER __nv_bfloat16 &operator=(float f) { return *this = __nv_bfloat16(f); }
    WB_MEMBER __nv_bfloat16 &operator=(double f) { return *this = __nv_bfloat16(f); }
    WB_MEMBER __nv_bfloat16 &operator=(int i) { return *this = __nv_bfloat16(i); }
    WB_MEMBER __nv_bfloat16 &operator=(unsigned i) { return *this = __nv_bfloat16(i); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    WB_MEMBER __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

// The bits, for instructions.
WB_DEVICE unsigned short wb_bits(__nv_bfloat16 a) { return a.__x; }
WB_DEVICE unsigned wb_bits(__nv_bfloat162 a) { return __builtin_bit_cast(unsigned, a); }
WB_DEVICE __nv_bfloat16 wb_bf16(unsigned short bits) { return __builtin_bit_cast(__nv_bfloat16, bits); }
WB_DEVICE __nv_bfloat162 wb_bf16x2(unsigned bits) { return __builtin_bit_cast(__nv_bfloat162, bits); }
WB_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
WB_DEVICE short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
WB_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return wb_bf16(bits); }
WB_DEVICE __nv_bfloat16 __short_as_bfloat16(short bits) { return wb_bf16((unsigned short)bits); }

// Conversions.
WB_DEVICE float __bfloat162float(__nv_bfloat16 a) { return __uint_as_float((unsigned)a.__x << 16); }
WB_DEVICE __nv_bfloat16 __float2bfloat16_rn(float f) {
    unsigned short r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return wb_bf16(r);
}
WB_DEVICE __nv_bfloat16 __float2bfloat16_rz(float f) {
    unsigned short r;
    asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(r) : "f"(f));
    return wb_bf16(r);
}
// Up and down: what lies beside the number cut off, where something was cut.
WB_DEVICE __nv_bfloat16 __float2bfloat16_ru(float f) {
    const unsigned bits = __float_as_uint(f), cut = bits >> 16;
    if (f != f) return wb_bf16(0x7fff);
    return wb_bf16((unsigned short)((bits & 0xffff) != 0 && (int)bits >= 0 ? cut + 1 : cut));
}
WB_DEVICE __nv_bfloat16 __float2bfloat16_rd(float f) {
    const unsigned bits = __float_as_uint(f), cut = bits >> 16;
    if (f != f) return wb_bf16(0x7fff);
    return wb_bf16((unsigned short)((bits & 0xffff) != 0 && (int)bits < 0 ? cut + 1 : cut));
}
WB_DEVICE __nv_bfloat16 __float2bfloat16(float f) { return __float2bfloat16_rn(f); }
// Rounding to odd keeps what a second rounding needs to know.
WB_DEVICE __nv_bfloat16 __double2bfloat16(double f) { return __float2bfloat16_rn(wb_round_to_odd(f)); }

#define WB_BFLOAT_CONVERSIONS(name, type, whole)                                                   \
    WB_DEVICE type __bfloat162##name##_rn(__nv_bfloat16 a) { return whole(rn); }                   \
    WB_DEVICE type __bfloat162##name##_rz(__nv_bfloat16 a) { return whole(rz); }                   \
    WB_DEVICE type __bfloat162##name##_ru(__nv_bfloat16 a) { return whole(rp); }                   \
    WB_DEVICE type __bfloat162##name##_rd(__nv_bfloat16 a) { return whole(rm); }                   \
    WB_DEVICE __nv_bfloat16 __##name##2bfloat16_rn(type a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }\
    WB_DEVICE __nv_bfloat16 __##name##2bfloat16_rz(type a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }\
    WB_DEVICE __nv_bfloat16 __##name##2bfloat16_ru(type a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }\
    WB_DEVICE __nv_bfloat16 __##name##2bfloat16_rd(type a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }
#define WB_TO_INT(rounding) __nvvm_f2i_##rounding(__bfloat162float(a))
#define WB_TO_UINT(rounding) __nvvm_f2ui_##rounding(__bfloat162float(a))
#define WB_TO_SHORT(rounding) (short)min(max(__nvvm_f2i_##rounding(__bfloat162float(a)), -32768), 32767)
#define WB_TO_USHORT(rounding) (unsigned short)min(max(__nvvm_f2i_##rounding(__bfloat162float(a)), 0), 65535)
#define WB_TO_LL(rounding) __nvvm_f2ll_##rounding(__bfloat162float(a))
#define WB_TO_ULL(rounding) __nvvm_f2ull_##rounding(__bfloat162float(a))
WB_BFLOAT_CONVERSIONS(int, int, WB_TO_INT)
WB_BFLOAT_CONVERSIONS(uint, unsigned, WB_TO_UINT)
WB_BFLOAT_CONVERSIONS(short, short, WB_TO_SHORT)
WB_BFLOAT_CONVERSIONS(ushort, unsigned short, WB_TO_USHORT)
WB_BFLOAT_CONVERSIONS(ll, long long, WB_TO_LL)
WB_BFLOAT_CONVERSIONS(ull, unsigned long long, WB_TO_ULL)
#undef WB_TO_INT
#undef WB_TO_UINT
#undef WB_TO_SHORT
#undef WB_TO_USHORT
#undef WB_TO_LL
#undef WB_TO_ULL
#undef WB_BFLOAT_CONVERSIONS

WB_MEMBER __nv_bfloat16::__nv_bfloat16(float f) { *this = __float2bfloat16(f); }
WB_MEMBER __nv_bfloat16::__nv_bfloat16(double f) { *this = __double2bfloat16(f); }
WB_MEMBER __nv_bfloat16::__nv_bfloat16(int i) { *this = __int2bfloat16_rn(i); }
WB_MEMBER __nv_bfloat16::__nv_bfloat16(unsigned i) { *this = __uint2bfloat16_rn(i); }
WB_MEMBER __nv_bfloat16::__nv_bfloat16(long long i) { *this = __ll2bfloat16_rn(i); }
WB_MEMBER __nv_bfloat16::__nv_bfloat16(unsigned long long i) { *this = __ull2bfloat16_rn(i); }
WB_MEMBER __nv_bfloat16::operator float() const { return __bfloat162float(*this); }

// Pairs.
WB_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
WB_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
WB_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
WB_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
WB_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
WB_DEVICE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
WB_DEVICE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
WB_DEVICE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
WB_DEVICE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
WB_DEVICE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
WB_DEVICE float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
WB_DEVICE float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
WB_DEVICE float2 __bfloat1622float2(__nv_bfloat162 a) { return {__low2float(a), __high2float(a)}; }
WB_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)}; }
WB_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
WB_DEVICE __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }

// Arithmetic: instructions on one number and on pairs.
#define WB_BFLOAT_INSTRUCTIONS(one, two, instruction) WB_SMALL_TWO(one, __nv_bfloat16, unsigned short, "h", instruction "bf16") WB_SMALL_TWO(two, __nv_bfloat162, unsigned, "r", instruction "bf16x2")
WB_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c);
WB_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c);
// Compute capability 9.0 has sums and products as instructions; before it, they are fused ones with 1 and -0.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
WB_BFLOAT_INSTRUCTIONS(__hadd, __hadd2, "add.")
WB_BFLOAT_INSTRUCTIONS(__hadd_rn, __hadd2_rn, "add.rn.")
WB_BFLOAT_INSTRUCTIONS(__hsub, __hsub2, "sub.")
WB_BFLOAT_INSTRUCTIONS(__hsub_rn, __hsub2_rn, "sub.rn.")
WB_BFLOAT_INSTRUCTIONS(__hmul, __hmul2, "mul.")
WB_BFLOAT_INSTRUCTIONS(__hmul_rn, __hmul2_rn, "mul.rn.")
#else
WB_DEVICE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, wb_bf16(0x3f80), b); }
WB_DEVICE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, wb_bf16(0xbf80), a); }
WB_DEVICE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, wb_bf16(0x8000)); }
WB_DEVICE __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, wb_bf16(0x3f80), b); }
WB_DEVICE __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, wb_bf16(0xbf80), a); }
WB_DEVICE __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, wb_bf16(0x8000)); }
WB_DEVICE __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, wb_bf16x2(0x3f803f80), b); }
WB_DEVICE __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, wb_bf16x2(0xbf80bf80), a); }
WB_DEVICE __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, wb_bf16x2(0x80008000)); }
WB_DEVICE __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, wb_bf16x2(0x3f803f80), b); }
WB_DEVICE __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, wb_bf16x2(0xbf80bf80), a); }
WB_DEVICE __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, wb_bf16x2(0x80008000)); }
#endif
WB_BFLOAT_INSTRUCTIONS(__hmin, __hmin2, "min.")
WB_BFLOAT_INSTRUCTIONS(__hmax, __hmax2, "max.")
WB_BFLOAT_INSTRUCTIONS(__hmin_nan, __hmin2_nan, "min.NaN.")
WB_BFLOAT_INSTRUCTIONS(__hmax_nan, __hmax2_nan, "max.NaN.")
#undef WB_BFLOAT_INSTRUCTIONS
WB_SMALL_THREE(__hfma, __nv_bfloat16, unsigned short, "h", "fma.rn.bf16")
WB_SMALL_THREE(__hfma2, __nv_bfloat162, unsigned, "r", "fma.rn.bf16x2")
WB_SMALL_THREE(__hfma_relu, __nv_bfloat16, unsigned short, "h", "fma.rn.relu.bf16")
WB_SMALL_THREE(__hfma2_relu, __nv_bfloat162, unsigned, "r", "fma.rn.relu.bf16x2")
WB_SMALL_ONE(__hneg, __nv_bfloat16, unsigned short, "h", "neg.bf16")
WB_SMALL_ONE(__hneg2, __nv_bfloat162, unsigned, "r", "neg.bf16x2")
WB_SMALL_ONE(__habs, __nv_bfloat16, unsigned short, "h", "abs.bf16")
WB_SMALL_ONE(__habs2, __nv_bfloat162, unsigned, "r", "abs.bf16x2")
// Between 0 and 1; what is no number becomes 0.
WB_DEVICE __nv_bfloat16 wb_saturated(__nv_bfloat16 a) { return __hmin(__hmax(a, wb_bf16(0)), wb_bf16(0x3f80)); }
WB_DEVICE __nv_bfloat162 wb_saturated(__nv_bfloat162 a) { return {wb_saturated(a.x), wb_saturated(a.y)}; }
WB_DEVICE __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return wb_saturated(__hadd(a, b)); }
WB_DEVICE __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return wb_saturated(__hsub(a, b)); }
WB_DEVICE __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return wb_saturated(__hmul(a, b)); }
WB_DEVICE __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return wb_saturated(__hfma(a, b, c)); }
WB_DEVICE __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return wb_saturated(__hadd2(a, b)); }
WB_DEVICE __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return wb_saturated(__hsub2(a, b)); }
WB_DEVICE __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return wb_saturated(__hmul2(a, b)); }
WB_DEVICE __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return wb_saturated(__hfma2(a, b, c)); }
WB_DEVICE __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    const __nv_bfloat16 real = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
    const __nv_bfloat16 imaginary = __hfma(a.y, b.x, __hfma(a.x, b.y, c.y));
    return {real, imaginary};
}
WB_DEVICE __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__bfloat162float(a) / __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }

// What is like half precision.
#define WB_NUMBER __nv_bfloat16
#define WB_PAIR __nv_bfloat162
#define WB_TO_FLOAT __bfloat162float
#define WB_FROM_FLOAT __float2bfloat16_rn
#define WB_OF_BITS wb_bf16
#define WB_PAIR_OF_BITS wb_bf16x2
#define WB_INFINITY_BITS 0x7f80
#define WB_PTX_TYPE "bf16"
#include "warpbook/small_float_functions.h"
