// What is kept of the constraint graph and of the batches that are swept changes nothing: worlds that forget
// it before every step come to the same state, to the bit. And it is kept where things rest.
#include "helpers.h"
#include "world/world.h"

enum {
    columns = 33,
    rows = 12,
    brickCount = columns * rows,
    pairCount = 20,
    steps = 110
};

typedef struct Site {
    cnWorldId world;
    cnMaterialId material, rough;
    cnBodyId bricks[brickCount];
    cnConstraintId joints[pairCount];
    cnContactMaterialId between;
} Site;

// A wall with so many contacts that its batch is divided, and twenty pairs of boxes, on a floor that carries
// them along; and dumbbells that fly over them, swept in the batch of the wall, whose middle they shift.
static Site make_site(cnSolverType solver, bool sleeps, int threads) {
    Site site = {.world = make_world((cnWorldDef){.solver.type = solver,
                                                  .sleep.enabled = sleeps,
                                                  .threads = threads,
                                                  .gravity = {.acceleration = {0.0, 0.0, -9.80665}}})};
    site.material = add_material(site.world, 0.6, 0.0);
    site.rough = add_material(site.world, 0.6, 0.3);
    const cnVec3 velocity = {1.2, 0.0, 0.0};
    cnBodyDef floor = {.motion = cn_kinematic, .position = {0.0, 0.0, -0.5}, .velocity = velocity};
    add_body(site.world, floor, box_of(20.0, 20.0, 0.5), site.rough);
    for (int i = 0; i < brickCount; ++i) {
        int row = i / columns;
        cnVec3 place = {row % 2 * 0.2 + 0.401 * (i % columns), 0.0, 0.1 + 0.2 * row};
        cnBodyDef def = {.position = place, .velocity = velocity, .mass = 4.0};
        site.bricks[i] = add_body(site.world, def, box_of(0.2, 0.1, 0.1), site.material);
    }
    for (int i = 0; i < 40; ++i) {
        int pair = i / 2;
        cnVec3 place = {0.8 * pair - 6.0, 3.0, 0.2 + 0.4 * (i % 2)};
        cnBodyDef def = {.position = place, .velocity = velocity, .mass = 1.0};
        add_body(site.world, def, box_of(0.2, 0.2, 0.2), site.material);
    }
    for (int i = 0; i < pairCount; ++i) {
        cnBodyId balls[2];
        for (int end = 0; end < 2; ++end) {
            cnVec3 place = {-3.0 - 0.25 * i, -3.0, 4.0 + 0.6 * end};
            cnBodyDef def = {
                .position = place, .velocity = {14.0, 0.0, 0.0}, .mass = 1.0, .gravityScaleGiven = true};
            balls[end] = add_body(site.world, def, sphere_of(0.1), site.material);
        }
        cnConstraintDef joint = {.type = cn_constraintBall,
                                 .body1 = balls[0],
                                 .body2 = balls[1],
                                 .given = cn_constraintAnchor,
                                 .anchor = {-3.0 - 0.25 * i, -3.0, 4.3},
                                 .solve = cn_solveIterative};
        site.joints[i] = cnCreateConstraint(site.world, &joint);
        assert_made(site.joints[i]);
    }
    return site;
}

// Of what stands and the floor.
static void set_between(Site* site, const cnContactMaterialDef* properties) {
    cnContactMaterialDef def = *properties;
    def.material1 = site->material;
    def.material2 = site->rough;
    if (CN_IS_NULL(site->between)) {
        site->between = cnCreateContactMaterial(site->world, &def);
        assert_made(site->between);
    } else {
        assert_ok(cnContactMaterial_Set(site->world, site->between, &def));
    }
}

// What a user does as a site runs.
static void change_site(Site* site, int step) {
    switch (step) {
    case 25: // the same contacts, some with more friction than a cone
        set_between(site, &(cnContactMaterialDef){.given = cn_contactRollingResistance,
                                                  .rollingResistance = {0.01, 0.01}});
        break;
    case 32: // small islands with other solvers
        set_between(site, &(cnContactMaterialDef){.given = cn_contactFrictionModel,
                                                  .frictionModel.solve = cn_frictionSolveDirect});
        break;
    case 38:
        assert_ok(cnDestroyContactMaterial(site->world, site->between));
        break;
    case 45: // strikes the wall
        add_body(site->world,
                 (cnBodyDef){.position = {4.0, -2.0, 1.5}, .velocity = {0.0, 20.0, 0.0}, .mass = 30.0},
                 sphere_of(0.3), site->rough);
        break;
    case 52:
        assert_ok(cnDestroyBody(site->world, site->bricks[5 * columns + 3]));
        break;
    case 60:
        assert_ok(cnConstraint_SetEnabled(site->world, site->joints[2], false));
        break;
    case 68: // as many joints as before, between others
        assert_ok(cnConstraint_SetEnabled(site->world, site->joints[2], true));
        assert_ok(cnConstraint_SetEnabled(site->world, site->joints[4], false));
        break;
    case 80:
        assert_ok(cnWorld_SetSolver(site->world, &(cnSolverSettings){.type = cn_solverIterative}));
        break;
    default:
        break;
    }
}

static void expect_same(const Site* site, const Site* other, int step) {
    char hash[17], expected[17];
    assert_ok(cnWorld_GetHash(site->world, hash));
    assert_ok(cnWorld_GetHash(other->world, expected));
    if (strcmp(hash, expected) != 0) {
        fail_msg("the states differ after step %d", step);
    }
}

static void what_is_kept_changes_nothing(void** state) {
    (void)state;
    const cnSolverType solvers[] = {cn_solverAuto, cn_solverIterative};
    for (int s = 0; s < 2; ++s) {
        Site kept = make_site(solvers[s], s == 1, 3), forgetful = make_site(solvers[s], s == 1, 1);
        cnWorld *world = cnFindWorld(kept.world, "test"), *other = cnFindWorld(forgetful.world, "test");
        int sameGraphs = 0, sameBatches = 0;
        for (int step = 0; step < steps; ++step) {
            int64_t graph = world->graph.version, batches = world->batches.version;
            change_site(&kept, step);
            change_site(&forgetful, step);
            other->graph.bodyCount = 0;
            step_world(kept.world, 1);
            step_world(forgetful.world, 1);
            if (step % 5 == 4) {
                expect_same(&kept, &forgetful, step);
            }
            sameGraphs += world->graph.version == graph;
            sameBatches += world->batches.version == batches;
        }
        assert_true(other->graph.version >= steps);
        assert_true(sameGraphs > 10 && sameGraphs < steps && sameBatches > 10);
        cnDestroyWorld(kept.world);
        cnDestroyWorld(forgetful.world);
    }
}

static void a_wall_at_rest_keeps_its_graph(void** state) {
    (void)state;
    Site site = make_site(cn_solverAuto, false, 1);
    step_world(site.world, 300);
    const cnWorld* world = cnFindWorld(site.world, "test");
    assert_true(world->batches.list.count > 1 && world->batches.list.data[0].levels > 0);
    int64_t version = world->graph.version;
    step_world(site.world, 50);
    assert_true(world->graph.version - version <= 4 && world->batches.version == world->graph.version);
    cnDestroyWorld(site.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_changes_nothing),
        cmocka_unit_test(a_wall_at_rest_keeps_its_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
