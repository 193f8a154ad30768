// The lanes of this build agree with plain C to the bit.
#include "simd_operations.h"

#define SIMD_RUN cnRunSimdOfBuild
#include "simd_operations.inl"

#include "base/containers/hash.h"
#include "helpers.h"

static void compare_on_operands(const float* operands) {
    uint32_t ofBuild[SIMD_WORDS];
    uint32_t ofScalars[SIMD_WORDS];
    cnRunSimdOfBuild(operands, ofBuild);
    cnRunSimdOfScalars(operands, ofScalars);
    for (int i = 0; i < SIMD_WORDS; ++i) {
        assert_int_equal(ofBuild[i], ofScalars[i]);
    }
}

static void lanes_agree_on_special_numbers(void** state) {
    (void)state;
    const float special[] = {0.0f, -0.0f,     1.0f,       -1.0f,     3.0f,  INFINITY, -INFINITY,
                             NAN,  0x1p-149f, -0x1p-149f, 0x1p-126f, 3e38f, -3e38f,   0.1f};
    const int count = sizeof special / sizeof *special;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            float operands[SIMD_OPERANDS];
            for (int k = 0; k < SIMD_OPERANDS; ++k) {
                operands[k] = special[(k < 4 ? i + k : (k < 8 ? j + k - 4 : i + j + k)) % count];
            }
            compare_on_operands(operands);
        }
    }
}

static void lanes_agree_on_random_bits(void** state) {
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 100000; ++round) {
        float operands[SIMD_OPERANDS];
        for (int k = 0; k < SIMD_OPERANDS; ++k) {
            uint32_t bits = (uint32_t)cnMix64(seed++);
            if ((round & 1) != 0) {
                bits = (bits & 0x807fffffu) | 0x3f800000u; // ±1…±2, where nothing overflows
            }
            memcpy(&operands[k], &bits, sizeof bits);
        }
        compare_on_operands(operands);
    }
}

// What the header promises: the second operand where the comparison is false.
static void min_and_max_give_the_second_operand_for_na_n_and_zeros(void** state) {
    (void)state;
    cnF4 a = cnSet4(NAN, 1.0f, 0.0f, -0.0f);
    cnF4 b = cnSet4(1.0f, NAN, -0.0f, 0.0f);
    float lower[4];
    float upper[4];
    cnStore4(lower, cnMin4(a, b));
    cnStore4(upper, cnMax4(a, b));
    for (int i = 0; i < 2; ++i) {
        const float* lanes = i == 0 ? lower : upper;
        assert_true(lanes[0] == 1.0f);
        assert_true(lanes[1] != lanes[1]);
        assert_true(lanes[2] == 0.0f && signbit(lanes[2]));
        assert_true(lanes[3] == 0.0f && !signbit(lanes[3]));
    }
}

int main(void) {
    return run_all(lanes_agree_on_special_numbers, lanes_agree_on_random_bits,
                   min_and_max_give_the_second_operand_for_na_n_and_zeros);
}
