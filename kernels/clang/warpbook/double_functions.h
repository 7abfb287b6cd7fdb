// Functions of double precision that are no instructions: series and reductions of arguments, with the errors that the CUDA
// C++ Programming Guide documents.
#pragma once
#pragma clang system_header
#include "arithmetic.h"

WB_LONG bool wb_finite(double x) { return __builtin_fabs(x) < __builtin_inf(); }

// A sum or a product with what rounding takes from it.
struct wb_pair {
    double high, low;
};
WB_BOTH wb_pair wb_sum(double a, double b) {
    const double high = a + b, part = high - a;
    return {high, (a - (high - part)) + (b - part)};
}
WB_BOTH wb_pair wb_product(double a, double b) {
    const double high = a * b;
    return {high, __builtin_fma(a, b, -high)};
}

#define WB_LN2_HIGH 0x1.62e42fef00000p-1
#define WB_LN2_LOW 0x1.473de6af278edp-34

// exp(r) - 1 for |r| < 0.36: the series of r^k / k!.
WB_LONG double wb_expm1_small(double r) {
    double sum = 0x1.93974a8c07c9dp-37;
    const double rest[12] = {0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26, 0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7, 0x1.5555555555555p-5, 0x1.5555555555555p-3, 0x1.0000000000000p-1};
#pragma unroll
    for (int i = 0; i < 12; i++) sum = fma(sum, r, rest[i]);
    return fma(r * r, sum, r);
}
// exp(x + low) for a small `low`.
WB_LONG double wb_exp(double x, double low) {
    if (!(x < 710.0)) return x != x ? x : __builtin_inf();
    if (x < -746.0) return 0;
    const double k = rint(x * 0x1.71547652b82fep+0);
    const double r = fma(-k, WB_LN2_LOW, fma(-k, WB_LN2_HIGH, x)) + low;
    return ldexp(1.0 + wb_expm1_small(r), (int)k);
}
WB_DEVICE double exp(double x) { return wb_exp(x, 0); }
WB_LONG double exp2(double x) {
    if (!(x < 1025.0)) return x != x ? x : __builtin_inf();
    if (x < -1080.0) return 0;
    const double k = rint(x);
    return ldexp(1.0 + wb_expm1_small((x - k) * 0x1.62e42fefa39efp-1), (int)k);
}
WB_LONG double exp10(double x) {
    if (!(x < 309.0)) return x != x ? x : __builtin_inf();
    if (x < -325.0) return 0;
    const double k = rint(x * 0x1.a934f0979a371p+1);
    const double r = fma(-k, 0x1.ef3fde623e256p-35, fma(-k, 0x1.3441350900000p-2, x));
    return ldexp(1.0 + wb_expm1_small(fma(r, -0x1.f48ad494ea3e9p-53, r * 0x1.26bb1bbb55516p+1)), (int)k);
}
WB_LONG double expm1(double x) {
    if (fabs(x) < 0.35) return x == 0 ? x : wb_expm1_small(x);
    if (x < -40.0) return -1.0;
    return exp(x) - 1.0;
}

