// Constraints: gradients are the derivatives of violations and coordinates, looks ahead turn as bodies do,
// lists keep track of who is joined, islands tell what solving them took.
#include "api/handles.h"
#include "dynamics/joint.h"
#include "dynamics/rotation.h"
#include "helpers.h"

static cnVec3 case_vec(double size) {
    return cnVec(case_in(-size, size), case_in(-size, size), case_in(-size, size));
}

static cnQuat case_rotation(void) {
    return cnNormalizeQuat((cnQuat){case_in(-1, 1), case_in(-1, 1), case_in(-1, 1), case_in(-1, 1)});
}

static cnBodyId make_body(cnWorldId world) {
    cnBodyDef def = {.position = case_vec(2.0),
                     .rotation = case_rotation(),
                     .mass = case_in(0.5, 5.0),
                     .centreOfMassGiven = true,
                     .centreOfMass = case_vec(0.3)};
    return cnCreateBody(world, &def);
}

// A definition of a type between two bodies, with random frames.
static cnConstraintDef make_def(cnConstraintType type, cnBodyId body1, cnBodyId body2) {
    cnVec3 axis = cnNormalize(case_vec(1.0));
    cnVec3 side = cnNormalize(cnCross(axis, case_vec(1.0)));
    return (cnConstraintDef){
        .type = type,
        .body1 = body1,
        .body2 = body2,
        .given = cn_constraintAnchor | cn_constraintAxis | cn_constraintReference,
        .anchor = case_vec(2.0),
        .anchor2 = case_vec(2.0),
        .axis = axis,
        .reference = side,
        .lead = 0.2,
        .stiffness = 1000.0,
    };
}

typedef struct Poses {
    cnVec3 centres[8];
    cnQuat rotations[8];
} Poses;

static void move_poses(const Poses* from, const cnVec3* velocities, const cnVec3* spins, double h,
                       Poses* to) {
    for (int i = 0; i < 8; ++i) {
        to->centres[i] = cnMulAdd(from->centres[i], h, velocities[i]);
        to->rotations[i] =
            cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(cnScale(h, spins[i])), from->rotations[i]));
    }
}

// A look ahead from an angular velocity is the turn from the momentum that belongs to it, for balls,
// tops and bricks.
static void curvature_terms_are_rotations_ahead(void** state) {
    (void)state;
    const cnVec3 moments[] = {{2, 2, 2}, {1, 3, 3}, {2, 2, 5}, {1, 2, 4}};
    for (int i = 0; i < 400; ++i) {
        cnQuat rotation = case_rotation(), axes = case_rotation();
        cnVec3 m = moments[i % 4], spin = case_vec(i % 3 == 0 ? 50.0 : 2.0);
        cnQuat principal = cnMulQuat(rotation, axes);
        cnVec3 momentum = cnRotate(principal, cnMul(m, cnInvRotate(principal, spin)));
        cnQuat turned = cnRotateFreely(rotation, momentum, m, axes, 0.01);
        cnQuat ahead = cnRotateSpinning(rotation, spin, m, axes, 0.01);
        assert_true(fabs(turned.x - ahead.x) + fabs(turned.y - ahead.y) + fabs(turned.z - ahead.z) +
                        fabs(turned.w - ahead.w) <
                    1e-14);
    }
}

static double difference_of(cnQuat a, cnQuat b) {
    return fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) + fabs(a.w - b.w);
}

