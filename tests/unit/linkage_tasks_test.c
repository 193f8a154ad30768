// Linkages that threads solve side by side: the same states, breaks, contacts and statistics with any number
// of threads, and no memory asked for after warm-up.
#include "helpers.h"

#define LINKAGES 48
#define LINKS 4 // of a linkage
#define STEPS (IS_SANITIZED ? 20 : 60)
#define SOLVERS 3

static const cnSolverType solvers[SOLVERS] = {cn_solverAuto, cn_solverDirect, cn_solverSplit};

// What a run shows beside its state, in order; of handles their rows, as the rest is another in each world.
typedef struct Trace {
    uint64_t hash;
    int broken, contacts, direct, repeated, mostSubsteps;
} Trace;

static void note(Trace* trace, uint64_t value) {
    trace->hash = cnMix64(trace->hash ^ value);
}

static void note_number(Trace* trace, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    note(trace, bits);
}

static void note_break(cnWorldId world, cnConstraintId constraint, void* context) {
    (void)world;
    Trace* trace = context;
    trace->broken += 1;
    note(trace, (uint64_t)CN_INDEX_OF(constraint));
}

static cnContactAnswer note_contact(cnWorldId world, const cnContact* contact, void* context) {
    (void)world;
    Trace* trace = context;
    trace->contacts += 1;
    note(trace, (uint64_t)CN_INDEX_OF(contact->geometry1) << 32 | (uint64_t)CN_INDEX_OF(contact->geometry2));
    return cn_keepContact;
}

static void note_islands(cnWorldId world, Trace* trace) {
    const int count = cnWorld_GetCounters(world).islands;
    for (int i = 0; i < count; ++i) {
        const cnIslandStatistics of = cnWorld_GetIslandStatistics(world, i);
        const bool isDirect = of.solver == cn_islandDirect || of.solver == cn_islandSplit;
        trace->direct += isDirect && of.constraints > 0;
        trace->repeated += of.repeats > 0;
        trace->mostSubsteps = of.substeps > trace->mostSubsteps ? of.substeps : trace->mostSubsteps;
        note(trace, (uint64_t)of.solver << 48 | (uint64_t)of.substeps << 24 | (uint64_t)of.pivots);
        note_number(trace, of.flops);
        note_number(trace, of.residual);
        note_number(trace, of.raised);
    }
}

static cnConstraintId join(cnWorldId world, cnConstraintDef def) {
    def.given |= cn_constraintAnchor | cn_constraintAxis;
    cnConstraintId joint = cnCreateConstraint(world, &def);
    assert_made(joint);
    return joint;
}

// A chain of rods along x, of which one in three is a motor's and one in two has a range; `holder` is what
// it hangs on, null where it flies. Some break, some whirl so fast that they want more sub-steps than all may
// have.
static void add_linkage(cnWorldId world, int number, cnVec3 place, cnBodyId holder, double spin,
                        bool touches) {
    const cnMotor motor = {.given = cn_secondaryForce, .speed = 3.0, .force = {-20.0, 20.0}};
    const cnRange range = {.given = cn_secondaryLimits, .limits = {-1.0, 1.2}};
    cnBodyId before = holder;
    for (int i = 0; i < LINKS; ++i) {
        const cnBodyDef def = {
            .position = cnAdd(place, cnVec(0.35 * i + 0.175, 0.0, 0.0)),
            .velocity = {0.0, 0.0, random_in(-3.0, 1.0)},
            .angularVelocity = random_vec(spin),
            .mass = 1.0,
            .inertia = {{0.004, 0.0, 0.0}, {0.0, 0.01 + 0.002 * (i % 3), 0.0}, {0.0, 0.0, 0.012}},
        };
        cnBodyId link = cnCreateBody(world, &def);
        assert_made(link);
        if (touches) {
            add_shape(world, link, box_of(0.12, 0.05 + 0.02 * (i % 3), 0.06), defaultMaterial);
        }
        if (i > 0 || !CN_IS_NULL(holder)) {
            cnConstraintDef joint = {
                .type = (number + i) % 2 == 0 ? cn_constraintBall : cn_constraintHinge,
                .body1 = link,
                .body2 = before,
                .anchor = cnAdd(place, cnVec(0.35 * i, 0.0, 0.0)),
                .axis = {0.0, 1.0, 0.0},
                .breakForce = number % 5 == 0 ? 150.0 : 0.0,
            };
            if (joint.type == cn_constraintHinge) {
                joint.motor[0] = number % 3 == 0 ? &motor : NULL;
                joint.range[0] = i % 2 == 0 ? &range : NULL;
            }
            join(world, joint);
        }
        before = link;
    }
}

