// What CUDA C++ has without any include, for clang: part of Warpbook, which includes this file before every source.
#pragma once
#pragma clang system_header
#include "warpbook/arithmetic.h"
#include "warpbook/atomics.h"
#include "warpbook/barriers.h"
#include "warpbook/builtin_variables.h"
#include "warpbook/conversions.h"
#include "warpbook/double_functions.h"
#include "warpbook/float_functions.h"
#include "warpbook/integers.h"
#include "warpbook/language.h"
#include "warpbook/memory.h"
#include "warpbook/simd.h"
#include "warpbook/vector_types.h"
#include "warpbook/warp.h"