// Two bodies side by side turn as each does alone, to the bit whatever lies beside it; large turns and
// bricks are refused.
static void pairs_rotate_as_each_does_alone(void** state) {
    (void)state;
    const cnVec3 moments[] = {{2, 2, 2}, {1, 3, 3}, {2, 2, 5}};
    cnQuat before = cnQuat_identity, axesBefore = cnQuat_identity, besideBefore;
    cnVec3 momentsBefore = moments[0], spinBefore = {1, 2, 3};
    for (int i = 0; i < 300; ++i) {
        const cnQuat rotation = case_rotation(), axes = case_rotation();
        const cnVec3 m = moments[i % 3], spin = case_vec(5.0);
        cnSymmetry symmetry, symmetryBefore;
        assert_true(cnFindSymmetry(m, axes, &symmetry));
        assert_true(cnFindSymmetry(momentsBefore, axesBefore, &symmetryBefore));
        cnQuat turned, beside, alone;
        const cnSpinning one = {&rotation, &spin.x, &symmetry, &turned};
        const cnSpinning other = {&before, &spinBefore.x, &symmetryBefore, &beside};
        const cnSpinning same = {&rotation, &spin.x, &symmetry, &alone};
        assert_true(cnRotateSpinningPair(&one, &other, 0.01));
        assert_true(difference_of(turned, cnRotateSpinning(rotation, spin, m, axes, 0.01)) < 1e-14);
        assert_true(cnRotateSpinningPair(&same, &same, 0.01));
        assert_memory_equal(&turned, &alone, sizeof turned);
        if (i > 0) {
            assert_memory_equal(&beside, &besideBefore, sizeof beside);
        }
        before = rotation, axesBefore = axes, momentsBefore = m, spinBefore = spin, besideBefore = alone;
    }
    cnSymmetry symmetry;
    assert_false(cnFindSymmetry((cnVec3){1, 2, 4}, cnQuat_identity, &symmetry));
    assert_true(cnFindSymmetry((cnVec3){1, 3, 3}, cnQuat_identity, &symmetry));
    const cnVec3 fast = {0, 50, 0}, slow = {0, 1, 0};
    cnQuat rotation = cnQuat_identity, turned = {0};
    const cnSpinning quick = {&rotation, &fast.x, &symmetry, &turned},
                     calm = {&rotation, &slow.x, &symmetry, &turned};
    assert_false(cnRotateSpinningPair(&quick, &calm, 0.01));
    assert_false(cnRotateSpinningPair(&calm, &quick, 0.01));
    assert_true(turned.w == 0.0); // nothing was written
}

static double rate_of(const cnGradient* g, int body1, int body2, const cnVec3* v, const cnVec3* w) {
    double rate = body1 >= 0 ? cnDot(g->linear, v[body1]) + cnDot(g->moment1, w[body1]) : 0.0;
    return body2 >= 0 ? rate - cnDot(g->linear, v[body2]) - cnDot(g->moment2, w[body2]) : rate;
}

// Violations and coordinates of a constraint in given poses: held rows, coordinates, cone, twist.
static int evaluate(const cnWorld* world, const cnConstraint* joint, const Poses* poses, double values[12],
                    cnHeldRow rows[12]) {
    cnJointView view = {&world->bodies, poses->centres, poses->rotations};
    cnJointFrames held;
    int count = cnJoint_FindHeld(&world->constraints, joint, &view, rows, &held);
    double gaps[6];
    assert_int_equal(cnJoint_FindGaps(&world->constraints, joint, &view, gaps), count);
    for (int i = 0; i < count; ++i) {
        values[i] = rows[i].violation;
        assert_true(fabs(gaps[i] - values[i]) <= 1e-13 * (1.0 + fabs(values[i])));
    }
    if (cnJoint_IsBallOfBodies(joint)) { // in lanes the same
        cnHeldBall ball;
        cnJoint_HoldBalls(joint, joint, &view, &ball, &ball);
        cnJoint_FindBallGaps(joint, joint, &view, gaps, gaps);
        assert_true(cnLength(cnSub(ball.arm1, held.arm1)) + cnLength(cnSub(ball.arm2, held.arm2)) < 1e-13);
        for (int i = 0; i < 3; ++i) {
            const cnGradient *g = &ball.rows[i].gradient, *h = &rows[i].gradient;
            assert_int_equal(ball.rows[i].dof, rows[i].dof);
            assert_true(fabs(gaps[i] - values[i]) <= 1e-13 * (1.0 + fabs(values[i])));
            assert_true(fabs(ball.rows[i].violation - values[i]) <= 1e-13 * (1.0 + fabs(values[i])));
            assert_true(cnLength(cnSub(g->linear, h->linear)) + cnLength(cnSub(g->moment1, h->moment1)) +
                            cnLength(cnSub(g->moment2, h->moment2)) <
                        1e-12);
        }
    }
    if (joint->body1 < 0) {
        return count;
    }
    cnJointFrames frames = cnJoint_Place(joint, &view);
    for (int i = 0; i < cnConstraintKinds[joint->type].freeCount; ++i, ++count) {
        rows[count] = (cnHeldRow){0};
        cnJoint_FindCoordinate(joint, &frames, i, &values[count], &rows[count].gradient);
    }
    if (joint->type == cn_constraintBall) {
        rows[count] = rows[count + 1] = (cnHeldRow){0};
        cnJoint_FindCone(&frames, &values[count], &rows[count].gradient);
        values[count + 1] = cnJoint_FindTwist(&frames, &rows[count + 1].gradient);
        count += 2;
    }
    return count;
}