// The exponent and the fraction, between sqrt(1/2) and sqrt(2), of a positive number.
WB_LONG double wb_fraction(double x, int *exponent) {
    double m = frexp(x, exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        --*exponent;
    }
    return m;
}
// What a logarithm gives for numbers that have none, and for infinity; the sign is that of the case.
WB_LONG bool wb_no_logarithm(double x, double *result) {
    if (x > 0 && x < __builtin_inf()) return false;
    *result = x == 0 ? -__builtin_inf() : x > 0 ? x : __builtin_nan("");
    return true;
}
// log(1 + f) for f between sqrt(1/2) - 1 and sqrt(2) - 1, plus `low`: by s = f / (2 + f), 2 s + 2 s^3 / 3 + ...
WB_LONG double wb_log1p_small(double f, double low) {
    const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double sum = 0x1.642c8590b2164p-4;
    const double rest[10] = {0x1.8618618618618p-4, 0x1.af286bca1af28p-4, 0x1.e1e1e1e1e1e1ep-4, 0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3, 0x1.745d1745d1746p-3, 0x1.c71c71c71c71cp-3, 0x1.2492492492492p-2, 0x1.999999999999ap-2, 0x1.5555555555555p-1};
#pragma unroll
    for (int i = 0; i < 10; i++) sum = fma(sum, z, rest[i]);
    return f - (half - (s * fma(z, sum, half) + low));
}
WB_LONG double log(double x) {
    double result;
    if (wb_no_logarithm(x, &result)) return result;
    int k;
    const double f = wb_fraction(x, &k) - 1.0;
    return k * WB_LN2_HIGH + wb_log1p_small(f, k * WB_LN2_LOW);
}
WB_LONG double log2(double x) {
    double result;
    if (wb_no_logarithm(x, &result)) return result;
    int k;
    const double y = wb_log1p_small(wb_fraction(x, &k) - 1.0, 0);
    return k + fma(y, 0x1.71547652b82fep+0, y * 0x1.777d0ffda0d24p-56);
}
WB_LONG double log10(double x) {
    double result;
    if (wb_no_logarithm(x, &result)) return result;
    int k;
    const double y = wb_log1p_small(wb_fraction(x, &k) - 1.0, 0);
    const double small = fma(k, 0x1.ef3fde623e256p-35, fma(y, 0x1.bcb7b1526e50ep-2, y * 0x1.95355baaafad3p-57));
    return fma(k, 0x1.3441350900000p-2, small);
}
WB_LONG double log1p(double x) {
    if (x <= -1.0 || !wb_finite(x)) return x == -1.0 ? -__builtin_inf() : x > 0 ? x : x != x ? x : __builtin_nan("");
    if (x > -0.29 && x < 0.41) return x == 0 ? x : wb_log1p_small(x, 0);
    const wb_pair u = wb_sum(1.0, x);
    return log(u.high) + u.low / u.high;
}

