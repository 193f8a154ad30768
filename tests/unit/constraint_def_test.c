// A definition makes a complete constraint: what its setters would make of it one by one, or nothing at all.
#include "api/handles.h"
#include "helpers.h"
#include "world/world.h"

#define STEPS 60

// Two bodies of 1 and 2 kg, 1 m apart.
typedef struct Pair {
    cnWorldId world;
    cnBodyId bodies[2];
} Pair;

static Pair make_pair(void) {
    Pair pair = {.world = make_world((cnWorldDef){.threads = 1})};
    for (int i = 0; i < 2; ++i) {
        pair.bodies[i] = cnCreateBody(
            pair.world, &(cnBodyDef){.position = {i, 0.0, 0.0},
                                     .mass = 1.0 + i,
                                     .inertia = {{0.1, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.2}}});
        assert_made(pair.bodies[i]);
    }
    return pair;
}

static cnConstraintDef def_between(const Pair* pair, cnConstraintType type) {
    return (cnConstraintDef){.type = type,
                             .body1 = pair->bodies[0],
                             .body2 = pair->bodies[1],
                             .given = cn_constraintAxis,
                             .axis = {0.0, 1.0, 0.0},
                             .lead = 0.1,
                             .stiffness = 50.0};
}

static const cnMotor motors[2] = {
    {.speed = 2.0, .given = cn_secondaryForce, .force = {-3.0, 4.0}},
    {.speed = 0.0, .lockAtZeroSpeed = true},
};
static const cnLockAt locks[2] = {
    {.position = 0.1,
     .given = cn_secondaryCompliance | cn_secondaryDamping,
     .compliance = 1e-3,
     .damping = 0.2},
    {.position = -0.2, .given = cn_secondaryForce, .force = {-1.0, INFINITY}, .disabled = true},
};
static const cnRange ranges[2] = {
    {.given = cn_secondaryLimits, .limits = {-0.3, 0.2}},
    {.given = cn_secondaryLimits | cn_secondaryCompliance, .limits = {-INFINITY, 0.1}, .compliance = 1e-5},
};
static const cnJointFriction frictions[2] = {
    {.coefficient = 0.3, .given = cn_secondaryRadius, .radius = 0.05},
    {.given = cn_secondaryForce, .force = 0.7},
};
static const cnRange cone = {.given = cn_secondaryLimits, .limits = {0.0, 0.4}};
static const cnRange twist = {.given = cn_secondaryLimits, .limits = {-0.1, 0.5}};
static const cnScrew screw = {.lead = 0.2, .given = cn_secondaryDamping, .damping = 0.1};

static const cnDofDef dofs[6] = {
    {.given = cn_dofCompliance, .compliance = 1e-4},
    {0},
    {.given = cn_dofDamping | cn_dofForceRange, .damping = 0.5, .forceRange = {-INFINITY, 8.0}},
    {.given = cn_dofForceRange, .forceRange = {-2.0, 3.0}},
    {.given = cn_dofCompliance | cn_dofDamping, .compliance = 0.0, .damping = 0.0},
    {0},
};

// Free coordinates of each type, and whether it has a cone and twist, or a screw.
typedef struct Takes {
    cnConstraintType type;
    int freeCount;
    bool cone, screw;
} Takes;

static const Takes takes[] = {
    {cn_constraintBall, 0, true, false},         {cn_constraintHinge, 1, false, false},
    {cn_constraintPrismatic, 1, false, false},   {cn_constraintLock, 0, false, false},
    {cn_constraintUniversal, 2, false, false},   {cn_constraintCylindrical, 2, false, true},
    {cn_constraintDistance, 1, false, false},    {cn_constraintPlanar, 0, false, false},
    {cn_constraintAngularLock, 0, false, false}, {cn_constraintSpring, 1, false, false},
    {cn_constraintScrew, 2, false, false},
};

static void set_one_by_one(cnWorldId world, cnConstraintId constraint, const Takes* of) {
    for (int dof = 0; dof < 6; ++dof) {
        const cnDofDef* own = &dofs[dof];
        if ((own->given & cn_dofCompliance) != 0) {
            assert_ok(cnConstraint_SetCompliance(world, constraint, dof, own->compliance));
        }
        if ((own->given & cn_dofDamping) != 0) {
            assert_ok(cnConstraint_SetDamping(world, constraint, dof, own->damping));
        }
        if ((own->given & cn_dofForceRange) != 0) {
            assert_ok(
                cnConstraint_SetForceRange(world, constraint, dof, own->forceRange[0], own->forceRange[1]));
        }
    }
    for (int i = 0; i < of->freeCount; ++i) {
        assert_ok(cnConstraint_SetMotor(world, constraint, i, &motors[i]));
        assert_ok(cnConstraint_SetLockAt(world, constraint, i, &locks[i]));
        assert_ok(cnConstraint_SetRange(world, constraint, i, &ranges[i]));
        assert_ok(cnConstraint_SetFriction(world, constraint, i, &frictions[i]));
    }
    if (of->cone) {
        assert_ok(cnConstraint_SetCone(world, constraint, &cone));
        assert_ok(cnConstraint_SetTwist(world, constraint, &twist));
    }
    if (of->screw) {
        assert_ok(cnConstraint_SetScrew(world, constraint, &screw));
    }
}

