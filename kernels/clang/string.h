// memcpy and memset are there without an include.
#pragma once
#pragma clang system_header
#include "cuda_runtime.h"