// A number as a multiple of pi / 2 and a rest of at most pi / 4, in two parts.
WB_LONG wb_pair wb_quarter(double x, int *quarter) {
    if (fabs(x) < 1e5) {
        const double k = rint(x * 0x1.45f306dc9c883p-1);
        *quarter = (int)k;
        const double first = fma(-k, 0x1.921fb54400000p+0, x), second = k * 0x1.0b4611a600000p-34;
        const wb_pair part = wb_sum(first, -second), tail = wb_product(-k, 0x1.3198a2e037073p-69);
        const wb_pair rest = wb_sum(part.high, tail.high);
        const double low = rest.low + part.low + tail.low - k * 0x1.129024e088a68p-123;
        return wb_sum(rest.high, low);
    }
    // The bits of 2 / pi that matter for this exponent, times the fraction: the two highest bits left of the point are
    // the quarter.
    const unsigned long long TWO_OVER_PI[20] = {
        0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
    };
    const unsigned long long bits = __double_as_longlong(x);
    const int exponent = (int)(bits >> 52 & 2047) - 1075;
    const unsigned long long m = (bits & 0xfffffffffffffull) | 1ull << 52;
    // x = m * 2^exponent; bits of 2 / pi that make whole turns are left out.
    const int skip = max(exponent - 2, 0), word = skip / 64, shift = skip % 64;
    unsigned long long w[4];
    for (int i = 0; i < 4; i++) {
        const unsigned long long low = word + i + 1 < 20 ? TWO_OVER_PI[word + i + 1] : 0;
        w[i] = shift ? TWO_OVER_PI[word + i] << shift | low >> (64 - shift) : TWO_OVER_PI[word + i];
    }
    unsigned __int128 carry = 0;
    unsigned long long product[4];
    for (int i = 3; i >= 0; i--) {
        carry += (unsigned __int128)m * w[i];
        product[i] = (unsigned long long)carry;
        carry >>= 64;
    }
    // The point belongs between `whole` and `high`.
    unsigned long long whole = (unsigned long long)carry;
    unsigned __int128 high = (unsigned __int128)product[0] << 64 | product[1];
    const int left = exponent - skip;
    if (left > 0) {
        whole = whole << left | product[0] >> (64 - left);
        high = high << left | product[2] >> (64 - left);
    } else if (left < 0) {
        high = high >> -left | (unsigned __int128)whole << (128 + left);
        whole >>= -left;
    }
    int k = (int)whole;
    bool negative = false;
    if ((long long)(unsigned long long)(high >> 64) < 0) {
        k++;
        high = -high;
        negative = true;
    }
    const unsigned long long top = (unsigned long long)(high >> 64);
    const double a = (double)(top & ~2047ull) * 0x1p-64;
    const double b = (double)(top & 2047) * 0x1p-64 + (double)(unsigned long long)high * 0x1p-128;
    wb_pair rest = wb_product(a, 0x1.921fb54442d18p+0);
    rest = wb_sum(rest.high, rest.low + (a * 0x1.1a62633145c07p-54 + b * 0x1.921fb54442d18p+0));
    if (negative) rest = {-rest.high, -rest.low};
    if (x < 0) {
        rest = {-rest.high, -rest.low};
        k = -k;
    }
    *quarter = k;
    return rest;
}
// Sine and cosine of x + low, |x| <= pi / 4.
WB_LONG double wb_sin_small(double x, double low) {
    const double z = x * x;
    double sum = 0x1.952c77030ad4ap-49;
    const double rest[7] = {-0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33, -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19, -0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7, -0x1.5555555555555p-3};
#pragma unroll
    for (int i = 0; i < 7; i++) sum = fma(sum, z, rest[i]);
    return x + fma(x * z, sum, low * fma(z, -0.5, 1.0));
}
WB_LONG double wb_cos_small(double x, double low) {
    const double z = x * x;
    double sum = -0x1.6827863b97d97p-53;
    const double rest[7] = {0x1.ae7f3e733b81fp-45, -0x1.93974a8c07c9dp-37, 0x1.1eed8eff8d898p-29, -0x1.27e4fb7789f5cp-22, 0x1.a01a01a01a01ap-16, -0x1.6c16c16c16c17p-10, 0x1.5555555555555p-5};
#pragma unroll
    for (int i = 0; i < 7; i++) sum = fma(sum, z, rest[i]);
    const double half = 0.5 * z, one = 1.0 - half;
    return one + (((1.0 - one) - half) + fma(z * z, sum, -x * low));
}
WB_LONG double wb_sine(double x, int turn) {
    if (!wb_finite(x)) return __builtin_nan("");
    int quarter;
    const wb_pair r = wb_quarter(x, &quarter);
    quarter += turn;
    if (turn == 0 && x == 0) return x;
    const double y = quarter & 1 ? wb_cos_small(r.high, r.low) : wb_sin_small(r.high, r.low);
    return quarter & 2 ? -y : y;
}
WB_DEVICE double sin(double x) { return wb_sine(x, 0); }
WB_DEVICE double cos(double x) { return wb_sine(x, 1); }
WB_DEVICE void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}
WB_LONG double tan(double x) {
    if (!wb_finite(x)) return __builtin_nan("");
    if (x == 0) return x;
    int quarter;
    const wb_pair r = wb_quarter(x, &quarter);
    const double s = wb_sin_small(r.high, r.low), c = wb_cos_small(r.high, r.low);
    return quarter & 1 ? -c / s : s / c;
}
// Of multiples of pi.
WB_LONG double wb_sine_pi(double x, int turn) {
    if (!wb_finite(x)) return __builtin_nan("");
    // From here on all numbers are even.
    if (fabs(x) >= 0x1p54) return turn ? 1.0 : copysign(0.0, x);
    const double k = rint(2.0 * x);
    const double r = fma(k, -0.5, x);
    const int quarter = (int)fmod(k, 4.0) + turn;
    const wb_pair p = wb_product(r, 0x1.921fb54442d18p+1);
    const double low = fma(r, 0x1.1a62633145c07p-53, p.low);
    const double y = quarter & 1 ? wb_cos_small(p.high, low) : wb_sin_small(p.high, low);
    if (turn == 0 && r == 0 && !(quarter & 1)) return copysign(0.0, x);
    return quarter & 2 ? 0.0 - y : y;
}
WB_DEVICE double sinpi(double x) { return wb_sine_pi(x, 0); }
WB_DEVICE double cospi(double x) { return wb_sine_pi(x, 1); }
WB_DEVICE void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}

