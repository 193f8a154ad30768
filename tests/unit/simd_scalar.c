// The lane functions with CN_SIMD_SCALAR, for simd_test.c to compare with.
#define CN_SIMD_SCALAR
#include "simd_operations.h"

#define SIMD_RUN cnRunSimdOfScalars
#include "simd_operations.inl"