// Angles of hinges and universals are exact where the joint holds; held rows, positions, cone and
// twist everywhere.
static bool is_exact(cnConstraintType type, int row, int heldCount) {
    bool isCoordinate = row >= heldCount;
    bool isScrew = type == cn_constraintScrew && row == heldCount - 1;
    uint32_t angular = cnConstraintKinds[type].angular;
    return !(isScrew || (isCoordinate && (angular >> (row - heldCount) & 1) != 0));
}

static void check_gradients(double violated, double tolerance, bool all) {
    for (int round = 0; round < 40; ++round) {
        cnWorldId id = make_world((cnWorldDef){0});
        cnWorld* world = cnFindWorld(id, "test");
        cnBodyId bodies[3] = {make_body(id), make_body(id), make_body(id)};
        for (int type = 0; type < cn_constraintTypeCount; ++type) {
            cnConstraintDef def = make_def((cnConstraintType)type, bodies[0], bodies[1]);
            if (type == cn_constraintGear || type == cn_constraintRackPinion) {
                cnConstraintDef hinge = make_def(cn_constraintHinge, bodies[0], bodies[1]);
                cnConstraintDef other =
                    make_def(type == cn_constraintGear ? cn_constraintHinge : cn_constraintPrismatic,
                             bodies[1], bodies[2]);
                def.constraint1 = cnCreateConstraint(id, &hinge);
                def.constraint2 = cnCreateConstraint(id, &other);
                def.ratio = -1.7;
                def.radius = 0.3;
            }
            cnConstraintId constraint = cnCreateConstraint(id, &def);
            assert_int_not_equal(constraint.value, 0);
            const cnConstraint* joint =
                &world->constraints.constraints[cnFindConstraint(world, constraint, "test", "constraint")];

            // away from where it was made, by so much; a joint that turns turns about its axis
            Poses poses, ahead, behind;
            memset(&poses, 0, sizeof poses);
            cnVec3 v[8], w[8], shift[8], turn[8];
            for (int i = 0; i < 8; ++i) {
                poses.rotations[i] = cnQuat_identity;
                v[i] = case_vec(1.0);
                w[i] = case_vec(1.0);
                shift[i] = case_vec(violated);
                turn[i] = case_vec(violated);
            }
            for (int i = 0; i < 3; ++i) {
                int row = CN_INDEX_OF(bodies[i]);
                poses.centres[row] = world->bodies.centreOfMass[row];
                poses.rotations[row] = world->bodies.rotation[row];
            }
            Poses start = poses;
            move_poses(&start, shift, turn, 1.0, &poses);

            double values[3][12];
            cnHeldRow rows[12], unused[12];
            double h = 1e-5;
            move_poses(&poses, v, w, h, &ahead);
            move_poses(&poses, v, w, -h, &behind);
            int count = evaluate(world, joint, &poses, values[0], rows);
            evaluate(world, joint, &ahead, values[1], unused);
            evaluate(world, joint, &behind, values[2], unused);
            int held = count - cnConstraintKinds[type].freeCount - (type == cn_constraintBall ? 2 : 0);
            for (int i = 0; i < count; ++i) {
                bool isKink = type == cn_constraintBall && i == held && violated < 0.01; // of the cone at 0
                if (isKink || (!all && !is_exact((cnConstraintType)type, i, held))) {
                    continue;
                }
                double rate;
                if (joint->body1 >= 0) {
                    rate = rate_of(&rows[i].gradient, joint->body1, joint->body2, v, w);
                } else if (all) {
                    const cnConstraint* a = &world->constraints.constraints[joint->partner1];
                    const cnConstraint* b = &world->constraints.constraints[joint->partner2];
                    rate = rate_of(&rows[i].gradient, a->body1, a->body2, v, w) +
                           rate_of(&rows[i].second, b->body1, b->body2, v, w);
                } else {
                    continue;
                }
                double measured = (values[1][i] - values[2][i]) / (2.0 * h);
                if (!(fabs(measured - rate) <= tolerance)) {
                    fail_msg("%s row %d: the gradient says %.9g, differences %.9g",
                             cnConstraintKinds[type].word, i, rate, measured);
                }
            }
        }
        cnDestroyWorld(id);
    }
}

