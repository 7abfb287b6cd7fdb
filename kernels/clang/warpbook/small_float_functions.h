// What half precision and bfloat16 have in common: comparisons, functions, operators, shuffles and atomic sums. Included once
// for each of them, by a header that says what they are called:
//   WB_NUMBER, WB_PAIR            the types
//   WB_TO_FLOAT, WB_FROM_FLOAT    the conversions
//   WB_OF_BITS, WB_PAIR_OF_BITS   a number and a pair of their bits
//   WB_INFINITY_BITS              the bits of infinity
//   WB_PTX_TYPE                   the type in PTX, as a string
#pragma clang system_header

// Comparisons: plain ones are false where something is no number, those ending in `u` are true.
WB_DEVICE bool __hisnan(WB_NUMBER a) { return (a.__x & 0x7fff) > WB_INFINITY_BITS; }
WB_DEVICE int __hisinf(WB_NUMBER a) { return (a.__x & 0x7fff) == WB_INFINITY_BITS ? (a.__x >> 15 ? -1 : 1) : 0; }
WB_DEVICE WB_PAIR __hisnan2(WB_PAIR a) { return {WB_NUMBER(__hisnan(a.x) ? 1.0f : 0.0f), WB_NUMBER(__hisnan(a.y) ? 1.0f : 0.0f)}; }
#define WB_COMPARISON(name, holds)                                                                 \
    WB_DEVICE bool __h##name(WB_NUMBER a, WB_NUMBER b) { return holds; }                           \
    WB_DEVICE WB_PAIR __h##name##2(WB_PAIR a, WB_PAIR b) {                                         \
        return {WB_NUMBER(__h##name(a.x, b.x) ? 1.0f : 0.0f), WB_NUMBER(__h##name(a.y, b.y) ? 1.0f : 0.0f)};\
    }                                                                                              \
    WB_DEVICE unsigned __h##name##2_mask(WB_PAIR a, WB_PAIR b) {                                   \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);      \
    }                                                                                              \
    WB_DEVICE bool __hb##name##2(WB_PAIR a, WB_PAIR b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
WB_COMPARISON(eq, WB_TO_FLOAT(a) == WB_TO_FLOAT(b))
WB_COMPARISON(equ, !(WB_TO_FLOAT(a) < WB_TO_FLOAT(b) || WB_TO_FLOAT(a) > WB_TO_FLOAT(b)))
WB_COMPARISON(ne, WB_TO_FLOAT(a) < WB_TO_FLOAT(b) || WB_TO_FLOAT(a) > WB_TO_FLOAT(b))
WB_COMPARISON(neu, !(WB_TO_FLOAT(a) == WB_TO_FLOAT(b)))
WB_COMPARISON(lt, WB_TO_FLOAT(a) < WB_TO_FLOAT(b))
WB_COMPARISON(ltu, !(WB_TO_FLOAT(a) >= WB_TO_FLOAT(b)))
WB_COMPARISON(le, WB_TO_FLOAT(a) <= WB_TO_FLOAT(b))
WB_COMPARISON(leu, !(WB_TO_FLOAT(a) > WB_TO_FLOAT(b)))
WB_COMPARISON(gt, WB_TO_FLOAT(a) > WB_TO_FLOAT(b))
WB_COMPARISON(gtu, !(WB_TO_FLOAT(a) <= WB_TO_FLOAT(b)))
WB_COMPARISON(ge, WB_TO_FLOAT(a) >= WB_TO_FLOAT(b))
WB_COMPARISON(geu, !(WB_TO_FLOAT(a) < WB_TO_FLOAT(b)))
#undef WB_COMPARISON

// Functions, through those of floats.
#define WB_FUNCTION(name, result)                                                                  \
    WB_DEVICE WB_NUMBER h##name(WB_NUMBER a) { return WB_FROM_FLOAT(result); }                     \
    WB_DEVICE WB_PAIR h2##name(WB_PAIR a) { return {h##name(a.x), h##name(a.y)}; }