// atan(n / d) for 0 <= n <= d: the nearest eighth and a series for what is left.
WB_LONG wb_pair wb_atan_small(double n, double d) {
    const double HIGH[9] = {0x0.0p+0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1, 0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};
    const double LOW[9] = {0x0.0p+0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56, 0x1.a2b7f222f65e2p-56, -0x1.928df287a668fp-58, 0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-55};
    const int k = (int)rint(8.0 * (n / d));
    const double c = 0.125 * k;
    const double t = fma(-c, d, n) / fma(c, n, d), z = t * t;
    double sum = 0x1.3b13b13b13b14p-4;
    const double rest[5] = {-0x1.745d1745d1746p-4, 0x1.c71c71c71c71cp-4, -0x1.2492492492492p-3, 0x1.999999999999ap-3, -0x1.5555555555555p-2};
#pragma unroll
    for (int i = 0; i < 5; i++) sum = fma(sum, z, rest[i]);
    return {HIGH[k], t + fma(t * z, sum, LOW[k])};
}
WB_LONG double atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    double a = fabs(y), b = fabs(x);
    if (a == __builtin_inf() && b == __builtin_inf()) a = b = 1;
    if (b == __builtin_inf()) a = 0, b = 1;
    if (a == __builtin_inf()) a = 1, b = 0;
    double angle = 0;
    if (a != 0 || b != 0) {
        const bool steep = a > b;
        double n = steep ? b : a, d = steep ? a : b;
        // Subnormal operands lose bits in the division.
        if (d < 0x1p-900) n *= 0x1p110, d *= 0x1p110;
        if (d > 0x1p1000) n *= 0x1p-100, d *= 0x1p-100;
        const wb_pair small = wb_atan_small(n, d);
        // From the axis: pi / 2 - small, or pi - that.
        if (steep) {
            const double low = (signbit(x) ? small.low : -small.low) + 0x1.1a62633145c07p-54;
            angle = signbit(x) ? 0x1.921fb54442d18p+0 + (small.high + low) : 0x1.921fb54442d18p+0 - (small.high - low);
        } else if (signbit(x)) {
            angle = 0x1.921fb54442d18p+1 - (small.high + (small.low - 0x1.1a62633145c07p-53));
        } else {
            angle = small.high + small.low;
        }
    } else if (signbit(x)) {
        angle = 0x1.921fb54442d18p+1;
    }
    return copysign(angle, y);
}
WB_DEVICE double atan(double x) { return x == 0 ? x : atan2(x, 1.0); }
WB_DEVICE double asin(double x) { return x == 0 ? x : atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
WB_DEVICE double acos(double x) { return 2.0 * atan2(sqrt(1.0 - x), sqrt(1.0 + x)); }

WB_LONG double sinh(double x) {
    const double a = fabs(x), e = expm1(a);
    if (a < 22.0) return copysign(0.5 * (e + e / (e + 1.0)), x);
    const double h = exp(0.5 * a);
    return copysign(0.5 * h * h, x);
}
WB_LONG double cosh(double x) {
    const double a = fabs(x), h = exp(a > 22.0 ? 0.5 * a : a);
    return a > 22.0 ? 0.5 * h * h : 0.5 * (h + 1.0 / h);
}
WB_LONG double tanh(double x) {
    const double a = fabs(x), e = expm1(-2.0 * a);
    return x == 0 ? x : copysign(-e / (e + 2.0), x);
}
WB_LONG double asinh(double x) {
    const double a = fabs(x);
    if (a > 0x1p28 || x == 0) return x == 0 || !wb_finite(x) ? x : copysign(log(a) + 0x1.62e42fefa39efp-1, x);
    return copysign(log1p(a + a * a / (1.0 + sqrt(fma(a, a, 1.0)))), x);
}
WB_LONG double acosh(double x) {
    if (!(x >= 1.0)) return __builtin_nan("");
    if (x > 0x1p28) return log(x) + 0x1.62e42fefa39efp-1;
    const double t = x - 1.0;
    return log1p(t + sqrt(fma(t, t, 2.0 * t)));
}
WB_LONG double atanh(double x) {
    const double a = fabs(x);
    return x == 0 ? x : copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

WB_LONG double cbrt(double x) {
    if (x == 0 || !wb_finite(x)) return x + x;
    int k;
    const double m = frexp(fabs(x), &k);
    const int third = (k + 3000) / 3 - 1000, rest = k - 3 * third;
    // Between 1/2 and 4: a first guess and Newton's steps, the last with what rounding cut off.
    const double a = ldexp(m, rest);
    double y = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f((float)a) * 0.33333334f);
    y = y - (y * y * y - a) / (3.0 * y * y);
    const wb_pair square = wb_product(y, y), cube = wb_product(square.high, y);
    const double error = (cube.high - a) + fma(square.low, y, cube.low);
    y -= error / (3.0 * square.high);
    return copysign(ldexp(y, third), x);
}
WB_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
WB_DEVICE double rsqrt(double x) {
    // 1 / sqrt rounds twice; one step of Newton's takes back what that loses.
    const double y = 1.0 / sqrt(x);
    return x > 0 && wb_finite(x) ? fma(0.5 * y, fma(-x * y, y, fma(-fma(x, y, -(x * y)), y, 1.0)), y) : y;
}
// A power of two that brings numbers of this size near 1.
WB_LONG double wb_scale(double most) {
    return most == 0 ? 1.0 : ldexp(1.0, -max(min(ilogb(most), 1020), -1020));
}
WB_LONG double norm3d(double x, double y, double z) {
    x = fabs(x), y = fabs(y), z = fabs(z);
    if (x == __builtin_inf() || y == __builtin_inf() || z == __builtin_inf()) return __builtin_inf();
    const double scale = wb_scale(fmax(x, fmax(y, z)));
    x *= scale, y *= scale, z *= scale;
    return sqrt(fma(x, x, fma(y, y, z * z))) / scale;
}
WB_DEVICE double hypot(double x, double y) { return norm3d(x, y, 0); }
WB_DEVICE double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
WB_DEVICE double rhypot(double x, double y) { return 1.0 / norm3d(x, y, 0); }

// x^y: the logarithm with some twenty bits more than a double has.
WB_LONG double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    const bool whole = y == trunc(y), odd = whole && fabs(y) < 0x1p53 && ((long long)y & 1);
    const double a = fabs(x), sign = signbit(x) && odd ? -1.0 : 1.0;
    if (x < 0 && !whole && wb_finite(x)) return __builtin_nan("");
    if (!wb_finite(y)) return a == 1 ? 1.0 : (a > 1) == (y > 0) ? __builtin_inf() : 0.0;
    if (a == 0 || a == __builtin_inf()) return sign * ((a == 0) == (y > 0) ? 0.0 : __builtin_inf());
    int k;
    const double m = wb_fraction(a, &k), f = m - 1.0;
    // s = f / (2 + f) in two parts; log(m) = 2 s + 2/3 s^3 + ...
    const wb_pair d = wb_sum(2.0, f);
    const double s = f / d.high, s_low = (fma(-s, d.high, f) - s * d.low) / d.high;
    const wb_pair z = wb_product(s, s);
    const double z_low = z.low + 2.0 * s * s_low;
    double sum = 0x1.2f684bda12f68p-4;
    const double rest[11] = {0x1.47ae147ae147bp-4, 0x1.642c8590b2164p-4, 0x1.8618618618618p-4, 0x1.af286bca1af28p-4, 0x1.e1e1e1e1e1e1ep-4, 0x1.1111111111111p-3, 0x1.3b13b13b13b14p-3, 0x1.745d1745d1746p-3, 0x1.c71c71c71c71cp-3, 0x1.2492492492492p-2, 0x1.999999999999ap-2};
#pragma unroll
    for (int i = 0; i < 11; i++) sum = fma(sum, z.high, rest[i]);
    wb_pair p = wb_sum(0x1.5555555555555p-1, z.high * sum);
    p.low += 0x1.5555555555555p-55;
    wb_pair q = wb_product(z.high, p.high);
    q.low += z.high * p.low + z_low * p.high;
    wb_pair r = wb_product(s, q.high);
    r.low += s * q.low + s_low * q.high;
    const wb_pair t = wb_sum(2.0 * s, r.high);
    const wb_pair whole_part = wb_sum(k * WB_LN2_HIGH, t.high);
    const wb_pair ln = wb_sum(whole_part.high, whole_part.low + (t.low + r.low + 2.0 * s_low + k * WB_LN2_LOW));
    const wb_pair power = wb_product(ln.high, y);
    if (fabs(power.high) > 800.0) return sign * (power.high > 0 ? __builtin_inf() : 0.0);
    return sign * wb_exp(power.high, fma(ln.low, y, power.low));
}
WB_DEVICE double powi(double x, int y) { return pow(x, (double)y); }