static void gradients_are_derivatives_where_joints_hold(void** state) {
    (void)state;
    check_gradients(1e-9, 2e-8, false);
    check_gradients(0.0, 1e-7, true);
}

static void gradients_are_derivatives_where_joints_are_violated(void** state) {
    (void)state;
    check_gradients(0.3, 1e-7, false);
}

// ---- lists ------------------------------------------------------------------------------------------------

// The list of a body, walked, against the table.
static void check_lists(const cnWorld* world) {
    const cnConstraintTable* table = &world->constraints;
    for (int body = 0; body < world->bodies.ids.rowCount; ++body) {
        int listed = 0, joined = 0;
        for (int row = world->bodies.firstConstraint[body]; row >= 0 && world->bodies.handle[body] != 0;
             row = cnConstraint_NextOf(table, row, body)) {
            assert_true(table->constraints[row].body1 == body || table->constraints[row].body2 == body);
            assert_true((table->flags[row] & cn_constraintLive) != 0);
            listed += 1;
        }
        for (int row = 0; row < table->ids.rowCount && world->bodies.handle[body] != 0; ++row) {
            joined += (table->flags[row] & cn_constraintLive) != 0 &&
                      (table->constraints[row].body1 == body || table->constraints[row].body2 == body);
        }
        assert_int_equal(listed, joined);
    }
}

// Constraints come and go in any order; a gear goes with either of its partners, all with their bodies.
static void lists_of_constraints_keep_track_of_who_is_joined(void** state) {
    (void)state;
    enum {
        bodies = 12,
        tries = 400
    };
    cnWorldId id = make_world((cnWorldDef){.threads = 1});
    cnWorld* world = cnFindWorld(id, "test");
    cnBodyId body[bodies];
    cnConstraintId hinges[tries];
    for (int i = 0; i < bodies; ++i) {
        body[i] = make_body(id);
    }
    for (int i = 0; i < tries; ++i) {
        int a = (int)case_in(0, bodies), b = (int)case_in(-1, bodies);
        hinges[i] = (cnConstraintId){0};
        if (a != b) {
            cnConstraintDef def = make_def(cn_constraintHinge, body[a], b < 0 ? (cnBodyId){0} : body[b]);
            hinges[i] = cnCreateConstraint(id, &def);
        }
        int other = (int)case_in(0, i + 1), gone = (int)case_in(0, i + 1);
        if (other != i && cnConstraint_IsValid(id, hinges[other]) && cnConstraint_IsValid(id, hinges[i])) {
            cnConstraintId gear = cnCreateConstraint(id, &(cnConstraintDef){.type = cn_constraintGear,
                                                                            .ratio = 2.0,
                                                                            .constraint1 = hinges[i],
                                                                            .constraint2 = hinges[other]});
            assert_true(cnConstraint_IsValid(id, gear));
            if (i % 3 == 0) {
                cnDestroyConstraint(id, hinges[other]);
                assert_false(cnConstraint_IsValid(id, gear));
            }
        }
        if (i % 2 == 0 && cnConstraint_IsValid(id, hinges[gone])) {
            assert_int_equal(cnDestroyConstraint(id, hinges[gone]), CN_ERROR_NONE);
        }
        if (i % 50 == 49) {
            cnDestroyBody(id, body[a]);
            body[a] = make_body(id);
        }
        check_lists(world);
    }
    for (int i = 0; i < bodies; ++i) {
        cnDestroyBody(id, body[i]);
    }
    assert_int_equal(world->constraints.ids.liveCount, 0);
    cnDestroyWorld(id);
}

// ---- statistics -------------------------------------------------------------------------------------------

// A chain along x, held at its begin; gives its last link.
static cnBodyId make_chain(cnWorldId world, int links) {
    cnBodyId last = {0};
    for (int i = 0; i < links; ++i) {
        cnBodyId link = cnCreateBody(
            world,
            &(cnBodyDef){.position = {i, 0, 0}, .mass = 1, .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
        cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintBall,
                                                     .body1 = link,
                                                     .body2 = last,
                                                     .given = cn_constraintAnchor,
                                                     .anchor = {i - 0.5, 0, 0}});
        last = link;
    }
    return last;
}

