// Loads, stores and updates of words with an order and a scope, as the PTX instructions that have both.
#pragma once
#pragma clang system_header
#include "memory.h"

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
namespace std {
using ::cuda::memory_order, ::cuda::memory_order_relaxed, ::cuda::memory_order_consume, ::cuda::memory_order_acquire;
using ::cuda::memory_order_release, ::cuda::memory_order_acq_rel, ::cuda::memory_order_seq_cst;
} // namespace std

namespace wb {
// Calls STATEMENT with the scope's name in PTX. A thread's own scope is the block's.
#define WB_BY_SCOPE(STATEMENT)                                                                     \
    if constexpr (SCOPE == thread_scope_system) {                                                  \
        STATEMENT("sys");                                                                          \
    } else if constexpr (SCOPE == thread_scope_device) {                                           \
        STATEMENT("gpu");                                                                          \
    } else {                                                                                       \
        STATEMENT("cta");                                                                          \
    }

template <thread_scope SCOPE> WB_DEVICE void fence(memory_order order) {
    if (order == memory_order_relaxed) return;
    if (order == memory_order_seq_cst) {
#define WB_FENCE(scope) asm volatile("fence.sc." scope ";" ::: "memory")
        WB_BY_SCOPE(WB_FENCE)
#undef WB_FENCE
    } else {
#define WB_FENCE(scope) asm volatile("fence.acq_rel." scope ";" ::: "memory")
        WB_BY_SCOPE(WB_FENCE)
#undef WB_FENCE
    }
}

// The word that holds a value of the type.
template <int BYTES> struct word {};
template <> struct word<4> {
    using type = unsigned;
};
template <> struct word<8> {
    using type = unsigned long long;
};
template <class T> using word_of = typename word<sizeof(T)>::type;


template <class T, thread_scope SCOPE> WB_DEVICE T load(const T *p, memory_order order) {
    word_of<T> x = 0;
    if (order == memory_order_seq_cst) fence<SCOPE>(order);
    if (order == memory_order_relaxed) {
#define WB_LOAD(scope)                                                                             \
    if constexpr (sizeof(T) == 4) asm volatile("ld.relaxed." scope ".b32 %0, [%1];" : "=r"(x) : "l"(p) : "memory"); \
    else asm volatile("ld.relaxed." scope ".b64 %0, [%1];" : "=l"(x) : "l"(p) : "memory")
        WB_BY_SCOPE(WB_LOAD)
#undef WB_LOAD
    } else {
#define WB_LOAD(scope)                                                                             \
    if constexpr (sizeof(T) == 4) asm volatile("ld.acquire." scope ".b32 %0, [%1];" : "=r"(x) : "l"(p) : "memory"); \
    else asm volatile("ld.acquire." scope ".b64 %0, [%1];" : "=l"(x) : "l"(p) : "memory")
        WB_BY_SCOPE(WB_LOAD)
#undef WB_LOAD
    }
    return __builtin_bit_cast(T, x);
}

template <class T, thread_scope SCOPE> WB_DEVICE void store(T *p, T value, memory_order order) {
    const word_of<T> x = __builtin_bit_cast(word_of<T>, value);
    if (order == memory_order_relaxed || order == memory_order_seq_cst) {
        if (order == memory_order_seq_cst) fence<SCOPE>(order);
#define WB_STORE(scope)                                                                            \
    if constexpr (sizeof(T) == 4) asm volatile("st.relaxed." scope ".b32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); \
    else asm volatile("st.relaxed." scope ".b64 [%0], %1;" ::"l"(p), "l"(x) : "memory")
        WB_BY_SCOPE(WB_STORE)
#undef WB_STORE
    } else {
#define WB_STORE(scope)                                                                            \
    if constexpr (sizeof(T) == 4) asm volatile("st.release." scope ".b32 [%0], %1;" ::"l"(p), "r"(x) : "memory"); \
    else asm volatile("st.release." scope ".b64 [%0], %1;" ::"l"(p), "l"(x) : "memory")
        WB_BY_SCOPE(WB_STORE)
#undef WB_STORE
    }
}

// An update in each of its orders; the strongest one is a fence and then acquires.
#define WB_ORDERED(INSTRUCTION)                                                                    \
    switch (order) {                                                                               \
    case memory_order_relaxed: WB_BY_SCOPE(INSTRUCTION##_relaxed) break;                           \
    case memory_order_release: WB_BY_SCOPE(INSTRUCTION##_release) break;                           \
    case memory_order_acq_rel: WB_BY_SCOPE(INSTRUCTION##_acq_rel) break;                           \
    case memory_order_seq_cst:                                                                     \
        fence<SCOPE>(order);                                                                       \
        WB_BY_SCOPE(INSTRUCTION##_acquire)                                                         \
        break;                                                                                     \
    default: WB_BY_SCOPE(INSTRUCTION##_acquire) break;                                             \
    }

#define WB_CAS(ord, scope)                                                                         \
    if constexpr (sizeof(T) == 4)                                                                  \
        asm volatile("atom." ord "." scope ".cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p), "r"(a), "r"(b) : "memory"); \
    else asm volatile("atom." ord "." scope ".cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(p), "l"(a), "l"(b) : "memory")
#define WB_CAS_relaxed(scope) WB_CAS("relaxed", scope)
#define WB_CAS_acquire(scope) WB_CAS("acquire", scope)
#define WB_CAS_release(scope) WB_CAS("release", scope)
#define WB_CAS_acq_rel(scope) WB_CAS("acq_rel", scope)
template <class T, thread_scope SCOPE> WB_DEVICE T compare_exchange(T *p, T expected, T desired, memory_order order) {
    const word_of<T> a = __builtin_bit_cast(word_of<T>, expected), b = __builtin_bit_cast(word_of<T>, desired);
    word_of<T> old = 0;
    WB_ORDERED(WB_CAS)
    return __builtin_bit_cast(T, old);
}

// `s` and `u` are the PTX types of signed and unsigned numbers for this operation.
#define WB_RMW(ord, scope, op, s, u)                                                               \
    if constexpr (sizeof(T) == 4) {                                                                \
        if constexpr ((T)-1 < (T)0)                                                                \
            asm volatile("atom." ord "." scope "." op "." s "32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(x) : "memory"); \
        else asm volatile("atom." ord "." scope "." op "." u "32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(x) : "memory"); \
    } else if constexpr ((T)-1 < (T)0)                                                             \
        asm volatile("atom." ord "." scope "." op "." s "64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(x) : "memory"); \
    else asm volatile("atom." ord "." scope "." op "." u "64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(x) : "memory")
#define WB_UPDATE(name, op, s, u)                                                                  \
    template <class T, thread_scope SCOPE> WB_DEVICE T name(T *p, T value, memory_order order) {   \
        const word_of<T> x = __builtin_bit_cast(word_of<T>, value);                                \
        word_of<T> old = 0;                                                                        \
        switch (order) {                                                                           \
        case memory_order_relaxed: WB_IN_SCOPE("relaxed", op, s, u) break;                         \
        case memory_order_release: WB_IN_SCOPE("release", op, s, u) break;                         \
        case memory_order_acq_rel: WB_IN_SCOPE("acq_rel", op, s, u) break;                         \
        case memory_order_seq_cst:                                                                 \
            fence<SCOPE>(order);                                                                   \
            WB_IN_SCOPE("acquire", op, s, u)                                                       \
            break;                                                                                 \
        default: WB_IN_SCOPE("acquire", op, s, u) break;                                           \
        }                                                                                          \
        return __builtin_bit_cast(T, old);                                                         \
    }
#define WB_IN_SCOPE(ord, op, s, u)                                                                 \
    if constexpr (SCOPE == thread_scope_system) {                                                  \
        WB_RMW(ord, "sys", op, s, u);                                                              \
    } else if constexpr (SCOPE == thread_scope_device) {                                           \
        WB_RMW(ord, "gpu", op, s, u);                                                              \
    } else {                                                                                       \
        WB_RMW(ord, "cta", op, s, u);                                                              \
    }
WB_UPDATE(wb_add, "add", "u", "u")
WB_UPDATE(fetch_and, "and", "b", "b")
WB_UPDATE(fetch_or, "or", "b", "b")
WB_UPDATE(fetch_xor, "xor", "b", "b")
WB_UPDATE(fetch_min, "min", "s", "u")
WB_UPDATE(fetch_max, "max", "s", "u")
WB_UPDATE(exchange, "exch", "b", "b")
// Floating-point numbers are added by a loop of compare-and-swap.
template <class T, thread_scope SCOPE> WB_DEVICE T fetch_add(T *p, T value, memory_order order) {
    if constexpr ((T)0.5 == (T)0) {
        return wb_add<T, SCOPE>(p, value, order);
    } else {
        T old = load<T, SCOPE>(p, memory_order_relaxed);
        for (;;) {
            const T seen = compare_exchange<T, SCOPE>(p, old, old + value, order);
            if (__builtin_memcmp(&seen, &old, sizeof(T)) == 0) return old;
            old = seen;
        }
    }
}
#undef WB_UPDATE
#undef WB_IN_SCOPE
#undef WB_RMW
#undef WB_ORDERED
#undef WB_BY_SCOPE
} // namespace wb

WB_DEVICE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    switch (scope) {
    case thread_scope_system: wb::fence<thread_scope_system>(order); break;
    case thread_scope_device: wb::fence<thread_scope_device>(order); break;
    default: wb::fence<thread_scope_block>(order); break;
    }
}
} // namespace cuda
