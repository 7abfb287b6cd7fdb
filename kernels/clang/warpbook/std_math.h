// Functions of <cmath> in the namespace std.
#pragma once
#pragma clang system_header
namespace std {
using ::abs, ::acos, ::acosh, ::asin, ::asinh, ::atan, ::atan2, ::atanh, ::cbrt, ::ceil, ::copysign, ::cos, ::cosh, ::erf;
using ::erfc, ::exp, ::exp2, ::expm1, ::fabs, ::fdim, ::floor, ::fma, ::fmax, ::fmin, ::fmod, ::frexp, ::hypot, ::ilogb;
using ::isfinite, ::isinf, ::isnan, ::ldexp, ::log, ::log10, ::log1p, ::log2, ::logb, ::lrint, ::lround, ::modf;
using ::nearbyint, ::nextafter, ::pow, ::remainder, ::remquo, ::rint, ::round, ::scalbn, ::signbit, ::sin, ::sinh, ::sqrt;
using ::tan, ::tanh, ::trunc;
} // namespace std