static void complete(cnConstraintDef* def, const Takes* of) {
    memcpy(def->dofs, dofs, sizeof dofs);
    for (int i = 0; i < of->freeCount; ++i) {
        def->motor[i] = &motors[i];
        def->lockAt[i] = &locks[i];
        def->range[i] = &ranges[i];
        def->friction[i] = &frictions[i];
    }
    def->cone = of->cone ? &cone : NULL;
    def->twist = of->cone ? &twist : NULL;
    def->screw = of->screw ? &screw : NULL;
}

static void assert_same_state(cnWorldId first, cnWorldId second) {
    char hashes[2][17];
    assert_ok(cnWorld_GetHash(first, hashes[0]));
    assert_ok(cnWorld_GetHash(second, hashes[1]));
    assert_string_equal(hashes[0], hashes[1]);
}

static void a_definition_does_what_setters_do(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof takes / sizeof takes[0]; ++i) {
        Pair whole = make_pair(), parts = make_pair();
        cnConstraintDef def = def_between(&whole, takes[i].type);
        complete(&def, &takes[i]);
        cnConstraintId made = cnCreateConstraint(whole.world, &def);
        assert_made(made);
        def = def_between(&parts, takes[i].type);
        cnConstraintId set = cnCreateConstraint(parts.world, &def);
        assert_made(set);
        set_one_by_one(parts.world, set, &takes[i]);
        assert_same_state(whole.world, parts.world);
        step_world(whole.world, STEPS);
        step_world(parts.world, STEPS);
        assert_same_state(whole.world, parts.world);
        cnDestroyWorld(whole.world);
        cnDestroyWorld(parts.world);
    }
}

static void what_is_given_is_read_back(void** state) {
    (void)state;
    Pair pair = make_pair();
    cnConstraintDef def = def_between(&pair, cn_constraintCylindrical);
    complete(&def, &takes[5]);
    def.given |= cn_constraintCompliance;
    def.compliance = 1e-6;
    cnConstraintId joint = cnCreateConstraint(pair.world, &def);
    assert_made(joint);
    static const double compliances[6] = {1e-4, 1e-6, 1e-6, 1e-6, 0.0, 1e-6};
    for (int dof = 0; dof < 6; ++dof) {
        assert_true(cnConstraint_GetCompliance(pair.world, joint, dof) == compliances[dof]);
    }
    assert_true(cnConstraint_GetDamping(pair.world, joint, 2) == 0.5);
    assert_true(cnConstraint_GetDamping(pair.world, joint, 4) == 0.0);
    assert_true(cnConstraint_GetDamping(pair.world, joint, 0) < 0.0); // two time steps
    assert_true(cnConstraint_GetMinForce(pair.world, joint, 3) == -2.0);
    assert_true(cnConstraint_GetMaxForce(pair.world, joint, 2) == 8.0);
    assert_true(cnConstraint_GetMaxForce(pair.world, joint, 0) == INFINITY);
    assert_true(cnConstraint_GetMotor(pair.world, joint, 0).speed == 2.0);
    assert_true(cnConstraint_GetMotor(pair.world, joint, 0).force[1] == 4.0);
    assert_true(cnConstraint_GetMotor(pair.world, joint, 1).lockAtZeroSpeed);
    assert_true(cnConstraint_GetLockAt(pair.world, joint, 1).disabled);
    assert_true(cnConstraint_GetLockAt(pair.world, joint, 0).compliance == 1e-3);
    // the constraint's, of the dof of that coordinate
    assert_true(cnConstraint_GetRange(pair.world, joint, 0).compliance == 1e-6);
    assert_true(cnConstraint_GetRange(pair.world, joint, 1).limits[1] == 0.1);
    assert_true(cnConstraint_GetFriction(pair.world, joint, 0).radius == 0.05);
    assert_true(cnConstraint_GetFriction(pair.world, joint, 1).force == 0.7);
    assert_true(cnConstraint_GetScrew(pair.world, joint).lead == 0.2);
    cnDestroyWorld(pair.world);
}

