// Functions on the two halves or four bytes of a word ("SIMD intrinsics" of the CUDA Math API), lane by lane.
#pragma once
#pragma clang system_header
#include "integers.h"

// What `f` makes of a pair of lanes, for each of `count` lanes of `width` bits, as operands of type `type`.
#define WB_LANES(name, count, type, expression)                                                    \
    WB_DEVICE unsigned name(unsigned a, unsigned b) {                                              \
        unsigned result = 0;                                                                       \
        _Pragma("unroll") for (int lane = 0; lane < count; lane++) {                               \
            const int shift = lane * (32 / count);                                                 \
            const int x = (type)(a >> shift), y = (type)(b >> shift);                              \
            result |= ((unsigned)(expression) & (0xffffffffu >> (32 - 32 / count))) << shift;      \
        }                                                                                          \
        return result;                                                                             \
    }
#define WB_SUMS(name, count, type, expression)                                                     \
    WB_DEVICE unsigned name(unsigned a, unsigned b) {                                              \
        unsigned result = 0;                                                                       \
        _Pragma("unroll") for (int lane = 0; lane < count; lane++) {                               \
            const int shift = lane * (32 / count);                                                 \
            const int x = (type)(a >> shift), y = (type)(b >> shift);                              \
            result += (unsigned)(expression);                                                      \
        }                                                                                          \
        return result;                                                                             \
    }
#define WB_OF_ONE(name, two)                                                                       \
    WB_DEVICE unsigned name(unsigned a) { return two(a, 0); }

WB_DEVICE int wb_clamp(int x, int low, int high) { return min(max(x, low), high); }

