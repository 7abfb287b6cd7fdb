#pragma once
#pragma clang system_header
#include <stdint.h>