static void islands_report_what_solving_took(void** state) {
    (void)state;
    enum {
        links = 20
    };
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    make_chain(world, links);
    step_world(world, 1);
    assert_int_equal(cnWorld_GetCounters(world).islands, 1);
    cnIslandStatistics island = cnWorld_GetIslandStatistics(world, 0);
    assert_int_equal(island.solver, cn_islandDirect);
    assert_int_equal(island.bodies, links);
    assert_int_equal(island.constraints, links);
    assert_int_equal(island.contacts, 0);
    assert_int_equal(island.rows, 3 * links);
    assert_int_equal(island.rounds, 1);
    assert_int_equal(island.pivots, 1);
    assert_int_equal(island.fallbacks, 0);
    assert_true(island.nonZeros >= 3 * links);
    assert_true(island.predictedFlops > 0.0 && island.flops >= island.predictedFlops);
    assert_true(island.residual <= 1e-8);
    cnWorld_GetIslandStatistics(world, 1);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    cnDestroyWorld(world);
}

// A system without a finite solution was solved directly all the same.
static void a_failed_island_was_solved_directly(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId last = make_chain(world, 4);
    assert_int_equal(cnBody_SetVelocity(world, last, cnVec(0, 1e20, 0)), CN_ERROR_NONE);
    assert_int_equal(cnWorld_Step(world), CN_ERROR_NON_FINITE_STATE);
    assert_false(cnBody_IsEnabled(world, last));
    cnIslandStatistics island = cnWorld_GetIslandStatistics(world, 0);
    assert_int_equal(island.solver, cn_islandDirect);
    assert_int_equal(island.bodies, 4);
    assert_int_equal(island.rows, 12);
    assert_true(island.rounds > 0 && island.substeps > 0);
    cnDestroyWorld(world);
}

// ---- breaking ---------------------------------------------------------------------------------------------

typedef struct Heard {
    int count;
    cnConstraintId last;
} Heard;

static void record_break(cnWorldId world, cnConstraintId constraint, void* context) {
    Heard* heard = context;
    assert_true(cnConstraint_IsBroken(world, constraint));
    heard->count += 1;
    heard->last = constraint;
}

