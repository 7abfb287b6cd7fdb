// The built-in vector types, with the alignments of the CUDA C++ Programming Guide, and the functions that make them.
#pragma once
#pragma clang system_header
#include "language.h"

#define WB_VECTORS(type, name, a2, a4)                                                             \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(a2))) name##2 {                                                  \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(a4))) name##4 {                                                  \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    WB_BOTH constexpr name##1 make_##name##1(type x) { return {x}; }                               \
    WB_BOTH constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }                    \
    WB_BOTH constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }         \
    WB_BOTH constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

WB_VECTORS(signed char, char, 2, 4)
WB_VECTORS(unsigned char, uchar, 2, 4)
WB_VECTORS(short, short, 4, 8)
WB_VECTORS(unsigned short, ushort, 4, 8)
WB_VECTORS(int, int, 8, 16)
WB_VECTORS(unsigned int, uint, 8, 16)
WB_VECTORS(long, long, 2 * sizeof(long), 16)
WB_VECTORS(unsigned long, ulong, 2 * sizeof(long), 16)
WB_VECTORS(long long, longlong, 16, 16)
WB_VECTORS(unsigned long long, ulonglong, 16, 16)
WB_VECTORS(float, float, 8, 16)
WB_VECTORS(double, double, 16, 16)
#undef WB_VECTORS

struct dim3 {
    unsigned x, y, z;
    WB_MEMBER_BOTH constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    WB_MEMBER_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    WB_MEMBER_BOTH constexpr operator uint3() const { return {x, y, z}; }
};
