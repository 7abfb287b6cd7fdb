// Sums, products, quotients, roots and roundings of floating-point numbers: each is an instruction or a few of them.
#pragma once
#pragma clang system_header
#include "conversions.h"

#define WB_TWO(name, type, instruction)                                                            \
    WB_DEVICE type name(type a, type b) { return __nvvm_##instruction(a, b); }
#define WB_ONE(name, type, instruction)                                                            \
    WB_DEVICE type name(type a) { return __nvvm_##instruction(a); }
#define WB_ROUNDED(type, name, f, rounding, ptx)                                                   \
    WB_TWO(__##name##add_##rounding, type, add_##ptx##_##f)                                        \
    WB_TWO(__##name##mul_##rounding, type, mul_##ptx##_##f)                                        \
    WB_TWO(__##name##div_##rounding, type, div_##ptx##_##f)                                        \
    WB_ONE(__##name##rcp_##rounding, type, rcp_##ptx##_##f)                                        \
    WB_ONE(__##name##sqrt_##rounding, type, sqrt_##ptx##_##f)                                      \
    WB_DEVICE type __##name##sub_##rounding(type a, type b) { return __nvvm_add_##ptx##_##f(a, -b); }
#define WB_ROUNDED_BOTH(rounding, ptx)                                                             \
    WB_ROUNDED(float, f, f, rounding, ptx)                                                         \
    WB_ROUNDED(double, d, d, rounding, ptx)                                                        \
    WB_DEVICE float __fmaf_##rounding(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
    WB_DEVICE float __fmaf_ieee_##rounding(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
    WB_DEVICE double __fma_##rounding(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); }
WB_ROUNDED_BOTH(rn, rn)
WB_ROUNDED_BOTH(rz, rz)
WB_ROUNDED_BOTH(ru, rp)
WB_ROUNDED_BOTH(rd, rm)
#undef WB_ROUNDED_BOTH
#undef WB_ROUNDED
#undef WB_TWO
#undef WB_ONE

#define WB_BASIC(type, f, s)                                                                       \
    WB_BOTH type fabs##f(type x) { return __builtin_fabs##f(x); }                                  \
    WB_BOTH type floor##f(type x) { return __builtin_floor##f(x); }                                \
    WB_BOTH type ceil##f(type x) { return __builtin_ceil##f(x); }                                  \
    WB_BOTH type trunc##f(type x) { return __builtin_trunc##f(x); }                                \
    WB_BOTH type rint##f(type x) { return __builtin_rint##f(x); }                                  \
    WB_BOTH type nearbyint##f(type x) { return __builtin_nearbyint##f(x); }                        \
    WB_BOTH type fma##f(type a, type b, type c) { return __builtin_fma##f(a, b, c); }              \
    WB_BOTH type copysign##f(type x, type sign) { return __builtin_copysign##f(x, sign); }         \
    WB_DEVICE type fmin##f(type a, type b) { return __nvvm_fmin_##s(a, b); }                       \
    WB_DEVICE type fmax##f(type a, type b) { return __nvvm_fmax_##s(a, b); }                       \
    WB_DEVICE type sqrt##f(type x) { return __nvvm_sqrt_rn_##s(x); }                               \
    WB_DEVICE type round##f(type x) {                                                              \
        const type whole = __builtin_trunc##f(x);                                                  \
        const type up = __builtin_fabs##f(x - whole) >= (type)0.5 ? (type)1 : (type)0;             \
        return __builtin_copysign##f(whole + __builtin_copysign##f(up, x), x);                     \
    }                                                                                              \
    WB_DEVICE long lrint##f(type x) { return (long)llrint##f(x); }                                 \
    WB_DEVICE long long llround##f(type x) { return (long long)round##f(x); }                      \
    WB_DEVICE long lround##f(type x) { return (long)round##f(x); }                                 \
    WB_DEVICE type fdim##f(type a, type b) { return a <= b ? (type)0 : a - b; }
WB_DEVICE long long llrintf(float x) { return __nvvm_f2ll_rn(x); }
WB_DEVICE long long llrint(double x) { return __nvvm_d2ll_rn(x); }
WB_BASIC(float, f, f)
WB_BASIC(double, , d)
#undef WB_BASIC

WB_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
WB_DEVICE float __fdividef(float a, float b) {
    float quotient;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(quotient) : "f"(a), "f"(b));
    return quotient;
}
WB_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }

// What kind of number it is.
#define WB_KIND(type)                                                                              \
    WB_BOTH bool isnan(type x) { return __builtin_isnan(x); }                                      \
    WB_BOTH bool isinf(type x) { return __builtin_isinf(x); }                                      \
    WB_BOTH bool isfinite(type x) { return __builtin_isfinite(x); }                                \
    WB_BOTH bool signbit(type x) { return __builtin_signbit(x); }
WB_KIND(float)
WB_KIND(double)
#undef WB_KIND

// The parts of a number. A subnormal one is scaled up first.
WB_DEVICE int ilogbf(float x) {
    const unsigned bits = __float_as_uint(x) & 0x7fffffff;
    if (bits == 0) return -2147483647 - 1;
    if (bits >= 0x7f800000) return bits == 0x7f800000 ? 2147483647 : -2147483647 - 1;
    return bits < 0x00800000 ? -118 - __clz(bits) : (int)(bits >> 23) - 127;
}
WB_DEVICE int ilogb(double x) {
    const unsigned long long bits = __double_as_longlong(x) & 0x7fffffffffffffffull;
    if (bits == 0) return -2147483647 - 1;
    if (bits >= 0x7ff0000000000000ull) return bits == 0x7ff0000000000000ull ? 2147483647 : -2147483647 - 1;
    return bits < 0x0010000000000000ull ? -1011 - __clzll(bits) : (int)(bits >> 52) - 1023;
}
WB_DEVICE float logbf(float x) {
    if (x == 0) return -__builtin_inff();
    if (__builtin_isnan(x) || __builtin_isinf(x)) return x * x;
    return (float)ilogbf(x);
}
WB_DEVICE double logb(double x) {
    if (x == 0) return -__builtin_inf();
    if (__builtin_isnan(x) || __builtin_isinf(x)) return x * x;
    return ilogb(x);
}
// x times a power of two, rounded once: whole steps first, the last one may leave the normal numbers.
WB_DEVICE float ldexpf(float x, int power) {
    const int p = min(max(power, -300), 300);
    if (__builtin_isnan(x) || __builtin_isinf(x) || x == 0) return x + x;
    // Doubles hold every product, and the conversion rounds.
    const double scale = __longlong_as_double((long long)(p + 1023) << 52);
    return (float)(x * scale);
}
WB_DEVICE double ldexp(double x, int power) {
    int p = min(max(power, -3000), 3000);
    if (p > 1023) {
        x *= 0x1p1023;
        p -= 1023;
        if (p > 1023) {
            x *= 0x1p1023;
            p = min(p - 1023, 1023);
        }
    } else if (p < -1022) {
        // 53 bits more than needed, so that only the last step rounds.
        x *= 0x1p-1022 * 0x1p53;
        p += 1022 - 53;
        if (p < -1022) {
            x *= 0x1p-1022 * 0x1p53;
            p = max(p + 1022 - 53, -1022);
        }
    }
    return x * __longlong_as_double((long long)(p + 1023) << 52);
}
WB_DEVICE float scalbnf(float x, int power) { return ldexpf(x, power); }
WB_DEVICE double scalbn(double x, int power) { return ldexp(x, power); }
WB_DEVICE float scalblnf(float x, long power) { return ldexpf(x, (int)min(max(power, -9999l), 9999l)); }
WB_DEVICE double scalbln(double x, long power) { return ldexp(x, (int)min(max(power, -9999l), 9999l)); }
WB_DEVICE float frexpf(float x, int *power) {
    if (x == 0 || __builtin_isnan(x) || __builtin_isinf(x)) {
        *power = 0;
        return x + x;
    }
    *power = ilogbf(x) + 1;
    return (float)((double)x * __longlong_as_double((long long)(1023 - *power) << 52));
}
WB_DEVICE double frexp(double x, int *power) {
    if (x == 0 || __builtin_isnan(x) || __builtin_isinf(x)) {
        *power = 0;
        return x + x;
    }
    *power = ilogb(x) + 1;
    return ldexp(x, -*power);
}
WB_DEVICE float modff(float x, float *whole) {
    *whole = truncf(x);
    return copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}
WB_DEVICE double modf(double x, double *whole) {
    *whole = trunc(x);
    return copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
WB_DEVICE float nextafterf(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return copysignf(__int_as_float(1), y);
    return __int_as_float(__float_as_int(x) + ((x < y) == (x > 0) ? 1 : -1));
}
WB_DEVICE double nextafter(double x, double y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return copysign(__longlong_as_double(1), y);
    return __longlong_as_double(__double_as_longlong(x) + ((x < y) == (x > 0) ? 1 : -1));
}
// Remainders, exactly: as on paper, bit by bit. `quotient` gets the lowest bits of the quotient.
template <class Bits, class Float, int FRACTION, int MOST>
WB_LONG Float wb_remainder(Float x, Float y, bool nearest, int *quotient) {
    constexpr Bits SIGN = (Bits)1 << (sizeof(Bits) * 8 - 1), ONE = (Bits)1 << FRACTION;
    const Bits bits_x = __builtin_bit_cast(Bits, x), bits_y = __builtin_bit_cast(Bits, y);
    Bits a = bits_x & ~SIGN, b = bits_y & ~SIGN;
    const Bits infinity = (Bits)MOST << FRACTION;
    *quotient = 0;
    if (a >= infinity || b > infinity || b == 0) return __builtin_bit_cast(Float, (Bits)(infinity | ONE >> 1 | (ONE - 1)));
    if (b == infinity || a == 0) return x;
    int ea = (int)(a >> FRACTION), eb = (int)(b >> FRACTION);
    a = ea ? (a & (ONE - 1)) | ONE : a;
    b = eb ? (b & (ONE - 1)) | ONE : b;
    // Both as ONE <= a, b < 2 * ONE, so that a quotient of two exponents alike is 0 or 1.
    for (ea = ea ? ea : 1; !(a & ONE); ea--) a <<= 1;
    for (eb = eb ? eb : 1; !(b & ONE); eb--) b <<= 1;
    unsigned q = 0;
    for (; ea > eb; ea--) {
        if (a >= b) {
            a -= b;
            q |= 1;
        }
        q <<= 1;
        a <<= 1;
    }
    if (ea == eb && a >= b) {
        a -= b;
        q |= 1;
    }
    bool negative = false;
    if (nearest && ea == eb && (2 * a > b || (2 * a == b && (q & 1)))) {
        a = b - a;
        negative = true;
        q++;
    } else if (nearest && ea == eb - 1 && a > b) {
        // More than half of y, which is 2 * b on the scale of a.
        a = 2 * b - a;
        negative = true;
        q++;
    }
    *quotient = (int)(q & 0x7fffffff);
    if (((bits_x ^ bits_y) & SIGN) != 0) *quotient = -*quotient;
    if (a != 0) {
        for (; !(a & ONE); ea--) a <<= 1;
        a = ea > 0 ? (a & (ONE - 1)) | (Bits)ea << FRACTION : a >> (1 - ea);
    }
    return __builtin_bit_cast(Float, (Bits)(a | ((bits_x & SIGN) ^ (negative ? SIGN : 0))));
}
WB_DEVICE float fmodf(float x, float y) {
    int quotient;
    return wb_remainder<unsigned, float, 23, 255>(x, y, false, &quotient);
}
WB_DEVICE double fmod(double x, double y) {
    int quotient;
    return wb_remainder<unsigned long long, double, 52, 2047>(x, y, false, &quotient);
}
WB_DEVICE float remquof(float x, float y, int *quotient) {
    return wb_remainder<unsigned, float, 23, 255>(x, y, true, quotient);
}
WB_DEVICE double remquo(double x, double y, int *quotient) {
    return wb_remainder<unsigned long long, double, 52, 2047>(x, y, true, quotient);
}
WB_DEVICE float remainderf(float x, float y) {
    int quotient;
    return remquof(x, y, &quotient);
}
WB_DEVICE double remainder(double x, double y) {
    int quotient;
    return remquo(x, y, &quotient);
}
