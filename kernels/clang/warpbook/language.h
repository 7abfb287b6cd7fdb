// CUDA's words of the language as attributes of clang, and how the functions of these headers are declared.
//
// Functions have no debug information of their own: where one is inlined, its instructions belong to the line that calls it.
#pragma once
#pragma clang system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __maxnreg__(n) __attribute__((maxnreg(n)))

#define CUDARTAPI
#define CUDART_CB
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000

// For the device.
#define WB_DEVICE static __device__ __inline__ __attribute__((always_inline, nodebug, unused))
// For host and device: what a constant expression or a function of both may call.
#define WB_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, nodebug, unused))
// A member.
#define WB_MEMBER __device__ __inline__ __attribute__((always_inline, nodebug))
#define WB_MEMBER_BOTH __host__ __device__ __inline__ __attribute__((always_inline, nodebug))
// Long functions: their lines are the header's, and one copy serves all calls.
#define WB_LONG static __host__ __device__ __attribute__((nodebug, unused))
