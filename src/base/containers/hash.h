// A 64-bit digest of numbers in a fixed order: little-endian words, no padding, no pointers.
#pragma once

#include <stdint.h>
#include <string.h>

typedef struct cnHash {
    uint64_t value;
} cnHash;

static inline cnHash cnHash_Start(void) {
    return (cnHash){0x9e3779b97f4a7c15u};
}

// Finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection that spreads every bit.
static inline uint64_t cnMix64(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline void cnHash_AddU64(cnHash* hash, uint64_t word) {
    hash->value = cnMix64(hash->value ^ word) + 0x9e3779b97f4a7c15u;
}

static inline void cnHash_AddDouble(cnHash* hash, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    cnHash_AddU64(hash, bits);
}

static inline void cnHash_AddDoubles(cnHash* hash, const double* numbers, int count) {
    for (int i = 0; i < count; ++i) {
        cnHash_AddDouble(hash, numbers[i]);
    }
}

static inline void cnHash_AddFloat(cnHash* hash, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    cnHash_AddU64(hash, bits);
}
