// Hash, clock, and what compilers do to rounding.
#include "base/containers/hash.h"
#include "base/timer.h"
#include "helpers.h"

// ---- hash and clock ---------------------------------------------------------------------------------------

static uint64_t hash_of_doubles(const double* numbers, int count) {
    cnHash hash = cnHash_Start();
    cnHash_AddDoubles(&hash, numbers, count);
    return hash.value;
}

static void the_hash_sees_order_and_signs(void** state) {
    (void)state;
    const double numbers[3] = {1.0, 2.0, 0.0};
    const double swapped[3] = {2.0, 1.0, 0.0};
    const double negativeZero[3] = {1.0, 2.0, -0.0};
    assert_true(hash_of_doubles(numbers, 3) == hash_of_doubles(numbers, 3));
    assert_true(hash_of_doubles(numbers, 3) != hash_of_doubles(swapped, 3));
    assert_true(hash_of_doubles(numbers, 3) != hash_of_doubles(negativeZero, 3));
    assert_true(hash_of_doubles(numbers, 3) != hash_of_doubles(numbers, 2));
}

static void the_clock_goes_forward(void** state) {
    (void)state;
    double start = cnGetMilliseconds();
    double now = start;
    while (now == start) {
        now = cnGetMilliseconds();
        assert_true(now >= start);
    }
    assert_true(now - start < 1000.0);
}

// ---- rounding ---------------------------------------------------------------------------------------------

typedef struct Three {
    double x, y, z;
} Three;

// Straight code as sweeps and groups of joints exchange velocities.
static void exchange(float lanes[4], Three from, Three* read) {
    lanes[0] = (float)from.x;
    lanes[1] = (float)from.y;
    lanes[2] = (float)from.z;
    *read = (Three){lanes[0], lanes[1], lanes[2]};
}

static void (*volatile exchangeUnseen)(float[4], Three, Three*) = exchange;

static void floats_that_are_read_again_are_rounded(void** state) {
    (void)state;
    float lanes[4];
    Three read = {0};
    exchangeUnseen(lanes, (Three){1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0}, &read);
    assert_true(read.x == (double)lanes[0] && read.x != 1.0 / 3.0);
    assert_true(read.y == (double)lanes[1] && read.y != 1.0 / 5.0);
    assert_true(read.z == (double)lanes[2] && read.z != 1.0 / 7.0);
}

int main(void) {
    return run_all(the_hash_sees_order_and_signs, the_clock_goes_forward,
                   floats_that_are_read_again_are_rounded);
}
