// Filters: who may touch whom, and that any switch that is off wins.
#include "things.h"

typedef struct Filtered {
    cnWorldId world;
    cnGeometryId ground;
    Thing box;
} Filtered;

// The switches that keep the box from the ground; groups 1 (box) and 2 (ground), and 7 for both.
enum {
    switchCount = 7
};

static void set_switch(const Filtered* f, int index, bool on) {
    cnErrorCode code = CN_ERROR_NONE;
    switch (index) {
    case 0:
        code = cnGeometry_SetEnabled(f->world, f->box.geometry, on);
        break;
    case 1:
        code = cnGeometry_SetEnabled(f->world, f->ground, on);
        break;
    case 2:
        code = cnGeometry_SetCollisions(f->world, f->box.geometry, on);
        break;
    case 3:
        code = cnGeometry_SetCollisions(f->world, f->ground, on);
        break;
    case 4:
        code = cnWorld_SetGeometryPairEnabled(f->world, f->ground, f->box.geometry, on);
        break;
    case 5:
        code = cnWorld_SetGroupPairEnabled(f->world, 2, 1, on);
        break;
    default:
        code = cnWorld_SetGroupPairEnabled(f->world, 7, 7, on);
        break;
    }
    assert_int_equal(code, CN_ERROR_NONE);
}

static Filtered make_filtered(void) {
    Filtered f = {.world = make_world((cnWorldDef){0})};
    f.ground = add_ground(f.world, defaultMaterial);
    f.box = add_thing(f.world, (cnBodyDef){.position = {0, 0, 0.5}}, box_of(0.5, 0.5, 0.5));
    cnGeometry_AddGroup(f.world, f.box.geometry, 1);
    cnGeometry_AddGroup(f.world, f.box.geometry, 7);
    cnGeometry_AddGroup(f.world, f.ground, 2);
    cnGeometry_AddGroup(f.world, f.ground, 7);
    return f;
}

// Over all 128 settings of seven switches: the box is held exactly where all are on.
static void any_switch_that_is_off_wins(void** state) {
    (void)state;
    for (int setting = 0; setting < 1 << switchCount; ++setting) {
        Filtered f = make_filtered();
        for (int i = 0; i < switchCount; ++i) {
            set_switch(&f, i, (setting >> i & 1) != 0);
        }
        step_world(f.world, 12);
        double fallen = 0.5 - height_of(f.world, f.box);
        if (setting == (1 << switchCount) - 1) {
            assert_near(fallen, 0, 1e-3);
        } else {
            assert_near(fallen, GRAVITY * STEP * STEP * 12 * 12 / 2, 1e-9);
        }
        cnDestroyWorld(f.world);
    }
}

// Every switch at run time: off, the resting box falls from the next step on and separates once; on again,
// it touches again.
static void switches_act_from_the_next_step_on(void** state) {
    (void)state;
    for (int i = 0; i < switchCount; ++i) {
        Filtered f = make_filtered();
        step_world(f.world, 30);
        set_switch(&f, i, false);
        step_world(f.world, 1);
        cnContactForces forces = cnGeometry_GetContactForces(f.world, f.box.geometry, f.ground);
        assert_int_equal(forces.state, cn_contactSeparation);
        assert_true(cnLength(forces.total) == 0.0);
        step_world(f.world, 1);
        forces = cnGeometry_GetContactForces(f.world, f.box.geometry, f.ground);
        assert_int_equal(forces.state, cn_contactNone);
        assert_near(cnBody_GetVelocity(f.world, f.box.body).z, -2 * GRAVITY * STEP, 1e-3);
        set_switch(&f, i, true);
        step_world(f.world, 1);
        forces = cnGeometry_GetContactForces(f.world, f.box.geometry, f.ground);
        assert_int_equal(forces.state, cn_contactImpact);
        step_world(f.world, 120);
        assert_near(height_of(f.world, f.box), 0.5, 2e-3);
        assert_near(cnBody_GetContactForces(f.world, f.box.body, (cnBodyId){0}).total.z, 1000 * GRAVITY,
                    1000 * GRAVITY * 1e-3);
        cnDestroyWorld(f.world);
    }
}

// A disabled body hangs where it is and lets others through; enabled it goes on with its velocity.
static void a_disabled_body_hangs_and_lets_others_through(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    Thing shelf = add_thing(world, (cnBodyDef){.position = {0, 0, 1}, .disabled = true}, box_of(1, 1, 0.1));
    Thing ball = add_thing(world, (cnBodyDef){.position = {0, 0, 1.5}}, sphere_of(0.2));
    step_world(world, 30);
    assert_near(height_of(world, shelf), 1, 0);
    assert_near(1.5 - height_of(world, ball), GRAVITY * STEP * STEP * 30 * 30 / 2, 1e-9);
    cnBody_SetEnabled(world, shelf.body, true);
    step_world(world, 30);
    assert_near(1 - height_of(world, shelf), GRAVITY * STEP * STEP * 30 * 30 / 2, 1e-9);
    cnDestroyWorld(world);
}

static void named_groups_filter_like_numbers(void** state) {
    (void)state;
    Filtered f = make_filtered();
    uint32_t wheels = cnWorld_GetGroup(f.world, "wheels"), road = cnWorld_GetGroup(f.world, "road");
    assert_true(wheels >= 0x80000000u && road >= 0x80000000u && wheels != road);
    assert_int_equal(cnWorld_GetGroup(f.world, "wheels"), wheels);
    cnGeometry_AddGroup(f.world, f.box.geometry, wheels);
    cnGeometry_AddGroup(f.world, f.ground, road);
    cnWorld_SetGroupPairEnabled(f.world, road, wheels, false);
    step_world(f.world, 12);
    assert_true(height_of(f.world, f.box) < 0.4);
    assert_int_equal(cnWorld_GetGroup(f.world, ""), 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnWorld_GetGroup(f.world, NULL), 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    cnDestroyWorld(f.world);
}

int main(void) {
    return run_all(any_switch_that_is_off_wins, switches_act_from_the_next_step_on,
                   a_disabled_body_hangs_and_lets_others_through, named_groups_filter_like_numbers);
}
