// Images of a broad phase: proxies are found in the trees that are built from one; what is no image is
// rejected.
#include "collide/broad/broad_phase.h"
#include "helpers.h"

// As broad_phase_image.c lays them out.
enum {
    headerBytes = 16, // with the numbers of free numbers and of pairs from bytes 8 and 12 on
    proxyBytes = 32,  // box, state, flags
    stateAt = 24,
    flagsAt = 28,
};

typedef struct Image {
    unsigned char* bytes;
    size_t count;
} Image;

static Image save(const cnBroadPhase* broadPhase) {
    Image image = {.count = cnBroadPhase_GetImageBytes(broadPhase)};
    image.bytes = malloc(image.count);
    assert_non_null(image.bytes);
    cnBroadPhase_SaveImage(broadPhase, image.bytes);
    return image;
}

static cnBounds cube_at(double x, double y, double z) {
    return (cnBounds){{x - 0.5, y - 0.5, z - 0.5}, {x + 0.5, y + 0.5, z + 0.5}};
}

typedef struct Found {
    int count;
    int last;
} Found;

static bool count_found(int proxy, void* context) {
    Found* found = context;
    found->count += 1;
    found->last = proxy;
    return true;
}

#define SIDE 12 // cubes along an edge

static cnVec3 place_of(int i) {
    int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
    return (cnVec3){2.0 * x, 2.0 * y, 2.0 * z};
}

// Cubes 2 m apart, thousands in one place, and one without end.
static void every_proxy_of_an_image_is_found(void** state) {
    (void)state;
    const int count = SIDE * SIDE * SIDE, crowd = 3000;
    cnBroadPhase *original = cnBroadPhase_Create(), *copy = cnBroadPhase_Create();
    for (int i = 0; i < count; ++i) {
        cnVec3 place = place_of(i);
        cnBounds bounds = cube_at(place.x, place.y, place.z);
        assert_int_equal(cnBroadPhase_AddProxy(original, bounds, i % 3 == 0), i);
    }
    for (int i = 0; i < crowd; ++i) {
        cnBroadPhase_AddProxy(original, cube_at(-50.0, 0.0, 0.0), false);
    }
    cnBounds ground = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, -100.0}};
    int unbounded = cnBroadPhase_AddProxy(original, ground, false);
    assert_true(cnBroadPhase_Update(original, NULL, NULL, NULL, NULL));
    Image image = save(original);
    assert_true(cnBroadPhase_LoadImage(copy, image.bytes, image.count, NULL));
    assert_true(cnBroadPhase_Validate(copy));
    assert_int_equal(cnBroadPhase_Hash(copy), cnBroadPhase_Hash(original));
    for (int i = 0; i < count; ++i) {
        cnVec3 place = place_of(i);
        Found found = {0};
        cnBroadPhase_Overlap(copy, (cnBounds){place, place}, count_found, &found);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.last, i);
    }
    Found found = {0};
    cnBroadPhase_Overlap(copy, cube_at(-50.0, 0.0, 0.0), count_found, &found);
    assert_int_equal(found.count, crowd);
    found = (Found){0};
    cnBroadPhase_Overlap(copy, cube_at(0.0, 0.0, -200.0), count_found, &found);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.last, unbounded);
    free(image.bytes);
    cnBroadPhase_Destroy(original);
    cnBroadPhase_Destroy(copy);
}

static void put_number(unsigned char* at, uint32_t number) {
    memcpy(at, &number, sizeof number);
}

typedef void Damage(Image* image);

static void give_a_free_number_a_flag(Image* image) {
    put_number(image->bytes + headerBytes + (size_t)1 * proxyBytes + flagsAt, 1);
}

static void give_a_proxy_an_unknown_flag(Image* image) {
    put_number(image->bytes + headerBytes + flagsAt, 16);
}

static void give_a_proxy_an_unknown_state(Image* image) {
    put_number(image->bytes + headerBytes + stateAt, 4);
}

static void make_a_proxy_free(Image* image) {
    put_number(image->bytes + headerBytes + stateAt, 0);
}

static void make_a_live_number_free(Image* image) {
    put_number(image->bytes + headerBytes + (size_t)5 * proxyBytes, 0);
}

static void move_a_box_away(Image* image) {
    float lower = 70.0f, upper = 71.0f;
    memcpy(image->bytes + headerBytes, &lower, sizeof lower);
    memcpy(image->bytes + headerBytes + 12, &upper, sizeof upper);
}

// Both wait for an update, so that nobody asks whether they meet; the sums of their bounds are infinite.
static void turn_two_boxes_inside_out(Image* image) {
    for (int i = 2; i < 4; ++i) {
        unsigned char* proxy = image->bytes + headerBytes + (size_t)i * proxyBytes;
        float lower = i == 2 ? 3e38f : -1e9f, upper = i == 2 ? 1e9f : -3e38f;
        memcpy(proxy, &lower, sizeof lower);
        memcpy(proxy + 12, &upper, sizeof upper);
        put_number(proxy + flagsAt, 1);
    }
}

static void name_a_pair_twice(Image* image) {
    memcpy(image->bytes + image->count - 16, image->bytes + image->count - 8, 8);
}

static void name_a_proxy_beyond_the_last(Image* image) {
    put_number(image->bytes + image->count - 8, 5); // the larger number of the last pair
}

static void turn_a_pair_round(Image* image) {
    unsigned char* pair = image->bytes + image->count - 8;
    uint32_t larger;
    memcpy(&larger, pair, sizeof larger);
    memcpy(pair, pair + 4, sizeof larger);
    memcpy(pair + 4, &larger, sizeof larger);
}

// Of a row of five overlapping cubes, number 1 gone.
static void an_image_that_makes_no_sense_changes_nothing(void** state) {
    (void)state;
    static Damage* const damages[] = {
        give_a_free_number_a_flag,     give_a_proxy_an_unknown_flag,
        give_a_proxy_an_unknown_state, make_a_proxy_free,
        make_a_live_number_free,       move_a_box_away,
        turn_two_boxes_inside_out,     name_a_pair_twice,
        name_a_proxy_beyond_the_last,  turn_a_pair_round,
    };
    cnBroadPhase *original = cnBroadPhase_Create(), *copy = cnBroadPhase_Create();
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(cnBroadPhase_AddProxy(original, cube_at(0.6 * i, 0.0, 0.0), true), i);
    }
    cnBroadPhase_RemoveProxy(original, 1);
    assert_true(cnBroadPhase_Update(original, NULL, NULL, NULL, NULL));
    assert_true(cnBroadPhase_GetPairCount(original) >= 2);
    cnBroadPhase_AddProxy(copy, cube_at(0.0, 0.0, 0.0), true);
    uint64_t hash = cnBroadPhase_Hash(copy);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
        Image image = save(original);
        damages[i](&image);
        bool wrong = false;
        assert_false(cnBroadPhase_LoadImage(copy, image.bytes, image.count, &wrong));
        assert_true(wrong);
        assert_int_equal(cnBroadPhase_Hash(copy), hash);
        free(image.bytes);
    }
    Image image = save(original);
    assert_true(cnBroadPhase_LoadImage(copy, image.bytes, image.count, NULL));
    free(image.bytes);
    cnBroadPhase_Destroy(original);
    cnBroadPhase_Destroy(copy);
}

int main(void) {
    return run_all(every_proxy_of_an_image_is_found, an_image_that_makes_no_sense_changes_nothing);
}