static cnBodyId add_mover(cnWorldId world, cnVec3 position) {
    return cnCreateBody(world, &(cnBodyDef){.motion = cn_kinematic,
                                            .position = position,
                                            .velocity = {0.3, 0.2, 0.0},
                                            .angularVelocity = {0.0, 0.0, 2.0}});
}

// Linkages that lie and fall, hang on the world, on a static body, on a kinematic body each and on one that
// several share; a quarter of them whirls, rad/s. They touch the ground and one another, or nothing.
static cnWorldId make_linkages(int threads, cnSolverType solver, bool touches, double whirl) {
    randomState = 5;
    cnWorldId world = make_world((cnWorldDef){.threads = threads, .solver = {.type = solver}});
    if (touches) {
        add_ground(world, defaultMaterial);
    }
    cnBodyId pole = cnCreateBody(world, &(cnBodyDef){.motion = cn_static, .position = {0.0, 0.0, 4.0}});
    cnBodyId shared = add_mover(world, cnVec(0.0, 0.0, 5.0));
    for (int number = 0; number < LINKAGES; ++number) {
        const double height = touches ? 0.3 + 0.4 * (number % 4) : 3.0;
        const int column = number % 7, line = number / 7;
        const cnVec3 place = {2.0 * column, 2.0 * line, height};
        const int kind = number % 8;
        cnBodyId holder = {0};
        holder = kind == 1 ? pole : (kind == 3 || kind == 6 ? shared : holder);
        holder = kind == 5 ? add_mover(world, place) : holder;
        add_linkage(world, number, place, holder, number % 4 == 0 ? whirl : 2.0, touches);
    }
    return world;
}

static Trace run(int threads, cnSolverType solver, double whirl, char hash[17]) {
    Trace trace = {0};
    cnWorldId world = make_linkages(threads, solver, true, whirl);
    assert_made(cnAddBreakListener(world, note_break, &trace));
    const cnContactListenerDef contacts = {
        .listener = note_contact, .mask = cn_eventImpact, .context = &trace};
    assert_made(cnAddContactListener(world, &contacts));
    for (int i = 0; i < STEPS; ++i) {
        step_world(world, 1);
        note_islands(world, &trace);
    }
    assert_ok(cnWorld_GetHash(world, hash));
    cnDestroyWorld(world);
    return trace;
}

static void threads_do_not_change(double whirl) {
    for (int s = 0; s < SOLVERS; ++s) {
        char one[17], more[17];
        const Trace alone = run(1, solvers[s], whirl, one);
        assert_true(alone.direct > 10 * STEPS);
        assert_true(alone.broken > 0 && alone.contacts > LINKAGES);
        for (int threads = 2; threads <= 8; threads *= 2) {
            const Trace together = run(threads, solvers[s], whirl, more);
            assert_string_equal(one, more);
            assert_int_equal(alone.broken, together.broken);
            assert_true(alone.hash == together.hash);
        }
    }
}

static void threads_do_not_change_linkages(void** state) {
    (void)state;
    threads_do_not_change(6.0);
}

// Their budget is for all together, in their order: many want more sub-steps than is certain at first.
static void threads_do_not_change_what_whirls(void** state) {
    (void)state;
    threads_do_not_change(150.0);
    char hash[17];
    const Trace trace = run(1, cn_solverDirect, 150.0, hash);
    assert_true(trace.mostSubsteps > 8 && trace.repeated > 0);
}

static void linkages_ask_for_no_memory_after_warm_up(void** state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads *= 2) {
        cnWorldId world = make_linkages(threads, cn_solverDirect, false, 20.0);
        step_world(world, 30);
        const size_t warm = cnGetBytesInUse();
        step_world(world, STEPS);
        assert_int_equal(cnGetBytesInUse(), warm);
        cnDestroyWorld(world);
    }
}

int main(void) {
    return run_all(threads_do_not_change_linkages, threads_do_not_change_what_whirls,
                   linkages_ask_for_no_memory_after_warm_up);
}
