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

WB_DEVICE int __bfloat162int_rn(__nv_bfloat16 a) { return __nvvm_f2i_rn(__bfloat162float(a)); }
WB_DEVICE int __bfloat162int_rz(__nv_bfloat16 a) { return __nvvm_f2i_rz(__bfloat162float(a)); }
WB_DEVICE int __bfloat162int_ru(__nv_bfloat16 a) { return __nvvm_f2i_rp(__bfloat162float(a)); }
WB_DEVICE int __bfloat162int_rd(__nv_bfloat16 a) { return __nvvm_f2i_rm(__bfloat162float(a)); }
WB_DEVICE __nv_bfloat16 __int2bfloat16_rn(int a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __int2bfloat16_rz(int a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __int2bfloat16_ru(int a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __int2bfloat16_rd(int a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }
WB_DEVICE unsigned __bfloat162uint_rn(__nv_bfloat16 a) { return __nvvm_f2ui_rn(__bfloat162float(a)); }
WB_DEVICE unsigned __bfloat162uint_rz(__nv_bfloat16 a) { return __nvvm_f2ui_rz(__bfloat162float(a)); }
WB_DEVICE unsigned __bfloat162uint_ru(__nv_bfloat16 a) { return __nvvm_f2ui_rp(__bfloat162float(a)); }
WB_DEVICE unsigned __bfloat162uint_rd(__nv_bfloat16 a) { return __nvvm_f2ui_rm(__bfloat162float(a)); }
WB_DEVICE __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __uint2bfloat16_rz(unsigned a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __uint2bfloat16_ru(unsigned a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __uint2bfloat16_rd(unsigned a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }
WB_DEVICE short __bfloat162short_rn(__nv_bfloat16 a) { return (short)min(max(__nvvm_f2i_rn(__bfloat162float(a)), -32768), 32767); }
WB_DEVICE short __bfloat162short_rz(__nv_bfloat16 a) { return (short)min(max(__nvvm_f2i_rz(__bfloat162float(a)), -32768), 32767); }
WB_DEVICE short __bfloat162short_ru(__nv_bfloat16 a) { return (short)min(max(__nvvm_f2i_rp(__bfloat162float(a)), -32768), 32767); }
WB_DEVICE short __bfloat162short_rd(__nv_bfloat16 a) { return (short)min(max(__nvvm_f2i_rm(__bfloat162float(a)), -32768), 32767); }
WB_DEVICE __nv_bfloat16 __short2bfloat16_rn(short a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __short2bfloat16_rz(short a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __short2bfloat16_ru(short a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __short2bfloat16_rd(short a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }
WB_DEVICE unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { return (unsigned short)min(max(__nvvm_f2i_rn(__bfloat162float(a)), 0), 65535); }
WB_DEVICE unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { return (unsigned short)min(max(__nvvm_f2i_rz(__bfloat162float(a)), 0), 65535); }
WB_DEVICE unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) { return (unsigned short)min(max(__nvvm_f2i_rp(__bfloat162float(a)), 0), 65535); }
WB_DEVICE unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) { return (unsigned short)min(max(__nvvm_f2i_rm(__bfloat162float(a)), 0), 65535); }
WB_DEVICE __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ushort2bfloat16_rz(unsigned short a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ushort2bfloat16_ru(unsigned short a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ushort2bfloat16_rd(unsigned short a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }
WB_DEVICE long long __bfloat162ll_rn(__nv_bfloat16 a) { return __nvvm_f2ll_rn(__bfloat162float(a)); }
WB_DEVICE long long __bfloat162ll_rz(__nv_bfloat16 a) { return __nvvm_f2ll_rz(__bfloat162float(a)); }
WB_DEVICE long long __bfloat162ll_ru(__nv_bfloat16 a) { return __nvvm_f2ll_rp(__bfloat162float(a)); }
WB_DEVICE long long __bfloat162ll_rd(__nv_bfloat16 a) { return __nvvm_f2ll_rm(__bfloat162float(a)); }
WB_DEVICE __nv_bfloat16 __ll2bfloat16_rn(long long a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ll2bfloat16_rz(long long a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ll2bfloat16_ru(long long a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ll2bfloat16_rd(long long a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }
WB_DEVICE unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) { return __nvvm_f2ull_rn(__bfloat162float(a)); }
WB_DEVICE unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) { return __nvvm_f2ull_rz(__bfloat162float(a)); }
WB_DEVICE unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) { return __nvvm_f2ull_rp(__bfloat162float(a)); }
WB_DEVICE unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) { return __nvvm_f2ull_rm(__bfloat162float(a)); }
WB_DEVICE __nv_bfloat16 __ull2bfloat16_rn(unsigned long long a) { return __float2bfloat16_rn(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ull2bfloat16_rz(unsigned long long a) { return __float2bfloat16_rz(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ull2bfloat16_ru(unsigned long long a) { return __float2bfloat16_ru(wb_round_to_odd(a)); }
WB_DEVICE __nv_bfloat16 __ull2bfloat16_rd(unsigned long long a) { return __float2bfloat16_rd(wb_round_to_odd(a)); }

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

// Comparisons: plain ones are false where something is no number, those ending in `u` are true.
WB_DEVICE bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
WB_DEVICE int __hisinf(__nv_bfloat16 a) { return (a.__x & 0x7fff) == 0x7f80 ? (a.__x >> 15 ? -1 : 1) : 0; }
WB_DEVICE __nv_bfloat162 __hisnan2(__nv_bfloat162 a) { return {__nv_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f), __nv_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f)}; }
WB_DEVICE bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) == __bfloat162float(b); }
WB_DEVICE __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__heq(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__heq(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __heq2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__heq(a.x, b.x) ? 0xffffu : 0) | (__heq(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
WB_DEVICE bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) { return !(__bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __hequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hequ(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hequ(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hequ2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hequ(a.x, b.x) ? 0xffffu : 0) | (__hequ(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
WB_DEVICE bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b); }
WB_DEVICE __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hne(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hne(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hne2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hne(a.x, b.x) ? 0xffffu : 0) | (__hne(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
WB_DEVICE bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(__bfloat162float(a) == __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __hneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hneu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hneu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hneu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hneu(a.x, b.x) ? 0xffffu : 0) | (__hneu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
WB_DEVICE bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b); }
WB_DEVICE __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hlt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hlt(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hlt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0) | (__hlt(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
WB_DEVICE bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(__bfloat162float(a) >= __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __hltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hltu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hltu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hltu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hltu(a.x, b.x) ? 0xffffu : 0) | (__hltu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
WB_DEVICE bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) <= __bfloat162float(b); }
WB_DEVICE __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hle(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hle(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hle2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hle(a.x, b.x) ? 0xffffu : 0) | (__hle(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
WB_DEVICE bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(__bfloat162float(a) > __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __hleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hleu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hleu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hleu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hleu(a.x, b.x) ? 0xffffu : 0) | (__hleu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
WB_DEVICE bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) > __bfloat162float(b); }
WB_DEVICE __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hgt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgt(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hgt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0) | (__hgt(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
WB_DEVICE bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(__bfloat162float(a) <= __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __hgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgtu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hgtu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
WB_DEVICE bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return __bfloat162float(a) >= __bfloat162float(b); }
WB_DEVICE __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hge(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hge(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hge2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hge(a.x, b.x) ? 0xffffu : 0) | (__hge(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
WB_DEVICE bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) { return !(__bfloat162float(a) < __bfloat162float(b)); }
WB_DEVICE __nv_bfloat162 __hgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__nv_bfloat16(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgeu(a.y, b.y) ? 1.0f : 0.0f)}; }
WB_DEVICE unsigned __hgeu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0); }
WB_DEVICE bool __hbgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }

// Functions, through those of floats.
WB_DEVICE __nv_bfloat16 hceil(__nv_bfloat16 a) { return __float2bfloat16_rn(ceilf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return {hceil(a.x), hceil(a.y)}; }
WB_DEVICE __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __float2bfloat16_rn(floorf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2floor(__nv_bfloat162 a) { return {hfloor(a.x), hfloor(a.y)}; }
WB_DEVICE __nv_bfloat16 hrint(__nv_bfloat16 a) { return __float2bfloat16_rn(rintf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2rint(__nv_bfloat162 a) { return {hrint(a.x), hrint(a.y)}; }
WB_DEVICE __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __float2bfloat16_rn(truncf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return {htrunc(a.x), htrunc(a.y)}; }
WB_DEVICE __nv_bfloat16 hsin(__nv_bfloat16 a) { return __float2bfloat16_rn(sinf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2sin(__nv_bfloat162 a) { return {hsin(a.x), hsin(a.y)}; }
WB_DEVICE __nv_bfloat16 hcos(__nv_bfloat16 a) { return __float2bfloat16_rn(cosf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2cos(__nv_bfloat162 a) { return {hcos(a.x), hcos(a.y)}; }
WB_DEVICE __nv_bfloat16 hexp(__nv_bfloat16 a) { return __float2bfloat16_rn(expf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2exp(__nv_bfloat162 a) { return {hexp(a.x), hexp(a.y)}; }
WB_DEVICE __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __float2bfloat16_rn(exp2f(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return {hexp2(a.x), hexp2(a.y)}; }
WB_DEVICE __nv_bfloat16 hexp10(__nv_bfloat16 a) { return __float2bfloat16_rn(exp10f(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return {hexp10(a.x), hexp10(a.y)}; }
WB_DEVICE __nv_bfloat16 hlog(__nv_bfloat16 a) { return __float2bfloat16_rn(logf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2log(__nv_bfloat162 a) { return {hlog(a.x), hlog(a.y)}; }
WB_DEVICE __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __float2bfloat16_rn(log2f(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2log2(__nv_bfloat162 a) { return {hlog2(a.x), hlog2(a.y)}; }
WB_DEVICE __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __float2bfloat16_rn(log10f(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2log10(__nv_bfloat162 a) { return {hlog10(a.x), hlog10(a.y)}; }
WB_DEVICE __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __float2bfloat16_rn(sqrtf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
WB_DEVICE __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __float2bfloat16_rn(rsqrtf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
WB_DEVICE __nv_bfloat16 htanh(__nv_bfloat16 a) { return __float2bfloat16_rn(tanhf(__bfloat162float(a))); }
WB_DEVICE __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return {htanh(a.x), htanh(a.y)}; }
WB_DEVICE __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __float2bfloat16_rn(1.0f / __bfloat162float(a)); }
WB_DEVICE __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return {hrcp(a.x), hrcp(a.y)}; }
WB_SMALL_ONE(htanh_approx, __nv_bfloat16, unsigned short, "h", "tanh.approx.bf16")
WB_SMALL_ONE(h2tanh_approx, __nv_bfloat162, unsigned, "r", "tanh.approx.bf16x2")

// Operators.
WB_DEVICE __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
WB_DEVICE __nv_bfloat16 &operator+=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a + b; }
WB_DEVICE __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
WB_DEVICE __nv_bfloat162 &operator+=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a + b; }
WB_DEVICE __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
WB_DEVICE __nv_bfloat16 &operator-=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a - b; }
WB_DEVICE __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
WB_DEVICE __nv_bfloat162 &operator-=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a - b; }
WB_DEVICE __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
WB_DEVICE __nv_bfloat16 &operator*=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a * b; }
WB_DEVICE __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
WB_DEVICE __nv_bfloat162 &operator*=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a * b; }
WB_DEVICE __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
WB_DEVICE __nv_bfloat16 &operator/=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a / b; }
WB_DEVICE __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return __h2div(a, b); }
WB_DEVICE __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
WB_DEVICE __nv_bfloat162 operator-(__nv_bfloat162 a) { return __hneg2(a); }
WB_DEVICE bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return __heq(a, b); }
WB_DEVICE bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hneu(a, b); }
WB_DEVICE bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return __hlt(a, b); }
WB_DEVICE bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hle(a, b); }
WB_DEVICE bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return __hgt(a, b); }
WB_DEVICE bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hge(a, b); }

// Between lanes, and atomic sums.
WB_DEVICE __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 a, int lane, int width = 32) { return wb_bf16x2(__shfl_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 a, int lane, int width = 32) { return wb_bf16((unsigned short)__shfl_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 a, unsigned lane, int width = 32) { return wb_bf16x2(__shfl_up_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 a, unsigned lane, int width = 32) { return wb_bf16((unsigned short)__shfl_up_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 a, unsigned lane, int width = 32) { return wb_bf16x2(__shfl_down_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 a, unsigned lane, int width = 32) { return wb_bf16((unsigned short)__shfl_down_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 a, int lane, int width = 32) { return wb_bf16x2(__shfl_xor_sync(mask, wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 a, int lane, int width = 32) { return wb_bf16((unsigned short)__shfl_xor_sync(mask, (unsigned)wb_bits(a), lane, width)); }
WB_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 a) {
    unsigned old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(wb_bits(a)) : "memory");
    return wb_bf16x2(old);
}
WB_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 a) {
    unsigned short old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(wb_bits(a)) : "memory");
    return wb_bf16(old);
}
