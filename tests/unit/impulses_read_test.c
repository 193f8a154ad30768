// Impulses of impacts that are read are the changes of momentum: of a cradle, of a rod, of a linkage.
#include "helpers.h"

#define STEP (1.0 / 60)

typedef struct Scene {
    cnWorldId world;
    cnMaterialId material;
} Scene;

static Scene make_scene(double restitution) {
    Scene scene = {.world = make_world(weightless)};
    scene.material = cnCreateMaterial(scene.world, &(cnMaterialDef){.density = 1000});
    cnContactMaterialDef pair = {.material1 = scene.material,
                                 .material2 = scene.material,
                                 .given = cn_contactRestitution | cn_contactFriction,
                                 .restitution = restitution};
    cnCreateContactMaterial(scene.world, &pair);
    return scene;
}

// Adds what contacts of a body with all others gave in the last step, N s.
static void add_impulse(cnWorldId world, cnBodyId body, cnVec3* sum) {
    cnContactForces forces = cnBody_GetContactForces(world, body, (cnBodyId){0});
    *sum = cnMulAdd(*sum, STEP, forces.total);
}

// Five balls in a row, a thousandth of a metre apart, and one that strikes them.
static void a_cradle_reads_what_each_ball_got(void** state) {
    (void)state;
    Scene scene = make_scene(1);
    cnBodyId balls[6];
    cnVec3 sums[6] = {{0}};
    for (int i = 0; i < 6; ++i) {
        cnBodyDef def = {
            .position = {i == 0 ? -0.8 : 0.201 * i, 0, 0}, .mass = 2, .velocity = {i == 0 ? 3 : 0, 0, 0}};
        balls[i] = add_body(scene.world, def, sphere_of(0.1), scene.material);
    }
    for (int step = 0; step < 60; ++step) {
        step_world(scene.world, 1);
        for (int i = 0; i < 6; ++i) {
            add_impulse(scene.world, balls[i], &sums[i]);
        }
    }
    for (int i = 0; i < 6; ++i) {
        double change = 2 * (cnBody_GetVelocity(scene.world, balls[i]).x - (i == 0 ? 3 : 0));
        assert_near(sums[i].x, change, 1e-9);
    }
    assert_near(cnBody_GetVelocity(scene.world, balls[5]).x, 3, 0.01);
    assert_near(cnBody_GetVelocity(scene.world, balls[0]).x, 0, 0.01);
    cnDestroyWorld(scene.world);
}

// A ball strikes a rod beside its middle: impulse, and its moment.
static void a_rod_reads_its_blow(void** state) {
    (void)state;
    Scene scene = make_scene(0.6);
    cnBodyId rod = add_body(scene.world, (cnBodyDef){.mass = 3}, box_of(0.05, 1, 0.05), scene.material);
    cnBodyDef def = {.position = {-0.5, 0.7, 0}, .mass = 1, .velocity = {4, 0, 0}};
    cnBodyId ball = add_body(scene.world, def, sphere_of(0.1), scene.material);
    cnVec3 ofRod = {0}, ofBall = {0};
    for (int step = 0; step < 30; ++step) {
        step_world(scene.world, 1);
        add_impulse(scene.world, rod, &ofRod);
        add_impulse(scene.world, ball, &ofBall);
    }
    assert_true(ofRod.x > 1);
    assert_near(ofRod.x, 3 * cnBody_GetVelocity(scene.world, rod).x, 1e-9);
    assert_near(ofBall.x, cnBody_GetVelocity(scene.world, ball).x - 4, 1e-9);
    assert_near(cnBody_GetAngularMomentum(scene.world, rod).z, -0.7 * ofRod.x, 1e-6);
    cnDestroyWorld(scene.world);
}

// A ball strikes the first of two rods that a hinge joins: contact and hinge give each its momentum.
static void a_linkage_reads_its_blow(void** state) {
    (void)state;
    for (int solver = 0; solver < 3; ++solver) {
        static const cnSolverType solvers[3] = {cn_solverAuto, cn_solverDirect, cn_solverIterative};
        Scene scene = make_scene(0.6);
        assert_ok(cnWorld_SetSolver(scene.world, &(cnSolverSettings){.type = solvers[solver]}));
        cnBodyId rods[2];
        for (int i = 0; i < 2; ++i) {
            cnBodyDef def = {.mass = 3 - i, .position = {0, i == 0 ? -0.5 : 0.5, 0}};
            rods[i] = add_body(scene.world, def, box_of(0.05, 0.45, 0.05), scene.material);
        }
        cnConstraintId hinge = cnCreateConstraint(
            scene.world, &(cnConstraintDef){.type = cn_constraintHinge,
                                            .body1 = rods[0],
                                            .body2 = rods[1],
                                            .given = cn_constraintAnchor | cn_constraintAxis,
                                            .axis = {0, 0, 1}});
        assert_made(hinge);
        cnBodyDef def = {.position = {-0.5, -0.3, 0}, .mass = 1, .velocity = {4, 0, 0}};
        cnBodyId ball = add_body(scene.world, def, sphere_of(0.1), scene.material);
        cnVec3 ofRod = {0}, ofBall = {0}, ofHinge = {0};
        double strongest = 0;
        for (int step = 0; step < 8; ++step) {
            step_world(scene.world, 1);
            cnVec3 force = cnConstraint_GetForce(scene.world, hinge, 1);
            add_impulse(scene.world, rods[0], &ofRod);
            add_impulse(scene.world, ball, &ofBall);
            ofHinge = cnMulAdd(ofHinge, STEP, force);
            strongest = cnMax(strongest, cnLength(force) * STEP);
        }
        assert_true(ofRod.x > 1 && strongest > 0.1);
        assert_near(ofRod.x, -ofBall.x, 1e-9);
        // the energy guard takes out what the hinge raised, 2e-5 of it, and tells no force of it
        assert_near(ofBall.x, cnBody_GetVelocity(scene.world, ball).x - 4, 1e-4);
        cnVec3 p = cnWorld_GetMomentum(scene.world);
        assert_near(p.x, 4, 1e-9);
        // of the rods it is what is read, which lags by half a kick of the hinge
        assert_near(ofRod.x + ofHinge.x, 3 * cnBody_GetVelocity(scene.world, rods[0]).x, 0.02);
        assert_near(-ofHinge.x, 2 * cnBody_GetVelocity(scene.world, rods[1]).x, 0.02);
        cnDestroyWorld(scene.world);
    }
}

int main(void) {
    return run_all(a_cradle_reads_what_each_ball_got, a_rod_reads_its_blow, a_linkage_reads_its_blow);
}
