// What reductions and scans do with two values.
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define WB_OPERATOR(name, expression)                                                              \
    template <class T> struct name {                                                               \
        WB_MEMBER T operator()(T a, T b) const { return expression; }                              \
    };
WB_OPERATOR(plus, a + b)
WB_OPERATOR(less, b < a ? b : a)
WB_OPERATOR(greater, a < b ? b : a)
WB_OPERATOR(bit_and, a & b)
WB_OPERATOR(bit_or, a | b)
WB_OPERATOR(bit_xor, a ^ b)
#undef WB_OPERATOR
} // namespace cooperative_groups