// The error function: a series near 0, a continued fraction for the rest.
WB_LONG double wb_erf_series(double x) {
    // 2 / sqrt(pi) * exp(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), all of one sign.
    const double z = 2.0 * x * x;
    double term = 1.0, sum = 1.0;
    for (int n = 3; n < 140 && term > sum * 0x1p-56; n += 2) {
        term *= z / n;
        sum += term;
    }
    return 0x1.20dd750429b6dp+0 * x * sum * exp(-x * x);
}
WB_LONG double wb_erfc_fraction(double x) {
    // exp(-x^2) / (x sqrt(pi)) * 1 / (1 + 1/(2x^2) / (1 + 2/(2x^2) / ...)); the square in two parts.
    // What is left after n levels is near exp(-2 x sqrt(2 n)): the fewer levels, the larger x.
    double tail = x;
    for (int n = (int)(24.0 + 230.0 / (x * x)); n > 0; n--) tail = x + 0.5 * n / tail;
    const wb_pair square = wb_product(x, x);
    return wb_exp(-square.high, -square.low) * 0x1.20dd750429b6dp-1 / tail;
}
WB_LONG double erfc(double x) {
    if (x != x) return x;
    if (x < 1.0) return x < -1.0 ? 2.0 - erfc(-x) : 1.0 - wb_erf_series(x);
    return x > 28.0 ? 0.0 : wb_erfc_fraction(x);
}
WB_LONG double erf(double x) {
    if (x != x) return x;
    const double a = fabs(x);
    return a < 1.5 ? wb_erf_series(x) : copysign(1.0 - (a > 28.0 ? 0.0 : wb_erfc_fraction(a)), x);
}
WB_LONG double normcdf(double x) {
    if (x < -39.0) return 0.0;
    // Far out, the rounding of the operand matters: erfc falls by the factor 1 - 2 a d for a step d.
    const wb_pair a = wb_product(-x, 0x1.6a09e667f3bcdp-1);
    const double low = fma(-x, -0x1.bdd3413b26456p-55, a.low), y = 0.5 * erfc(a.high);
    return a.high > 1.0 ? fma(-2.0 * a.high * low, y, y) : y;
}
