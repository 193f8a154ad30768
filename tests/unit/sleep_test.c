// Sleep: who falls asleep, what is read of sleepers, what wakes them, and that those that were woken go on
// like those that never slept.
#include "helpers.h"
#include "world/world.h"

#define BLOCKS 5
#define HALF 0.5 // m, of a block

static const cnSleepSettings asleep = {.enabled = true};

typedef struct Tower {
    cnBodyId blocks[BLOCKS];
} Tower;

static Tower add_tower(cnWorldId world, double x, double y, cnMaterialId material) {
    Tower tower;
    for (int i = 0; i < BLOCKS; ++i) {
        cnVec3 position = cnVec(x, y, HALF * (2 * i + 1));
        tower.blocks[i] =
            add_body(world, (cnBodyDef){.position = position}, box_of(HALF, HALF, HALF), material);
    }
    return tower;
}

static int count_asleep(cnWorldId world, const Tower* tower) {
    int count = 0;
    for (int i = 0; i < BLOCKS; ++i) {
        count += cnBody_IsAsleep(world, tower->blocks[i]);
    }
    return count;
}

typedef struct Towers {
    cnWorldId world;
    cnMaterialId material;
    cnGeometryId ground;
    Tower first, second;
} Towers;

// Two towers 10 m apart, asleep after 2 s.
static Towers make_sleeping_towers(void) {
    Towers towers = {.world = make_world((cnWorldDef){.sleep = asleep})};
    towers.material = add_material(towers.world, 0.6, 0.0);
    towers.ground = add_ground(towers.world, towers.material);
    towers.first = add_tower(towers.world, 0.0, 0.0, towers.material);
    towers.second = add_tower(towers.world, 10.0, 0.0, towers.material);
    step_world(towers.world, 120);
    assert_int_equal(count_asleep(towers.world, &towers.first), BLOCKS);
    assert_int_equal(count_asleep(towers.world, &towers.second), BLOCKS);
    assert_int_equal(cnWorld_Validate(towers.world), CN_ERROR_NONE);
    return towers;
}

// The first tower is awake, the second one is not.
static void check_one_awake(const Towers* towers) {
    assert_int_equal(count_asleep(towers->world, &towers->first), 0);
    assert_int_equal(count_asleep(towers->world, &towers->second), BLOCKS);
    assert_int_equal(cnWorld_Validate(towers->world), CN_ERROR_NONE);
}

// ---- asleep -----------------------------------------------------------------------------------------------

