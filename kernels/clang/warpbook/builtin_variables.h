// threadIdx, blockIdx, blockDim, gridDim and warpSize: reading a member reads the special register of that name.
#pragma once
#pragma clang system_header
#include "vector_types.h"

#define WB_MEMBER_OF_REGISTER(reg, axis)                                                           \
    __declspec(property(get = get_##axis)) unsigned axis;                                          \
    static WB_MEMBER unsigned get_##axis() { return __nvvm_read_ptx_sreg_##reg##_##axis(); }

// Registers cannot be copied from, moved to, or pointed at.
#define WB_VARIABLE(variable, reg, vector)                                                         \
    struct wb_##variable {                                                                         \
        WB_MEMBER_OF_REGISTER(reg, x)                                                              \
        WB_MEMBER_OF_REGISTER(reg, y)                                                              \
        WB_MEMBER_OF_REGISTER(reg, z)                                                              \
        WB_MEMBER operator vector() const { return {get_x(), get_y(), get_z()}; }                  \
        WB_CONVERSION_##vector                                                                     \
    };                                                                                             \
    static const __device__ __attribute__((nodebug, unused)) wb_##variable variable = {};

#define WB_CONVERSION_uint3                                                                        \
    WB_MEMBER operator dim3() const { return {get_x(), get_y(), get_z()}; }
#define WB_CONVERSION_dim3                                                                         \
    WB_MEMBER operator uint3() const { return {get_x(), get_y(), get_z()}; }

WB_VARIABLE(threadIdx, tid, uint3)
WB_VARIABLE(blockIdx, ctaid, uint3)
WB_VARIABLE(blockDim, ntid, dim3)
WB_VARIABLE(gridDim, nctaid, dim3)
#undef WB_VARIABLE
#undef WB_MEMBER_OF_REGISTER

static const __device__ __attribute__((nodebug, unused)) int warpSize = 32;