static void one_wrong_value_makes_nothing(void** state) {
    (void)state;
    static const cnMotor badSpeed = {.speed = NAN}, badForce = {.given = cn_secondaryForce, .force = {2, 1}};
    static const cnLockAt badPosition = {.position = 2e30};
    static const cnRange badLimits = {.given = cn_secondaryLimits, .limits = {1.0, 0.0}};
    static const cnRange badDamping = {.given = cn_secondaryDamping, .damping = -1.0};
    static const cnRange wide = {.given = cn_secondaryLimits, .limits = {0.0, 4.0}};
    static const cnJointFriction badRadius = {.given = cn_secondaryRadius, .radius = 0.0};
    static const cnScrew badLead = {.lead = INFINITY};
    const struct {
        cnConstraintDef def; // without type and bodies
        cnConstraintType type;
        cnErrorCode code;
        const char* argument;
        const char* said;
    } cases[] = {
        {{.motor = {&badSpeed}}, cn_constraintHinge, CN_ERROR_NOT_FINITE, "def.motor.speed", "nan"},
        {{.motor = {&motors[0], &badForce}},
         cn_constraintUniversal,
         CN_ERROR_OUT_OF_RANGE,
         "def.motor[1].force",
         "is [2, 1], allowed is min <= max"},
        {{.motor = {NULL, &motors[0]}},
         cn_constraintHinge,
         CN_ERROR_OUT_OF_RANGE,
         "def.motor[1]",
         "is given, allowed for a hinge is null"},
        {{.lockAt = {&badPosition}},
         cn_constraintScrew,
         CN_ERROR_OUT_OF_RANGE,
         "def.lockAt[0].position",
         "allowed is -1e+30 to 1e+30"},
        {{.range = {&badLimits}},
         cn_constraintPrismatic,
         CN_ERROR_OUT_OF_RANGE,
         "def.range.limits",
         "is [1, 0]"},
        {{.friction = {&badRadius}},
         cn_constraintHinge,
         CN_ERROR_OUT_OF_RANGE,
         "def.friction.radius",
         "is 0 m"},
        {{.friction = {&frictions[0]}},
         cn_constraintLock,
         CN_ERROR_OUT_OF_RANGE,
         "def.friction",
         "allowed for a lock is null"},
        {{.cone = &cone},
         cn_constraintHinge,
         CN_ERROR_OUT_OF_RANGE,
         "def.cone",
         "allowed for a hinge is null"},
        {{.cone = &wide}, cn_constraintBall, CN_ERROR_OUT_OF_RANGE, "def.cone.limits", "is 4 rad"},
        {{.twist = &badDamping}, cn_constraintBall, CN_ERROR_OUT_OF_RANGE, "def.twist.damping", "is -1 s"},
        {{.screw = &badLead}, cn_constraintCylindrical, CN_ERROR_NOT_FINITE, "def.screw.lead", "inf"},
        {{.dofs = {[2] = {.given = cn_dofCompliance, .compliance = -1.0}}},
         cn_constraintHinge,
         CN_ERROR_OUT_OF_RANGE,
         "def.dofs[2].compliance",
         "is -1 m/N"},
        {{.dofs = {[5] = {.given = cn_dofDamping, .damping = NAN}}},
         cn_constraintHinge,
         CN_ERROR_NOT_FINITE,
         "def.dofs[5].damping",
         "nan"},
        {{.dofs = {[0] = {.given = cn_dofForceRange, .forceRange = {1.0, NAN}}}},
         cn_constraintHinge,
         CN_ERROR_OUT_OF_RANGE,
         "def.dofs[0].forceRange",
         "allowed is min <= max"},
    };
    Pair pair = make_pair(), untouched = make_pair();
    const cnWorld* world = cnFindWorld(pair.world, "");
    size_t bytes = cnGetBytesInUse();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        cnConstraintDef def = cases[i].def;
        def.type = cases[i].type;
        def.body1 = pair.bodies[0];
        def.body2 = pair.bodies[1];
        def.lead = 1.0;
        assert_true(CN_IS_NULL(cnCreateConstraint(pair.world, &def)));
        assert_last_error(cases[i].code, cases[i].argument, cases[i].said);
        assert_string_equal(cnGetLastError()->call, "cnCreateConstraint");
        assert_int_equal(world->constraints.ids.liveCount, 0);
        assert_int_equal(world->constraints.ids.rowCount, 0);
        assert_same_state(pair.world, untouched.world);
        assert_int_equal(cnGetBytesInUse(), bytes);
    }
    cnDestroyWorld(pair.world);
    cnDestroyWorld(untouched.world);
}

static void setters_name_their_argument(void** state) {
    (void)state;
    Pair pair = make_pair();
    cnConstraintDef def = def_between(&pair, cn_constraintHinge);
    def.motor[0] = &motors[0];
    cnConstraintId hinge = cnCreateConstraint(pair.world, &def);
    assert_made(hinge);
    cnLockAt soft = {.given = cn_secondaryCompliance, .compliance = -1.0};
    assert_int_equal(cnConstraint_SetLockAt(pair.world, hinge, 0, &soft), CN_ERROR_OUT_OF_RANGE);
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "lockAt.compliance", "is -1 m/N");
    assert_int_equal(cnConstraint_SetMotor(pair.world, hinge, 0, &(cnMotor){.speed = INFINITY}),
                     CN_ERROR_NOT_FINITE);
    assert_last_error(CN_ERROR_NOT_FINITE, "motor.speed", "inf");
    assert_true(cnConstraint_GetMotor(pair.world, hinge, 0).speed == 2.0);
    assert_ok(cnConstraint_SetMotor(pair.world, hinge, 0, NULL));
    assert_true(cnConstraint_GetMotor(pair.world, hinge, 0).disabled);
    cnDestroyWorld(pair.world);
}

int main(void) {
    return run_all(a_definition_does_what_setters_do, what_is_given_is_read_back,
                   one_wrong_value_makes_nothing, setters_name_their_argument);
}