// A kilogram on each of three joints, which bear 4 N, 20 N and 4 N of its 9.81 N; in the first step the
// half of that acts.
static void break_listeners_hear_of_overloaded_joints(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    const double limits[3] = {4.0, 20.0, 4.0};
    cnConstraintId joints[3];
    for (int i = 0; i < 3; ++i) {
        cnBodyId body = cnCreateBody(
            world,
            &(cnBodyDef){.position = {i, 0, 0}, .mass = 1, .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
        joints[i] = cnCreateConstraint(
            world, &(cnConstraintDef){.type = cn_constraintBall, .body1 = body, .breakForce = limits[i]});
    }
    Heard heard = {0}, deaf = {0};
    cnListenerId listener = cnAddBreakListener(world, record_break, &heard);
    assert_int_equal(cnRemoveListener(world, cnAddBreakListener(world, record_break, &deaf)), CN_ERROR_NONE);
    assert_int_equal(cnAddBreakListener(world, NULL, NULL).value, 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    step_world(world, 1);
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.last.value, joints[2].value);
    assert_int_equal(cnWorld_GetBrokenCount(world), 2);
    assert_int_equal(cnWorld_GetBrokenConstraint(world, 0).value, joints[0].value);
    assert_int_equal(cnWorld_GetBrokenConstraint(world, 2).value, 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    step_world(world, 1);
    assert_int_equal(cnWorld_GetBrokenCount(world), 0);
    assert_int_equal(heard.count, 2);
    assert_int_equal(deaf.count, 0);
    assert_int_equal(cnRemoveListener(world, listener), CN_ERROR_NONE);
    cnDestroyWorld(world);
}

// ---- the energy guard -------------------------------------------------------------------------------------

typedef struct Guarded {
    int count;
    double energy; // J, of all
    cnGuardEvent last;
} Guarded;

static void record_guard(cnWorldId world, const cnGuardEvent* event, void* context) {
    Guarded* heard = context;
    assert_true(cnBody_IsValid(world, event->body));
    assert_true(event->energy > 0.0);
    heard->count += 1;
    heard->energy += event->energy;
    heard->last = *event;
}

// Three capsules without weight, of which a ball joint pulls two into the third between them:
// tests/hunt/explosions/wedge-three-capsules.json, moved along y.
static cnBodyId make_wedge(cnWorldId world, double y) {
    const double radii[3] = {0.065, 0.075, 0.065}, heights[3] = {0.26, 0.24, 0.26};
    const cnVec3 positions[3] = {{-2.9052958409367253, y, -0.5190595496415686},
                                 {-2.759812806888586, y, -0.29869956644737616},
                                 {-3.040358423257615, y, -0.5696131267136011}};
    const cnQuat across = {0.264883118431714, 0.2648831184317141, -0.6556195036527593, -0.6556195036527594};
    const cnQuat rotations[3] = {
        {0.3327367334669959, 0.33273673346699595, 0.6239280937750065, 0.6239280937750065}, across, across};
    cnBodyId bodies[3];
    for (int i = 0; i < 3; ++i) {
        bodies[i] = cnCreateBody(world, &(cnBodyDef){.position = positions[i], .rotation = rotations[i]});
        cnShapeId shape =
            cnCreateShape(world, &(cnShapeDef){.type = cn_capsule, .radius = radii[i], .height = heights[i]});
        cnShapeInstance instance = {.shape = shape};
        cnCreateGeometry(world, &(cnGeometryDef){.body = bodies[i], .shapes = &instance, .shapeCount = 1});
    }
    cnConstraintId joint = cnCreateConstraint(
        world, &(cnConstraintDef){.type = cn_constraintBall,
                                  .body1 = bodies[1],
                                  .body2 = bodies[2],
                                  .given = cn_constraintAnchor,
                                  .anchor = {-2.9036823537444985, y, -0.43762959735313256}});
    assert_false(CN_IS_NULL(joint));
    return bodies[0];
}

// Two wedges far from one another: both are acted on in the same steps, by the same amounts.
static void guard_listeners_hear_of_every_island(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){
        .gravity = {.type = cn_gravityUniform}, .solver = {.type = cn_solverSplit}, .threads = 1});
    const cnBodyId first[2] = {make_wedge(world, 0.0), make_wedge(world, 100.0)};
    Guarded heard = {0}, deaf = {0};
    cnListenerId listener = cnAddGuardListener(world, record_guard, &heard);
    assert_int_equal(cnRemoveListener(world, cnAddGuardListener(world, record_guard, &deaf)), CN_ERROR_NONE);
    assert_int_equal(cnAddGuardListener(world, NULL, NULL).value, 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    int both = 0, warmUp = 10;
    size_t bytes = 0;
    for (int step = 0; step < 60; ++step) {
        const int before = heard.count;
        step_world(world, 1);
        const int count = cnWorld_GetGuardEventCount(world);
        assert_int_equal(heard.count - before, count);
        assert_int_equal(cnWorld_GetCounters(world).guardedIslands, count);
        assert_int_equal(cnWorld_GetGuardEvent(world, count).body.value, 0);
        assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
        for (int i = 0; count == 2 && i < 2; ++i) {
            assert_int_equal(cnWorld_GetGuardEvent(world, i).body.value, first[i].value);
        }
        both += count == 2;
        if (count > 0) {
            assert_int_equal(heard.last.body.value, cnWorld_GetGuardEvent(world, count - 1).body.value);
        }
        bytes = step == warmUp ? cnGetBytesInUse() : bytes;
    }
    assert_true(both > 10);
    assert_true(heard.energy > 0.1);
    assert_int_equal(cnGetBytesInUse(), bytes);
    assert_int_equal(deaf.count, 0);
    assert_int_equal(cnRemoveListener(world, listener), CN_ERROR_NONE);
    cnDestroyWorld(world);
}

// A box hangs at rest on a joint.
static void the_guard_leaves_rest_alone(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.threads = 1});
    cnBodyId body =
        cnCreateBody(world, &(cnBodyDef){.mass = 1, .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintBall, .body1 = body});
    Guarded heard = {0};
    cnAddGuardListener(world, record_guard, &heard);
    for (int step = 0; step < 120; ++step) {
        step_world(world, 1);
        assert_int_equal(cnWorld_GetGuardEventCount(world), 0);
        assert_int_equal(cnWorld_GetCounters(world).guardedIslands, 0);
    }
    assert_int_equal(heard.count, 0);
    cnDestroyWorld(world);
}

int main(void) {
    return run_all(curvature_terms_are_rotations_ahead, pairs_rotate_as_each_does_alone,
                   gradients_are_derivatives_where_joints_hold,
                   gradients_are_derivatives_where_joints_are_violated,
                   lists_of_constraints_keep_track_of_who_is_joined, islands_report_what_solving_took,
                   a_failed_island_was_solved_directly, break_listeners_hear_of_overloaded_joints,
                   guard_listeners_hear_of_every_island, the_guard_leaves_rest_alone);
}
