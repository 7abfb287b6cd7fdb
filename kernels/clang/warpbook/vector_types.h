// The built-in vector types, with the alignments of the CUDA C++ Programming Guide, and the functions that make them.
#pragma once
#pragma clang system_header
#include "language.h"

// Types of 16 bytes and more are assigned member by member, and all members are read before the first is written. So the compiler
// joins them to one wide access, as NVRTC does; a plain copy would go in pieces of 8 bytes. That is all that such a type declares:
// it stays an aggregate, and is passed and initialised as a plain one.
#define WB_PLAIN(...)
#define WB_WIDE2(name)                                                                             \
    WB_MEMBER_BOTH constexpr name &operator=(const name &from)                                     \
    {                                                                                              \
        auto first = from.x, second = from.y;                                                      \
        x = first, y = second;                                                                     \
        return *this;                                                                              \
    }
#define WB_WIDE4(name)                                                                             \
    WB_MEMBER_BOTH constexpr name &operator=(const name &from)                                     \
    {                                                                                              \
        auto first = from.x, second = from.y, third = from.z, fourth = from.w;                     \
        x = first, y = second, z = third, w = fourth;                                              \
        return *this;                                                                              \
    }

#define WB_VECTORS(type, name, a2, a4, wide2, wide4)                                               \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(a2))) name##2 {                                                  \
        type x, y;                                                                                 \
        wide2(name##2)                                                                             \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(a4))) name##4 {                                                  \
        type x, y, z, w;                                                                           \
        wide4(name##4)                                                                             \
    };                                                                                             \
    WB_BOTH constexpr name##1 make_##name##1(type x) { return {x}; }                               \
    WB_BOTH constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }                    \
    WB_BOTH constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }         \
    WB_BOTH constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

WB_VECTORS(signed char, char, 2, 4, WB_PLAIN, WB_PLAIN)
WB_VECTORS(unsigned char, uchar, 2, 4, WB_PLAIN, WB_PLAIN)
WB_VECTORS(short, short, 4, 8, WB_PLAIN, WB_PLAIN)
WB_VECTORS(unsigned short, ushort, 4, 8, WB_PLAIN, WB_PLAIN)
WB_VECTORS(int, int, 8, 16, WB_PLAIN, WB_WIDE4)
WB_VECTORS(unsigned int, uint, 8, 16, WB_PLAIN, WB_WIDE4)
WB_VECTORS(long, long, 2 * sizeof(long), 16, WB_WIDE2, WB_WIDE4)
WB_VECTORS(unsigned long, ulong, 2 * sizeof(long), 16, WB_WIDE2, WB_WIDE4)
WB_VECTORS(long long, longlong, 16, 16, WB_WIDE2, WB_WIDE4)
WB_VECTORS(unsigned long long, ulonglong, 16, 16, WB_WIDE2, WB_WIDE4)
WB_VECTORS(float, float, 8, 16, WB_PLAIN, WB_WIDE4)
WB_VECTORS(double, double, 16, 16, WB_WIDE2, WB_WIDE4)
#undef WB_VECTORS
#undef WB_WIDE2
#undef WB_WIDE4
#undef WB_PLAIN

struct dim3 {
    unsigned x, y, z;
    WB_MEMBER_BOTH constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    WB_MEMBER_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    WB_MEMBER_BOTH constexpr operator uint3() const { return {x, y, z}; }
};