#define WB_SIMD(n, s, u, smin, smax, umax)                                                         \
    WB_LANES(__vadd##n, n, u, x + y)                                                               \
    WB_LANES(__vsub##n, n, u, x - y)                                                               \
    WB_LANES(__vaddss##n, n, s, wb_clamp(x + y, smin, smax))                                       \
    WB_LANES(__vsubss##n, n, s, wb_clamp(x - y, smin, smax))                                       \
    WB_LANES(__vaddus##n, n, u, wb_clamp(x + y, 0, umax))                                          \
    WB_LANES(__vsubus##n, n, u, wb_clamp(x - y, 0, umax))                                          \
    WB_LANES(__vabsdiffs##n, n, s, abs(x - y))                                                     \
    WB_LANES(__vabsdiffu##n, n, u, abs(x - y))                                                     \
    WB_LANES(__vavgs##n, n, s, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)                                \
    WB_LANES(__vavgu##n, n, u, (x + y + 1) >> 1)                                                   \
    WB_LANES(__vhaddu##n, n, u, (x + y) >> 1)                                                      \
    WB_LANES(__vmaxs##n, n, s, max(x, y))                                                          \
    WB_LANES(__vmaxu##n, n, u, max(x, y))                                                          \
    WB_LANES(__vmins##n, n, s, min(x, y))                                                          \
    WB_LANES(__vminu##n, n, u, min(x, y))                                                          \
    WB_LANES(wb_vneg##n, n, s, -x)                                                                 \
    WB_LANES(wb_vnegss##n, n, s, wb_clamp(-x, smin, smax))                                         \
    WB_LANES(wb_vabs##n, n, s, abs(x))                                                             \
    WB_LANES(wb_vabsss##n, n, s, wb_clamp(abs(x), smin, smax))                                     \
    WB_OF_ONE(__vneg##n, wb_vneg##n)                                                               \
    WB_OF_ONE(__vnegss##n, wb_vnegss##n)                                                           \
    WB_OF_ONE(__vabs##n, wb_vabs##n)                                                               \
    WB_OF_ONE(__vabsss##n, wb_vabsss##n)                                                           \
    WB_SUMS(__vsads##n, n, s, abs(x - y))                                                          \
    WB_SUMS(__vsadu##n, n, u, abs(x - y))                                                          \
    WB_COMPARISON(n, eq, u, ==)                                                                    \
    WB_COMPARISON(n, ne, u, !=)                                                                    \
    WB_COMPARISON(n, ges, s, >=)                                                                   \
    WB_COMPARISON(n, geu, u, >=)                                                                   \
    WB_COMPARISON(n, gts, s, >)                                                                    \
    WB_COMPARISON(n, gtu, u, >)                                                                    \
    WB_COMPARISON(n, les, s, <=)                                                                   \
    WB_COMPARISON(n, leu, u, <=)                                                                   \
    WB_COMPARISON(n, lts, s, <)                                                                    \
    WB_COMPARISON(n, ltu, u, <)
#define WB_COMPARISON(n, name, type, operation)                                                    \
    WB_LANES(__vcmp##name##n, n, type, x operation y ? -1 : 0)                                     \
    WB_LANES(__vset##name##n, n, type, x operation y ? 1 : 0)

WB_SIMD(2, short, unsigned short, -32768, 32767, 65535)
WB_SIMD(4, signed char, unsigned char, -128, 127, 255)
#undef WB_SIMD
#undef WB_COMPARISON

// Sums with minima and maxima, of words and of halves; `relu` does not go below zero.
#define WB_THREE(name, type, expression)                                                           \
    WB_DEVICE type name(type a, type b, type c) { return expression; }
#define WB_TWO(name, type, expression)                                                             \
    WB_DEVICE type name(type a, type b) { return expression; }
WB_THREE(__vimax3_s32, int, max(max(a, b), c))
WB_THREE(__vimin3_s32, int, min(min(a, b), c))
WB_THREE(__vimax3_u32, unsigned, max(max(a, b), c))
WB_THREE(__vimin3_u32, unsigned, min(min(a, b), c))
WB_THREE(__vimax3_s32_relu, int, max(max(max(a, b), c), 0))
WB_THREE(__vimin3_s32_relu, int, max(min(min(a, b), c), 0))
WB_TWO(__vimax_s32_relu, int, max(max(a, b), 0))
WB_TWO(__vimin_s32_relu, int, max(min(a, b), 0))
// A sum that does not fit wraps around.
WB_THREE(__viaddmax_s32, int, max((int)((unsigned)a + (unsigned)b), c))
WB_THREE(__viaddmin_s32, int, min((int)((unsigned)a + (unsigned)b), c))
WB_THREE(__viaddmax_u32, unsigned, max(a + b, c))
WB_THREE(__viaddmin_u32, unsigned, min(a + b, c))
WB_THREE(__viaddmax_s32_relu, int, max(__viaddmax_s32(a, b, c), 0))
WB_THREE(__viaddmin_s32_relu, int, max(__viaddmin_s32(a, b, c), 0))
WB_TWO(__vimax_s16x2_relu, unsigned, __vmaxs2(__vmaxs2(a, b), 0))
WB_TWO(__vimin_s16x2_relu, unsigned, __vmaxs2(__vmins2(a, b), 0))
WB_THREE(__vimax3_s16x2, unsigned, __vmaxs2(__vmaxs2(a, b), c))
WB_THREE(__vimax3_u16x2, unsigned, __vmaxu2(__vmaxu2(a, b), c))
WB_THREE(__vimin3_s16x2, unsigned, __vmins2(__vmins2(a, b), c))
WB_THREE(__vimin3_u16x2, unsigned, __vminu2(__vminu2(a, b), c))
WB_THREE(__vimax3_s16x2_relu, unsigned, __vmaxs2(__vimax3_s16x2(a, b, c), 0))
WB_THREE(__vimin3_s16x2_relu, unsigned, __vmaxs2(__vimin3_s16x2(a, b, c), 0))
WB_THREE(__viaddmax_s16x2, unsigned, __vmaxs2(__vadd2(a, b), c))
WB_THREE(__viaddmin_s16x2, unsigned, __vmins2(__vadd2(a, b), c))
WB_THREE(__viaddmax_u16x2, unsigned, __vmaxu2(__vadd2(a, b), c))
WB_THREE(__viaddmin_u16x2, unsigned, __vminu2(__vadd2(a, b), c))
WB_THREE(__viaddmax_s16x2_relu, unsigned, __vmaxs2(__viaddmax_s16x2(a, b, c), 0))
WB_THREE(__viaddmin_s16x2_relu, unsigned, __vmaxs2(__viaddmin_s16x2(a, b, c), 0))
#undef WB_THREE
#undef WB_TWO
#undef WB_LANES
#undef WB_SUMS
#undef WB_OF_ONE
