// Functions of single precision: instructions where PTX has them, else those of double precision, rounded once more.
#pragma once
#pragma clang system_header
#include "double_functions.h"

WB_DEVICE float logf(float x) { return (float)log((double)x); }
WB_DEVICE float log2f(float x) { return (float)log2((double)x); }
WB_DEVICE float log10f(float x) { return (float)log10((double)x); }
WB_DEVICE float log1pf(float x) { return (float)log1p((double)x); }
WB_DEVICE float expm1f(float x) { return (float)expm1((double)x); }
WB_DEVICE float sinf(float x) { return (float)sin((double)x); }
WB_DEVICE float cosf(float x) { return (float)cos((double)x); }
WB_DEVICE float tanf(float x) { return (float)tan((double)x); }
WB_DEVICE float sinpif(float x) { return (float)sinpi((double)x); }
WB_DEVICE float cospif(float x) { return (float)cospi((double)x); }
WB_DEVICE float asinf(float x) { return (float)asin((double)x); }
WB_DEVICE float acosf(float x) { return (float)acos((double)x); }
WB_DEVICE float atanf(float x) { return (float)atan((double)x); }
WB_DEVICE float sinhf(float x) { return (float)sinh((double)x); }
WB_DEVICE float coshf(float x) { return (float)cosh((double)x); }
WB_DEVICE float tanhf(float x) { return (float)tanh((double)x); }
WB_DEVICE float asinhf(float x) { return (float)asinh((double)x); }
WB_DEVICE float acoshf(float x) { return (float)acosh((double)x); }
WB_DEVICE float atanhf(float x) { return (float)atanh((double)x); }
WB_DEVICE float cbrtf(float x) { return (float)cbrt((double)x); }
WB_DEVICE float rcbrtf(float x) { return (float)rcbrt((double)x); }
WB_DEVICE float erff(float x) { return (float)erf((double)x); }
WB_DEVICE float erfcf(float x) { return (float)erfc((double)x); }
WB_DEVICE float normcdff(float x) { return (float)normcdf((double)x); }
WB_DEVICE float exp10f(float x) { return (float)exp10((double)x); }
WB_DEVICE float atan2f(float y, float x) { return (float)atan2((double)y, (double)x); }
WB_DEVICE float powf(float x, float y) { return (float)pow((double)x, (double)y); }
WB_DEVICE float hypotf(float x, float y) {
    if (__builtin_isinf(x) || __builtin_isinf(y)) return __builtin_inff();
    return (float)sqrt((double)x * x + (double)y * y);
}
WB_DEVICE float norm3df(float x, float y, float z) {
    if (__builtin_isinf(x) || __builtin_isinf(y) || __builtin_isinf(z)) return __builtin_inff();
    return (float)sqrt((double)x * x + (double)y * y + (double)z * z);
}
WB_DEVICE float rhypotf(float x, float y) {
    if (__builtin_isinf(x) || __builtin_isinf(y)) return 0;
    return (float)(1.0 / sqrt((double)x * x + (double)y * y));
}
WB_DEVICE float rnorm3df(float x, float y, float z) {
    if (__builtin_isinf(x) || __builtin_isinf(y) || __builtin_isinf(z)) return 0;
    return (float)(1.0 / sqrt((double)x * x + (double)y * y + (double)z * z));
}
WB_DEVICE void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}
WB_DEVICE void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
WB_DEVICE float __frsqrt_rn(float x) {
    return x >= 0.0f ? (float)rsqrt((double)x) : __int_as_float(0x7fffffff);
}

// Powers of two are an instruction; its operand is made small enough to lose nothing, and two factors put the size back.
WB_DEVICE float wb_exp2(float fraction, float k) {
    const int first = (int)k >> 1, second = (int)k - first;
    const float y = __nvvm_ex2_approx_f(fraction);
    return y * __int_as_float((first + 127) << 23) * __int_as_float((second + 127) << 23);
}
WB_DEVICE float exp2f(float x) {
    const float limited = fminf(fmaxf(x, -160.0f), 140.0f), k = rintf(limited);
    return x != x ? x : wb_exp2(limited - k, k);
}
WB_DEVICE float expf(float x) {
    const float limited = fminf(fmaxf(x, -110.0f), 95.0f);
    const float k = rintf(limited * 0x1.715476p+0f);
    const float r = fmaf(-k, 0x1.7f7d1cp-20f, fmaf(-k, 0x1.62e4p-1f, limited));
    return x != x ? x : wb_exp2(r * 0x1.715476p+0f, k);
}

