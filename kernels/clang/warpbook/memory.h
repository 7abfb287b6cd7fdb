// State spaces of pointers, loads and stores with a cache operator, asynchronous copies, allocation.
#pragma once
#pragma clang system_header
#include "vector_types.h"

typedef __SIZE_TYPE__ size_t;

#define WB_SPACE(number) __attribute__((address_space(number)))
WB_DEVICE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
WB_DEVICE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
WB_DEVICE unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
WB_DEVICE unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
WB_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)(const void WB_SPACE(1) *)p; }
WB_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)(const void WB_SPACE(3) *)p; }
WB_DEVICE size_t __cvta_generic_to_constant(const void *p) { return (size_t)(const void WB_SPACE(4) *)p; }
WB_DEVICE size_t __cvta_generic_to_local(const void *p) { return (size_t)(const void WB_SPACE(5) *)p; }
WB_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)(void WB_SPACE(1) *)p; }
WB_DEVICE void *__cvta_shared_to_generic(size_t p) { return (void *)(void WB_SPACE(3) *)p; }
WB_DEVICE void *__cvta_constant_to_generic(size_t p) { return (void *)(const void WB_SPACE(4) *)p; }
WB_DEVICE void *__cvta_local_to_generic(size_t p) { return (void *)(void WB_SPACE(5) *)p; }

// Loads and stores of one, two and four elements: `t` is the PTX type, `c` the constraint, `w` the type of a register.
#define WB_LOAD_1(name, op, type, t, c, word, ...)                                                    \
    WB_DEVICE type name(const type *p) {                                                           \
        word a;                                                                                       \
        asm volatile("ld." op "." t " %0, [%1];" : "=" c(a) : "l"(__cvta_generic_to_global(p)) : "memory"); \
        return (type)a;                                                                            \
    }
#define WB_LOAD_2(name, op, type, t, c, word, ...)                                                    \
    WB_DEVICE type name(const type *p) {                                                           \
        word a, b;                                                                                    \
        asm volatile("ld." op ".v2." t " {%0, %1}, [%2];"                                          \
                     : "=" c(a), "=" c(b)                                                          \
                     : "l"(__cvta_generic_to_global(p))                                            \
                     : "memory");                                                                  \
        return {(decltype(type::x))a, (decltype(type::x))b};                                       \
    }
#define WB_LOAD_4(name, op, type, t, c, word, ...)                                                    \
    WB_DEVICE type name(const type *p) {                                                           \
        word a, b, d, e;                                                                              \
        asm volatile("ld." op ".v4." t " {%0, %1, %2, %3}, [%4];"                                  \
                     : "=" c(a), "=" c(b), "=" c(d), "=" c(e)                                      \
                     : "l"(__cvta_generic_to_global(p))                                            \
                     : "memory");                                                                  \
        using element = decltype(type::x);                                                         \
        return {(element)a, (element)b, (element)d, (element)e};                                   \
    }
#define WB_STORE_1(name, op, type, t, c, word, ...)                                                        \
    WB_DEVICE void name(type *p, type x) {                                                         \
        asm volatile("st." op "." t " [%0], %1;" ::"l"(__cvta_generic_to_global(p)), c((word)x) : "memory"); \
    }
