// Atomic functions on words in memory, for the device, the block (`_block`) and the system (`_system`).
#pragma once
#pragma clang system_header
#include "vector_types.h"

// Of the device. clang gives a compare-and-swap the scope of the system, which is wider and costs a GPU the same.
#define WB_UPDATE(name, type, operation)                                                           \
    WB_DEVICE type name(type *address, type x) {                                                   \
        return __scoped_atomic_##operation(address, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);   \
    }
#define WB_CAS(type)                                                                               \
    WB_DEVICE type atomicCAS(type *address, type expected, type desired) {                         \
        __scoped_atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,   \
                                           __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);               \
        return expected;                                                                           \
    }
#define WB_ATOMICS(type)                                                                           \
    WB_UPDATE(atomicAdd, type, fetch_add)                                                          \
    WB_UPDATE(atomicMin, type, fetch_min)                                                          \
    WB_UPDATE(atomicMax, type, fetch_max)                                                          \
    WB_UPDATE(atomicAnd, type, fetch_and)                                                          \
    WB_UPDATE(atomicOr, type, fetch_or)                                                            \
    WB_UPDATE(atomicXor, type, fetch_xor)                                                          \
    WB_UPDATE(atomicExch, type, exchange_n)                                                        \
    WB_CAS(type)
WB_ATOMICS(int)
WB_ATOMICS(unsigned)
WB_ATOMICS(long long)
WB_ATOMICS(unsigned long long)
WB_CAS(unsigned short)
WB_UPDATE(atomicSub, int, fetch_sub)
WB_UPDATE(atomicSub, unsigned, fetch_sub)
WB_UPDATE(atomicInc, unsigned, fetch_uinc)
WB_UPDATE(atomicDec, unsigned, fetch_udec)
#undef WB_ATOMICS
#undef WB_CAS
#undef WB_UPDATE
WB_DEVICE float atomicAdd(float *address, float x) { return __nvvm_atom_add_gen_f(address, x); }
WB_DEVICE double atomicAdd(double *address, double x) { return __nvvm_atom_add_gen_d(address, x); }

// Of the block and of the system.
#define WB_UPDATE(name, type, instruction, word)                                                   \
    WB_DEVICE type name(type *address, type x) {                                                   \
        return (type)__nvvm_atom_##instruction((word *)address, (word)x);                          \
    }
#define WB_BITS(suffix, scope, type, k, word)                                                      \
    WB_UPDATE(atomicAdd##suffix, type, scope##_add_gen_##k, word)                                  \
    WB_UPDATE(atomicAnd##suffix, type, scope##_and_gen_##k, word)                                  \
    WB_UPDATE(atomicOr##suffix, type, scope##_or_gen_##k, word)                                    \
    WB_UPDATE(atomicXor##suffix, type, scope##_xor_gen_##k, word)                                  \
    WB_UPDATE(atomicExch##suffix, type, scope##_xchg_gen_##k, word)                                \
    WB_DEVICE type atomicCAS##suffix(type *address, type expected, type desired) {                 \
        return (type)__nvvm_atom_##scope##_cas_gen_##k((word *)address, (word)expected, (word)desired); \
    }
#define WB_ORDER(suffix, scope, type, k)                                                           \
    WB_UPDATE(atomicMin##suffix, type, scope##_min_gen_##k, type)                                  \
    WB_UPDATE(atomicMax##suffix, type, scope##_max_gen_##k, type)
#define WB_SCOPE(suffix, scope)                                                                    \
    WB_BITS(suffix, scope, int, i, int)                                                            \
    WB_BITS(suffix, scope, unsigned, i, int)                                                       \
    WB_BITS(suffix, scope, long long, ll, long long)                                               \
    WB_BITS(suffix, scope, unsigned long long, ll, long long)                                      \
    WB_ORDER(suffix, scope, int, i)                                                                \
    WB_ORDER(suffix, scope, unsigned, ui)                                                          \
    WB_ORDER(suffix, scope, long long, ll)                                                         \
    WB_ORDER(suffix, scope, unsigned long long, ull)                                               \
    WB_UPDATE(atomicAdd##suffix, float, scope##_add_gen_f, float)                                  \
    WB_UPDATE(atomicAdd##suffix, double, scope##_add_gen_d, double)                                \
    WB_UPDATE(atomicInc##suffix, unsigned, scope##_inc_gen_ui, unsigned)                           \
    WB_UPDATE(atomicDec##suffix, unsigned, scope##_dec_gen_ui, unsigned)                           \
    WB_DEVICE int atomicSub##suffix(int *address, int x) {                                         \
        return atomicAdd##suffix(address, (int)(0u - (unsigned)x));                                \
    }                                                                                              \
    WB_DEVICE unsigned atomicSub##suffix(unsigned *address, unsigned x) {                          \
        return atomicAdd##suffix(address, 0u - x);                                                 \
    }
WB_SCOPE(_block, cta)
WB_SCOPE(_system, sys)
#undef WB_SCOPE
#undef WB_ORDER
#undef WB_BITS
#undef WB_UPDATE

#define WB_FLOAT_EXCHANGE(suffix)                                                                  \
    WB_DEVICE float atomicExch##suffix(float *address, float x) {                                  \
        const unsigned bits = __builtin_bit_cast(unsigned, x);                                     \
        return __builtin_bit_cast(float, atomicExch##suffix((unsigned *)address, bits));           \
    }
WB_FLOAT_EXCHANGE()
WB_FLOAT_EXCHANGE(_block)
WB_FLOAT_EXCHANGE(_system)
#undef WB_FLOAT_EXCHANGE

// Compute capability 9.0 adds two and four floats in global memory at once; each of them is atomic.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
WB_DEVICE float2 atomicAdd(float2 *address, float2 x) {
    float2 old;
    asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
                 : "=f"(old.x), "=f"(old.y)
                 : "l"((__SIZE_TYPE__)(void __attribute__((address_space(1))) *)address), "f"(x.x), "f"(x.y)
                 : "memory");
    return old;
}
WB_DEVICE float4 atomicAdd(float4 *address, float4 x) {
    float4 old;
    asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)
                 : "l"((__SIZE_TYPE__)(void __attribute__((address_space(1))) *)address), "f"(x.x), "f"(x.y), "f"(x.z),
                   "f"(x.w)
                 : "memory");
    return old;
}
#endif