// The fast ones, with the errors of the instructions.
WB_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
WB_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934f0p+1f); }
WB_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
WB_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e430p-1f; }
WB_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
WB_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
WB_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
WB_DEVICE void __sincosf(float x, float *sine, float *cosine) {
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
WB_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
WB_DEVICE float __tanhf(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
WB_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }

// C++'s names for all types.
#define WB_OVERLOAD(name) WB_DEVICE float name(float x) { return name##f(x); }

WB_OVERLOAD(sqrt)
WB_OVERLOAD(rsqrt)
WB_OVERLOAD(exp)
WB_OVERLOAD(exp2)
WB_OVERLOAD(exp10)
WB_OVERLOAD(expm1)
WB_OVERLOAD(log)
WB_OVERLOAD(log2)
WB_OVERLOAD(log10)
WB_OVERLOAD(log1p)
WB_OVERLOAD(sin)
WB_OVERLOAD(cos)
WB_OVERLOAD(tan)
WB_OVERLOAD(asin)
WB_OVERLOAD(acos)
WB_OVERLOAD(atan)
WB_OVERLOAD(sinh)
WB_OVERLOAD(cosh)
WB_OVERLOAD(tanh)
WB_OVERLOAD(asinh)
WB_OVERLOAD(acosh)
WB_OVERLOAD(atanh)
WB_OVERLOAD(cbrt)
WB_OVERLOAD(erf)
WB_OVERLOAD(erfc)
WB_OVERLOAD(floor)
WB_OVERLOAD(ceil)
WB_OVERLOAD(trunc)
WB_OVERLOAD(rint)
WB_OVERLOAD(nearbyint)
WB_OVERLOAD(round)
WB_OVERLOAD(fabs)
WB_OVERLOAD(logb)
#undef WB_OVERLOAD
#define WB_OVERLOAD(name) WB_DEVICE float name(float x, float y) { return name##f(x, y); }
WB_OVERLOAD(pow)
WB_OVERLOAD(atan2)
WB_OVERLOAD(hypot)
WB_OVERLOAD(fmod)
WB_OVERLOAD(remainder)
WB_OVERLOAD(copysign)
WB_OVERLOAD(fdim)
WB_OVERLOAD(nextafter)
WB_OVERLOAD(fmin)
WB_OVERLOAD(fmax)
#undef WB_OVERLOAD
WB_DEVICE float fma(float x, float y, float z) { return fmaf(x, y, z); }
WB_DEVICE float ldexp(float x, int power) { return ldexpf(x, power); }
WB_DEVICE float scalbn(float x, int power) { return scalbnf(x, power); }
WB_DEVICE long lround(float x) { return lroundf(x); }
WB_DEVICE long lrint(float x) { return lrintf(x); }
WB_DEVICE float abs(float x) { return fabsf(x); }
WB_DEVICE double abs(double x) { return fabs(x); }
WB_DEVICE float min(float a, float b) { return fminf(a, b); }
WB_DEVICE double min(double a, double b) { return fmin(a, b); }
WB_DEVICE double min(float a, double b) { return fmin((double)a, b); }
WB_DEVICE double min(double a, float b) { return fmin(a, (double)b); }
WB_DEVICE float max(float a, float b) { return fmaxf(a, b); }
WB_DEVICE double max(double a, double b) { return fmax(a, b); }
WB_DEVICE double max(float a, double b) { return fmax((double)a, b); }
WB_DEVICE double max(double a, float b) { return fmax(a, (double)b); }
// Whole numbers as operands mean doubles.
#define WB_WHOLE(name) WB_DEVICE double name(int x) { return name((double)x); }
WB_WHOLE(sqrt)
WB_WHOLE(exp)
WB_WHOLE(exp2)
WB_WHOLE(log)
WB_WHOLE(log2)
WB_WHOLE(log10)
WB_WHOLE(sin)
WB_WHOLE(cos)
WB_WHOLE(tan)
WB_WHOLE(floor)
WB_WHOLE(ceil)
#undef WB_WHOLE
WB_DEVICE double pow(double x, int y) { return pow(x, (double)y); }
WB_DEVICE float pow(float x, int y) { return powf(x, (float)y); }
WB_DEVICE double pow(int x, double y) { return pow((double)x, y); }
WB_DEVICE double pow(int x, int y) { return pow((double)x, (double)y); }
