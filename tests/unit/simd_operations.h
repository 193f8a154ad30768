// Both instances of simd_operations.inl.
#pragma once

#include <stdint.h>

#define SIMD_OPERANDS 12
#define SIMD_WORDS (28 * 4 + 4 + 13 * 4)

void cnRunSimdOfBuild(const float* operands, uint32_t* results);
void cnRunSimdOfScalars(const float* operands, uint32_t* results);