WB_FUNCTION(ceil, ceilf(WB_TO_FLOAT(a)))
WB_FUNCTION(floor, floorf(WB_TO_FLOAT(a)))
WB_FUNCTION(rint, rintf(WB_TO_FLOAT(a)))
WB_FUNCTION(trunc, truncf(WB_TO_FLOAT(a)))
WB_FUNCTION(sin, sinf(WB_TO_FLOAT(a)))
WB_FUNCTION(cos, cosf(WB_TO_FLOAT(a)))
WB_FUNCTION(exp, expf(WB_TO_FLOAT(a)))
WB_FUNCTION(exp2, exp2f(WB_TO_FLOAT(a)))
WB_FUNCTION(exp10, exp10f(WB_TO_FLOAT(a)))
WB_FUNCTION(log, logf(WB_TO_FLOAT(a)))
WB_FUNCTION(log2, log2f(WB_TO_FLOAT(a)))
WB_FUNCTION(log10, log10f(WB_TO_FLOAT(a)))
WB_FUNCTION(sqrt, sqrtf(WB_TO_FLOAT(a)))
WB_FUNCTION(rsqrt, rsqrtf(WB_TO_FLOAT(a)))
WB_FUNCTION(tanh, tanhf(WB_TO_FLOAT(a)))
WB_FUNCTION(rcp, 1.0f / WB_TO_FLOAT(a))
#undef WB_FUNCTION
WB_SMALL_ONE(htanh_approx, WB_NUMBER, unsigned short, "h", "tanh.approx." WB_PTX_TYPE)
WB_SMALL_ONE(h2tanh_approx, WB_PAIR, unsigned, "r", "tanh.approx." WB_PTX_TYPE "x2")

// Operators.
#define WB_OPERATOR(sign, one, two)                                                                \
    WB_DEVICE WB_NUMBER operator sign(WB_NUMBER a, WB_NUMBER b) { return one(a, b); }              \
    WB_DEVICE WB_NUMBER &operator sign##=(WB_NUMBER &a, WB_NUMBER b) { return a = a sign b; }      \
    WB_DEVICE WB_PAIR operator sign(WB_PAIR a, WB_PAIR b) { return two(a, b); }
#define WB_ASSIGNMENT(sign)                                                                        \
    WB_DEVICE WB_PAIR &operator sign##=(WB_PAIR &a, WB_PAIR b) { return a = a sign b; }
WB_OPERATOR(+, __hadd, __hadd2)
WB_OPERATOR(-, __hsub, __hsub2)
WB_OPERATOR(*, __hmul, __hmul2)
WB_OPERATOR(/, __hdiv, __h2div)
WB_ASSIGNMENT(+)
WB_ASSIGNMENT(-)
WB_ASSIGNMENT(*)
#undef WB_ASSIGNMENT
#undef WB_OPERATOR
WB_DEVICE WB_NUMBER operator-(WB_NUMBER a) { return __hneg(a); }
WB_DEVICE WB_PAIR operator-(WB_PAIR a) { return __hneg2(a); }
WB_DEVICE bool operator==(WB_NUMBER a, WB_NUMBER b) { return __heq(a, b); }
WB_DEVICE bool operator!=(WB_NUMBER a, WB_NUMBER b) { return __hneu(a, b); }
WB_DEVICE bool operator<(WB_NUMBER a, WB_NUMBER b) { return __hlt(a, b); }
WB_DEVICE bool operator<=(WB_NUMBER a, WB_NUMBER b) { return __hle(a, b); }
WB_DEVICE bool operator>(WB_NUMBER a, WB_NUMBER b) { return __hgt(a, b); }
WB_DEVICE bool operator>=(WB_NUMBER a, WB_NUMBER b) { return __hge(a, b); }

// Between lanes, and atomic sums.
#define WB_SHUFFLE(name, type)                                                                     \
    WB_DEVICE WB_PAIR name(unsigned mask, WB_PAIR a, type lane, int width = 32) {                  \
        return WB_PAIR_OF_BITS(name(mask, wb_bits(a), lane, width));                               \
    }                                                                                              \
    WB_DEVICE WB_NUMBER name(unsigned mask, WB_NUMBER a, type lane, int width = 32) {              \
        return WB_OF_BITS((unsigned short)name(mask, (unsigned)wb_bits(a), lane, width));          \
    }
WB_SHUFFLE(__shfl_sync, int)
WB_SHUFFLE(__shfl_up_sync, unsigned)
WB_SHUFFLE(__shfl_down_sync, unsigned)
WB_SHUFFLE(__shfl_xor_sync, int)
#undef WB_SHUFFLE
WB_DEVICE WB_PAIR atomicAdd(WB_PAIR *address, WB_PAIR a) {
    unsigned old;
    asm volatile("atom.add.noftz." WB_PTX_TYPE "x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(wb_bits(a)) : "memory");
    return WB_PAIR_OF_BITS(old);
}
WB_DEVICE WB_NUMBER atomicAdd(WB_NUMBER *address, WB_NUMBER a) {
    unsigned short old;
    asm volatile("atom.add.noftz." WB_PTX_TYPE " %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(wb_bits(a)) : "memory");
    return WB_OF_BITS(old);
}

#undef WB_NUMBER
#undef WB_PAIR
#undef WB_TO_FLOAT
#undef WB_FROM_FLOAT
#undef WB_OF_BITS
#undef WB_PAIR_OF_BITS
#undef WB_INFINITY_BITS
#undef WB_PTX_TYPE