static void towers_fall_asleep_and_can_be_read(void** state) {
    (void)state;
    Towers towers = make_sleeping_towers();
    cnWorldId world = towers.world;
    assert_int_equal(cnWorld_GetCounters(world).awakeBodies, 0);
    assert_true(cnWorld_GetKineticEnergy(world) == 0.0);
    cnVec3 place = cnBody_GetPosition(world, towers.first.blocks[4]);
    double weight = cnBody_GetMass(world, towers.first.blocks[0]) * GRAVITY;
    for (int step = 0; step < 60; ++step) {
        step_world(world, 1);
        for (int i = 1; i < BLOCKS; ++i) { // what holds them is there to be read
            cnContactForces forces =
                cnBody_GetContactForces(world, towers.first.blocks[i], towers.first.blocks[i - 1]);
            assert_int_equal(forces.state, cn_contactContact);
            assert_near(forces.total.z, (BLOCKS - i) * weight, 1e-3 * BLOCKS * weight);
        }
    }
    assert_int_equal(cnWorld_GetCounters(world).contacts, 2 * BLOCKS);
    assert_near_vec(cnBody_GetPosition(world, towers.first.blocks[4]), place, 0.0);
    // as well when it has been woken since
    step_world(world, 1);
    assert_int_equal(cnBody_Wake(world, towers.first.blocks[0]), CN_ERROR_NONE);
    assert_int_equal(cnBody_Wake(world, towers.second.blocks[0]), CN_ERROR_NONE);
    assert_int_equal(cnWorld_GetCounters(world).contacts, 2 * BLOCKS);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// A world that is idle passes steps at once (src/world/step/idle.c); one that somebody has found in between
// goes through all of them. Both are in the same state, before and after a block is pushed.
static void idle_steps_are_steps(void** state) {
    (void)state;
    for (int k = 0; k < 2; ++k) { // merging, too
        cnWorldId worlds[2];
        Tower towers[2];
        for (int i = 0; i < 2; ++i) {
            worlds[i] = make_world((cnWorldDef){.sleep = asleep, .mergeSplit = {.enabled = k == 1}});
            cnMaterialId material = add_material(worlds[i], 0.6, 0.0);
            add_ground(worlds[i], material);
            towers[i] = add_tower(worlds[i], 0.0, 0.0, material);
        }
        int idle = 0;
        for (int step = 0; step < 400; ++step) {
            for (int i = 0; i < 2 && step == 300; ++i) {
                assert_int_equal(cnBody_SetVelocity(worlds[i], towers[i].blocks[4], cnVec(1.0, 0.0, 0.0)),
                                 CN_ERROR_NONE);
            }
            bool isIdle = cnReadWorld(worlds[0], "test")->isIdle;
            assert_false(isIdle && step >= 300 && step < 320); // it is pushed, and slides
            idle += isIdle;
            cnLookUpWorld(worlds[1])->isIdle = false;
            step_world(worlds[0], 1);
            step_world(worlds[1], 1);
            char texts[2][17];
            for (int i = 0; i < 2; ++i) {
                assert_int_equal(cnWorld_GetHash(worlds[i], texts[i]), CN_ERROR_NONE);
            }
            assert_string_equal(texts[0], texts[1]);
            assert_true(cnWorld_GetTime(worlds[0]) == cnWorld_GetTime(worlds[1]));
        }
        assert_in_range(idle, k == 0 ? 100 : 0, k == 0 ? 380 : 0); // merged bodies are watched
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(cnWorld_Validate(worlds[i]), CN_ERROR_NONE);
            assert_int_equal(cnDestroyWorld(worlds[i]), CN_ERROR_NONE);
        }
    }
}

static void nobody_sleeps_unless_asked(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = add_material(world, 0.6, 0.0);
    add_ground(world, material);
    Tower tower = add_tower(world, 0.0, 0.0, material);
    step_world(world, 180);
    assert_int_equal(count_asleep(world, &tower), 0);
    assert_int_equal(cnWorld_SetSleep(world, &asleep), CN_ERROR_NONE);
    step_world(world, 60);
    assert_int_equal(count_asleep(world, &tower), BLOCKS);
    assert_int_equal(cnWorld_SetSleep(world, &(cnSleepSettings){0}), CN_ERROR_NONE);
    assert_int_equal(count_asleep(world, &tower), 0);
    step_world(world, 60);
    assert_int_equal(count_asleep(world, &tower), 0);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// A door that a motor turns at 0.01 rad/s, below any threshold, and a ball that drifts through space.
static void what_moves_slowly_on_purpose_stays_awake(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.sleep = asleep});
    cnMaterialId material = add_material(world, 0.6, 0.0);
    cnBodyId door = add_body(world, (cnBodyDef){0}, box_of(0.5, 0.1, 1.0), material);
    cnMotor motor = {.speed = 0.01};
    cnConstraintId hinge = cnCreateConstraint(
        world, &(cnConstraintDef){.type = cn_constraintHinge, .body1 = door, .motor = {&motor}});
    step_world(world, 300);
    assert_near(cnConstraint_GetCoordinate(world, hinge, 0), 0.05, 1e-4);
    assert_false(cnBody_IsAsleep(world, door));

    cnGravity none = {.type = cn_gravityUniform};
    assert_int_equal(cnWorld_SetGravity(world, &none), CN_ERROR_NONE);
    cnBodyId drifting =
        add_body(world, (cnBodyDef){.position = cnVec(5.0, 0.0, 0.0), .velocity = cnVec(0.0, 0.01, 0.0)},
                 sphere_of(0.2), material);
    cnBodyId still = add_body(world, (cnBodyDef){.position = cnVec(9.0, 0.0, 0.0)}, sphere_of(0.2), material);
    step_world(world, 120);
    assert_near(cnBody_GetPosition(world, drifting).y, 0.02, 1e-12);
    assert_false(cnBody_IsAsleep(world, drifting));
    assert_true(cnBody_IsAsleep(world, still));
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