#define WB_STORE_2(name, op, type, t, c, word, ...)                                                        \
    WB_DEVICE void name(type *p, type x) {                                                         \
        asm volatile("st." op ".v2." t " [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),      \
                     c((word)x.x), c((word)x.y)                                                          \
                     : "memory");                                                                  \
    }
#define WB_STORE_4(name, op, type, t, c, word, ...)                                                        \
    WB_DEVICE void name(type *p, type x) {                                                         \
        asm volatile("st." op ".v4." t " [%0], {%1, %2, %3, %4};" ::"l"(                           \
                         __cvta_generic_to_global(p)),                                             \
                     c((word)x.x), c((word)x.y), c((word)x.z), c((word)x.w)                                    \
                     : "memory");                                                                  \
    }

#define WB_ALL_TYPES(one, two, four, name, op)                                                     \
    one(name, op, char, "s8", "r", int, c)                                                         \
    one(name, op, signed char, "s8", "r", int, c)                                                  \
    one(name, op, unsigned char, "u8", "r", unsigned, c)                                           \
    one(name, op, short, "s16", "h", short, s)                                                     \
    one(name, op, unsigned short, "u16", "h", unsigned short, s)                                   \
    one(name, op, int, "s32", "r", int, i)                                                         \
    one(name, op, unsigned, "u32", "r", unsigned, i)                                               \
    one(name, op, long, "s64", "l", long, l)                                                       \
    one(name, op, unsigned long, "u64", "l", unsigned long, l)                                     \
    one(name, op, long long, "s64", "l", long long, ll)                                            \
    one(name, op, unsigned long long, "u64", "l", unsigned long long, ll)                          \
    one(name, op, float, "f32", "f", float, f)                                                     \
    one(name, op, double, "f64", "d", double, d)                                                   \
    two(name, op, char2, "s8", "r", int, c)                                                        \
    two(name, op, uchar2, "u8", "r", unsigned, c)                                                  \
    two(name, op, short2, "s16", "h", short, s)                                                    \
    two(name, op, ushort2, "u16", "h", unsigned short, s)                                          \
    two(name, op, int2, "s32", "r", int, i)                                                        \
    two(name, op, uint2, "u32", "r", unsigned, i)                                                  \
    two(name, op, longlong2, "s64", "l", long long, ll)                                            \
    two(name, op, ulonglong2, "u64", "l", unsigned long long, ll)                                  \
    two(name, op, float2, "f32", "f", float, f)                                                    \
    two(name, op, double2, "f64", "d", double, d)                                                  \
    four(name, op, char4, "s8", "r", int, c)                                                       \
    four(name, op, uchar4, "u8", "r", unsigned, c)                                                 \
    four(name, op, short4, "s16", "h", short, s)                                                   \
    four(name, op, ushort4, "u16", "h", unsigned short, s)                                         \
    four(name, op, int4, "s32", "r", int, i)                                                       \
    four(name, op, uint4, "u32", "r", unsigned, i)                                                 \
    four(name, op, float4, "f32", "f", float, f)
#define WB_LOADS(name, op) WB_ALL_TYPES(WB_LOAD_1, WB_LOAD_2, WB_LOAD_4, name, op)
#define WB_STORES(name, op) WB_ALL_TYPES(WB_STORE_1, WB_STORE_2, WB_STORE_4, name, op)

WB_LOADS(__ldca, "global.ca")
WB_LOADS(__ldcg, "global.cg")
WB_LOADS(__ldcs, "global.cs")
WB_LOADS(__ldlu, "global.lu")
WB_LOADS(__ldcv, "global.cv")
WB_STORES(__stwb, "global.wb")
WB_STORES(__stcg, "global.cg")
WB_STORES(__stcs, "global.cs")
WB_STORES(__stwt, "global.wt")
#undef WB_LOADS
#undef WB_STORES

// Memory that nobody writes while the kernel runs: the compiler may move and merge such loads.
#define WB_CONSTANT_1(name, op, type, t, c, word, k)                                                  \
    WB_DEVICE type __ldg(const type *p) { return __nvvm_ldg_##k((const wb_ldg_##k *)p); }
#define WB_CONSTANT_2(name, op, type, t, c, word, k)                                                  \
    WB_DEVICE type __ldg(const type *p) {                                                          \
        typedef wb_ldg_##k pair __attribute__((ext_vector_type(2)));                               \
        const pair v = __nvvm_ldg_##k##2((const pair *)p);                                         \
        using element = decltype(type::x);                                                         \
        return {(element)v[0], (element)v[1]};                                                     \
    }
#define WB_CONSTANT_4(name, op, type, t, c, word, k)                                                  \
    WB_DEVICE type __ldg(const type *p) {                                                          \
        typedef wb_ldg_##k four __attribute__((ext_vector_type(4)));                               \
        const four v = __nvvm_ldg_##k##4((const four *)p);                                         \
        using element = decltype(type::x);                                                         \
        return {(element)v[0], (element)v[1], (element)v[2], (element)v[3]};                       \
    }
using wb_ldg_c = char;
using wb_ldg_s = short;
using wb_ldg_i = int;
using wb_ldg_l = long;
using wb_ldg_ll = long long;
using wb_ldg_f = float;
using wb_ldg_d = double;
WB_ALL_TYPES(WB_CONSTANT_1, WB_CONSTANT_2, WB_CONSTANT_4, , )
#undef WB_ALL_TYPES
#undef WB_LOAD_1
#undef WB_LOAD_2
#undef WB_LOAD_4
#undef WB_STORE_1
#undef WB_STORE_2
#undef WB_STORE_4
#undef WB_CONSTANT_1
#undef WB_CONSTANT_2
#undef WB_CONSTANT_4

extern "C" {
__device__ void *malloc(size_t bytes);
__device__ void free(void *p);
}
WB_BOTH void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
WB_BOTH void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
WB_BOTH void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
WB_MEMBER_BOTH void *operator new(size_t, void *place) noexcept { return place; }
WB_MEMBER_BOTH void *operator new[](size_t, void *place) noexcept { return place; }

// Copies from global to shared memory that end later (cp.async), of 4, 8 or 16 bytes; `zeros` of them, at the end, are
// written as zeros without being read.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
WB_DEVICE void wb_copy_async(void *shared, const void *global, size_t bytes, size_t zeros) {
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    const size_t from = __cvta_generic_to_global(global);
    const unsigned read = (unsigned)(bytes - zeros);
    if (bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
    } else if (bytes == 8) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
    }
}
#endif
