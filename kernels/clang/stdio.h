// printf is there without an include.
#pragma once
#include "cuda_runtime.h"