static void sleepless_bodies_keep_their_island_awake(void** state) {
    (void)state;
    Towers towers = make_sleeping_towers();
    assert_int_equal(cnBody_SetSleepless(towers.world, towers.first.blocks[2], true), CN_ERROR_NONE);
    step_world(towers.world, 120);
    check_one_awake(&towers);
    assert_true(cnBody_IsSleepless(towers.world, towers.first.blocks[2]));
    assert_int_equal(cnBody_SetSleepless(towers.world, towers.first.blocks[2], false), CN_ERROR_NONE);
    step_world(towers.world, 60);
    assert_int_equal(count_asleep(towers.world, &towers.first), BLOCKS);
    assert_int_equal(cnDestroyWorld(towers.world), CN_ERROR_NONE);
}

// ---- waking up --------------------------------------------------------------------------------------------

// In empty space a sleeper that is struck yields in the same step as one that never slept.
static void what_is_struck_answers_like_one_that_never_slept(void** state) {
    (void)state;
    cnVec3 ends[2][2];
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        cnGravity none = {.type = cn_gravityUniform};
        cnWorldId world = make_world((cnWorldDef){.gravity = none, .sleep = {.enabled = sleeps == 1}});
        cnMaterialId material = add_material(world, 0.5, 0.8);
        cnBodyId target = add_body(world, (cnBodyDef){.mass = 2.0}, box_of(HALF, HALF, HALF), material);
        cnBodyId ball = add_body(
            world,
            (cnBodyDef){.mass = 1.0, .position = cnVec(-8.0, 0.2, 0.1), .velocity = cnVec(6.0, 0.0, 0.0)},
            sphere_of(0.3), material);
        step_world(world, 60);
        assert_int_equal(cnBody_IsAsleep(world, target), sleeps == 1);
        step_world(world, 60);
        assert_false(cnBody_IsAsleep(world, target));
        ends[sleeps][0] = cnBody_GetPosition(world, target);
        ends[sleeps][1] = cnBody_GetPosition(world, ball);
        assert_near_vec(cnWorld_GetMomentum(world), cnVec(6.0, 0.0, 0.0), 1e-12);
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
    assert_near_vec(ends[1][0], ends[0][0], 0.0);
    assert_near_vec(ends[1][1], ends[0][1], 0.0);
}

static void a_ball_wakes_the_tower_that_it_hits(void** state) {
    (void)state;
    Towers towers = make_sleeping_towers();
    cnBodyDef def = {.position = cnVec(0.0, -4.0, 2.5), .velocity = cnVec(0.0, 8.0, 0.0), .mass = 3000.0};
    add_body(towers.world, def, sphere_of(0.4), towers.material);
    step_world(towers.world, 10);
    assert_int_equal(count_asleep(towers.world, &towers.first), BLOCKS);
    step_world(towers.world, 50);
    check_one_awake(&towers);
    assert_true(cnBody_GetPosition(towers.world, towers.first.blocks[2]).y > 0.05);
    assert_int_equal(cnDestroyWorld(towers.world), CN_ERROR_NONE);
}

static void who_loses_support_falls(void** state) {
    (void)state;
    for (int how = 0; how < 4; ++how) {
        Towers towers = make_sleeping_towers();
        cnWorldId world = towers.world;
        switch (how) {
        case 0: // the lowest block is gone
            assert_int_equal(cnDestroyBody(world, towers.first.blocks[0]), CN_ERROR_NONE);
            break;
        case 1:
            assert_int_equal(cnBody_SetEnabled(world, towers.first.blocks[0], false), CN_ERROR_NONE);
            break;
        case 2: // it is elsewhere
            assert_int_equal(cnBody_SetPosition(world, towers.first.blocks[0], cnVec(0.0, 50.0, 0.5)),
                             CN_ERROR_NONE);
            break;
        default: // the ground is gone
            assert_int_equal(cnDestroyGeometry(world, towers.ground), CN_ERROR_NONE);
            break;
        }
        step_world(world, 12);
        double fallen = 2 * HALF * 4 + HALF - cnBody_GetPosition(world, towers.first.blocks[4]).z;
        assert_near(fallen, 0.5 * GRAVITY * 0.2 * 0.2, 0.02);
        bool isSecondDown = how == 3;
        assert_int_equal(count_asleep(world, &towers.second), isSecondDown ? 0 : BLOCKS);
        assert_int_equal(cnWorld_Validate(world), CN_ERROR_NONE);
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
}

// A platform stands still, with a tower asleep on it, and then goes up, or away.
static void who_stands_on_what_moves_wakes_up(void** state) {
    (void)state;
    for (int how = 0; how < 3; ++how) {
        cnWorldId world = make_world((cnWorldDef){.sleep = asleep});
        cnMaterialId material = add_material(world, 0.6, 0.0);
        cnBodyId platform = add_body(
            world,
            (cnBodyDef){.motion = how == 2 ? cn_static : cn_kinematic, .position = cnVec(0.0, 0.0, -0.5)},
            box_of(3.0, 3.0, 0.5), material);
        Tower tower = add_tower(world, 0.0, 0.0, material);
        step_world(world, 120);
        assert_int_equal(count_asleep(world, &tower), BLOCKS);
        double top = cnBody_GetPosition(world, tower.blocks[4]).z;
        if (how == 0) {
            assert_int_equal(cnBody_SetVelocity(world, platform, cnVec(0.0, 0.0, 1.0)), CN_ERROR_NONE);
        } else if (how == 1) {
            assert_int_equal(cnBody_MoveTo(world, platform, cnVec(0.0, 0.0, 0.5), cnQuat_identity, 1.0,
                                           cn_arrivalKeepVelocity),
                             CN_ERROR_NONE);
        } else {
            assert_int_equal(cnBody_SetPosition(world, platform, cnVec(0.0, 0.0, -20.0)), CN_ERROR_NONE);
        }
        step_world(world, 60);
        assert_int_equal(count_asleep(world, &tower), 0);
        double moved = cnBody_GetPosition(world, tower.blocks[4]).z - top;
        assert_near(moved, how == 2 ? -0.5 * GRAVITY : 1.0, 0.05);
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
}

// A wall beside a tower that does not touch it is pushed into it.
static void what_is_put_into_a_sleeper_wakes_it(void** state) {
    (void)state;
    for (int how = 0; how < 2; ++how) {
        cnWorldId world = make_world((cnWorldDef){.sleep = asleep});
        cnMaterialId material = add_material(world, 0.6, 0.0);
        add_ground(world, material);
        cnBodyDef def = {.motion = how == 0 ? cn_static : cn_kinematic, .position = cnVec(1.05, 0.0, 0.5)};
        cnBodyId wall = add_body(world, def, box_of(HALF, HALF, HALF), material);
        Tower tower = add_tower(world, 0.0, 0.0, material);
        step_world(world, 120);
        assert_int_equal(count_asleep(world, &tower), BLOCKS);
        assert_int_equal(cnBody_SetPosition(world, wall, cnVec(0.99, 0.0, 0.5)), CN_ERROR_NONE);
        step_world(world, 1);
        assert_int_equal(count_asleep(world, &tower), 0);
        assert_int_equal(cnWorld_Validate(world), CN_ERROR_NONE);
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
}

static void motors_and_gravity_wake(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.sleep = asleep});
    cnMaterialId material = add_material(world, 0.6, 0.0);
    cnBodyId arm = add_body(world, (cnBodyDef){0}, box_of(0.5, 0.1, 0.1), material);
    cnConstraintId hinge = cnCreateConstraint(
        world, &(cnConstraintDef){.type = cn_constraintHinge, .body1 = arm, .axis = cnVec(0.0, 0.0, 1.0)});
    step_world(world, 60);
    assert_true(cnBody_IsAsleep(world, arm));
    double weight = cnBody_GetMass(world, arm) * GRAVITY;
    assert_near(cnConstraint_GetForce(world, hinge, 1).z, weight, 1e-6 * weight);
    cnMotor motor = {.speed = 1.0};
    assert_int_equal(cnConstraint_SetMotor(world, hinge, 0, &motor), CN_ERROR_NONE);
    step_world(world, 60);
    assert_near(cnConstraint_GetCoordinate(world, hinge, 0), 1.0, 0.02);
    motor.speed = 0.0;
    assert_int_equal(cnConstraint_SetMotor(world, hinge, 0, &motor), CN_ERROR_NONE);
    step_world(world, 60);
    assert_true(cnBody_IsAsleep(world, arm));
    // who sets the same again in every step lets it sleep
    assert_int_equal(cnConstraint_SetMotor(world, hinge, 0, &motor), CN_ERROR_NONE);
    assert_true(cnBody_IsAsleep(world, arm));
    cnGravity up = {.type = cn_gravityUniform, .acceleration = cnVec(0.0, 0.0, 1.0)};
    assert_int_equal(cnWorld_SetGravity(world, &up), CN_ERROR_NONE);
    assert_false(cnBody_IsAsleep(world, arm));
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// A joint that breaks in the very step in which what hangs on it would fall asleep.
static void who_loses_its_joint_falls(void** state) {
    (void)state;
    for (int steps = 20; steps < 40; ++steps) {
        cnWorldId world = make_world((cnWorldDef){.sleep = asleep});
        cnMaterialId material = add_material(world, 0.6, 0.0);
        cnBodyId lamp = add_body(world, (cnBodyDef){0}, box_of(0.1, 0.1, 0.1), material);
        cnConstraintId hook =
            cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintLock, .body1 = lamp});
        step_world(world, steps);
        double weight = cnBody_GetMass(world, lamp) * GRAVITY;
        assert_int_equal(cnConstraint_SetBreakLimits(world, hook, 0.5 * weight, 0.0), CN_ERROR_NONE);
        step_world(world, 31);
        assert_near(cnBody_GetPosition(world, lamp).z, -0.5 * GRAVITY * 0.25, 0.1);
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
}

typedef struct Waking {
    Towers* towers;
    bool isDone;
} Waking;

// Wakes a tower between the halves of a step: it stands as it stood.
static void wake_before_solve(cnWorldId world, uint32_t moment, void* context) {
    (void)moment;
    Waking* waking = context;
    if (!waking->isDone) {
        assert_int_equal(cnBody_Wake(world, waking->towers->first.blocks[0]), CN_ERROR_NONE);
        waking->isDone = true;
    }
}

static void who_is_woken_within_a_step_is_held(void** state) {
    (void)state;
    Towers towers = make_sleeping_towers();
    Waking waking = {&towers, false};
    cnListenerId listener = cnAddStepListener(towers.world, cn_beforeSolve, wake_before_solve, &waking);
    cnVec3 top = cnBody_GetPosition(towers.world, towers.first.blocks[4]);
    step_world(towers.world, 1);
    assert_true(waking.isDone);
    check_one_awake(&towers);
    assert_near_vec(cnBody_GetPosition(towers.world, towers.first.blocks[4]), top, 1e-6);
    assert_near(cnWorld_GetKineticEnergy(towers.world), 0.0, 1e-6);
    assert_int_equal(cnRemoveListener(towers.world, listener), CN_ERROR_NONE);
    assert_int_equal(cnDestroyWorld(towers.world), CN_ERROR_NONE);
}

// ---- piles ------------------------------------------------------------------------------------------------

#define PILE 40

// Of balls, capsules and boxes; or of boxes alone, on which friction holds without creeping.
static void make_pile(cnWorldId world, bool rolls, cnBodyId bodies[PILE]) {
    double friction = random_in(0.3, 0.9);
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    cnContactMaterialDef pair = {.material1 = material,
                                 .material2 = material,
                                 .given = cn_contactFriction | cn_contactRestitution,
                                 .friction = {friction, friction}};
    pair.given |= rolls ? 0 : cn_contactSurfaceViscosity;
    assert_made(cnCreateContactMaterial(world, &pair));
    add_ground(world, material);
    for (int i = 0; i < PILE; ++i) {
        int kind = rolls ? i % 3 : 2;
        cnShapeDef shape = kind == 0   ? sphere_of(random_in(0.15, 0.35))
                           : kind == 1 ? (cnShapeDef){.type = cn_capsule, .radius = 0.15, .height = 0.4}
                                       : box_of(random_in(0.1, 0.4), random_in(0.1, 0.4), 0.2);
        cnVec3 position = cnVec(random_in(-1.0, 1.0), random_in(-1.0, 1.0), 0.5 + 0.3 * i);
        bodies[i] = add_body(world,
                             (cnBodyDef){.position = position,
                                         .rotation = random_rotation(),
                                         .angularDamping = cnVec(0.5, 0.5, 0.5)},
                             shape, material);
    }
}

#define WINDOW 30    // steps: half a second
#define SETTLING 120 // steps: as long as what rests may wait until it has settled

// Steps until all sleep, at most so many. Returns how many it took since a body was last faster than what
// rests, in itself or in the mean of half a second.
static int sleep_pile(cnWorldId world, const cnBodyId bodies[PILE], int most) {
    static cnVec3 places[WINDOW][PILE];
    int restless = 0;
    for (int step = 1; step <= most; ++step) {
        step_world(world, 1);
        for (int i = 0; i < PILE; ++i) {
            cnVec3 place = cnBody_GetPosition(world, bodies[i]);
            bool isFast = cnLength(cnBody_GetVelocity(world, bodies[i])) > 0.05 ||
                          cnLength(cnBody_GetAngularVelocity(world, bodies[i])) > 0.2;
            bool hasCome = step <= WINDOW || cnLength(cnSub(place, places[step % WINDOW][i])) > 0.005 * 0.5;
            restless = isFast || hasCome ? step : restless;
            places[step % WINDOW][i] = place;
        }
        if (cnWorld_GetCounters(world).awakeBodies == 0) {
            return step - restless;
        }
    }
    return -1;
}

// One pile of a hundred may not be at rest after 60 s.
#define MOST_RESTLESS 1

static void piles_fall_asleep_and_wake_up_where_they_were(void** state) {
    (void)state;
    int piles = IS_SANITIZED ? 4 : 100, restless = 0;
    for (int pile = 0; pile < piles; ++pile) {
        cnWorldId world = make_world((cnWorldDef){.sleep = asleep});
        cnBodyId bodies[PILE];
        randomState = 100 + (uint64_t)pile;
        make_pile(world, true, bodies);
        int took = sleep_pile(world, bodies, 3600);
        restless += took < 0;
        assert_true(took <= 60 + SETTLING); // steps since something moved
        assert_int_equal(cnWorld_Validate(world), CN_ERROR_NONE);
        cnVec3 places[PILE];
        for (int i = 0; i < PILE && took > 0; ++i) {
            places[i] = cnBody_GetPosition(world, bodies[i]);
            assert_int_equal(cnBody_Wake(world, bodies[i]), CN_ERROR_NONE);
        }
        step_world(world, 20);
        for (int i = 0; i < PILE && took > 0; ++i) { // no faster than what sleeps
            assert_near_vec(cnBody_GetPosition(world, bodies[i]), places[i], 0.05 * 20 / 60.0);
        }
        assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
    }
    assert_in_range(restless, 0, MOST_RESTLESS);
}

#define MOST_APART 2e-3 // m
#define NEAR 1e-6       // m

static bool is_slow(cnWorldId world, const cnBodyId bodies[PILE]) {
    bool isSlow = true;
    for (int i = 0; i < PILE && isSlow; ++i) {
        isSlow = cnLength(cnBody_GetVelocity(world, bodies[i])) < 0.05 &&
                 cnLength(cnBody_GetAngularVelocity(world, bodies[i])) < 0.2;
    }
    return isSlow;
}

// How far the bodies of a pile of boxes that slept for two seconds, was woken and went on for a third of one
// are from where they would be had they never slept; printed. Nobody sleeps before all of the pile is slow:
// what falls onto sleepers falls otherwise by rounding, and where it comes to rest then is chance. What is
// left is what rests moves in that time where it never sleeps: some piles rock by micrometres yet, and in
// two to four of a hundred a box that leans falls over. (With the surface viscosity of ordinary materials
// all creep by some micrometres, as they should.)
static void who_slept_is_near_who_did_not(void** state) {
    (void)state;
    int piles = IS_SANITIZED ? 2 : 30, fell = 0, near = 0;
    for (int pile = 0; pile < piles; ++pile) {
        cnWorldId worlds[2];
        cnBodyId bodies[2][PILE];
        for (int k = 0; k < 2; ++k) {
            worlds[k] = make_world((cnWorldDef){0});
            randomState = 100 + (uint64_t)pile;
            make_pile(worlds[k], false, bodies[k]);
        }
        int steps = 0;
        for (; (steps < 60 || !is_slow(worlds[1], bodies[1])) && steps < 3000; ++steps) {
            step_world(worlds[0], 1);
            step_world(worlds[1], 1);
        }
        assert_int_equal(cnWorld_SetSleep(worlds[1], &asleep), CN_ERROR_NONE);
        int slow = steps;
        for (; cnWorld_GetCounters(worlds[1]).awakeBodies > 0 && steps < 3000; ++steps) {
            step_world(worlds[0], 1);
            step_world(worlds[1], 1);
        }
        assert_in_range(steps, 1, 2999);
        double apart = 0.0;
        for (int k = 0; k < 2; ++k) {
            step_world(worlds[k], 120);
            assert_int_equal(cnBody_Wake(worlds[k], bodies[k][3]), CN_ERROR_NONE);
            step_world(worlds[k], 20);
        }
        for (int i = 0; i < PILE; ++i) {
            cnVec3 never = cnBody_GetPosition(worlds[0], bodies[0][i]);
            apart = cnMax(apart, cnLength(cnSub(cnBody_GetPosition(worlds[1], bodies[1][i]), never)));
        }
        printf("pile %d: slow after %d steps, asleep after %d, %.3g m apart in the end\n", pile, slow, steps,
               apart);
        fell += apart > MOST_APART;
        near += apart < NEAR;
        assert_int_equal(cnDestroyWorld(worlds[0]), CN_ERROR_NONE);
        assert_int_equal(cnDestroyWorld(worlds[1]), CN_ERROR_NONE);
    }
    printf("%d of %d piles are less than %g m apart, %d more than %g m\n", near, piles, NEAR, fell,
           MOST_APART);
    assert_in_range(fell, 0, piles / 10);
    assert_in_range(near, IS_SANITIZED ? 0 : 2 * piles / 5, piles);
}

int main(void) {
    return run_all(towers_fall_asleep_and_can_be_read, idle_steps_are_steps, nobody_sleeps_unless_asked,
                   what_moves_slowly_on_purpose_stays_awake, sleepless_bodies_keep_their_island_awake,
                   what_is_struck_answers_like_one_that_never_slept, a_ball_wakes_the_tower_that_it_hits,
                   who_loses_support_falls, who_stands_on_what_moves_wakes_up,
                   what_is_put_into_a_sleeper_wakes_it, motors_and_gravity_wake, who_loses_its_joint_falls,
                   who_is_woken_within_a_step_is_held, piles_fall_asleep_and_wake_up_where_they_were,
                   who_slept_is_near_who_did_not);
}
