// Two bodies and a joint in free flight, held against the laws: energy never rises, the joint stays closed.
//
// free_linkages [--steps n] [--speed rad/s] [--ratio r] [--type name] [--solver auto|iterative|direct|split]
//               [--quick] [--case n] [--verbose]
//
// Every type of joint, every shape (rods, boxes, discs, light or heavy at the first end), whole linkages
// that spin and bodies that spin against one another, from 1 to 10,000 rad/s and 1:1 to 1:1000, each for n
// steps of 1/60 s (200 unless told); --quick takes every 23rd case, --case one of them, with a line a step.
// A case is broken where
//   the kinetic energy stays above that of the start by 1e-3 of it for ten steps (what is read is of second
//   order: it swings by more where forces come up within a step),
//   the joint is open by more than 1 mm (angles at an arm of half a link) beyond 1.5 times what its
//   compliance gives under the force that it bears, after a step in which neither body turns by more than
//   1 rad, by its speed before the step and by that after it,
//   the joint is torn: open by more than a tenth of the linkage's length beyond that, however fast the bodies
//   are,
//   anything is not finite, or a call fails.
// Prints broken cases and totals. Exit status: 0, 1 where a case is broken, 2 for bad arguments.
#include "api/objects/constraints.h"
#include "cairn/cairn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define STEP_RATE 60.0
#define LINK_LENGTH 0.5 // m, between the centres of mass
#define MAX_TURN 1.0    // rad a step, within which a joint stays closed
#define MAX_GAP 1e-3    // m
#define TORN_GAP (0.1 * LINK_LENGTH)
#define MAX_RAISED 1e-3
#define ENERGY_STEPS 10
#define MAX_STEPS 1e7
#define QUICK_STRIDE 23 // of cases, coprime with the numbers of speeds, ratios and shapes

typedef struct Options {
    int steps, type, solver; // type −1: all
    double speed, ratio;     // 0: all
    int only;                // a case's number, 0: all
    bool quick, verbose;
} Options;

typedef struct Case {
    cnConstraintType type;
    int shape;
    bool relative; // the bodies spin against one another, else the linkage spins as a whole
    double speed, ratio;
    int seed; // the number of the case
} Case;

// The widest that a joint has opened beyond elasticity.
typedef struct Opening {
    double gap; // m
    int step;
    double force; // N
    double turn;  // rad that the faster body turns by in that step
} Opening;

typedef struct Result {
    double raised;    // of the energy, as a part of that of the start
    Opening any;      // after any step
    Opening resolved; // after steps of MAX_TURN at most
    bool failed;
} Result;

static const char* const typeNames[] = {"ball",        "hinge",       "prismatic", "lock",
                                        "universal",   "cylindrical", "distance",  "planar",
                                        "angularLock", "spring",      "gear",      "screw"};
static const char* const shapeNames[] = {"rods", "boxes", "discs", "heavyFirst"};

static const cnConstraintType types[] = {
    cn_constraintBall,        cn_constraintHinge,       cn_constraintPrismatic, cn_constraintLock,
    cn_constraintUniversal,   cn_constraintCylindrical, cn_constraintDistance,  cn_constraintPlanar,
    cn_constraintAngularLock, cn_constraintScrew,
};
static const double speeds[] = {1.0, 10.0, 50.0, 59.0, 150.0, 400.0, 1000.0, 3000.0, 10000.0};
static const double ratios[] = {1.0, 10.0, 100.0, 1000.0};

static double between(uint64_t* state, double lower, double upper) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return lower + (upper - lower) * (double)(*state >> 11) / 9007199254740992.0;
}

static cnVec3 randomUnit(uint64_t* state) {
    cnVec3 v;
    do {
        v = cnVec(between(state, -1.0, 1.0), between(state, -1.0, 1.0), between(state, -1.0, 1.0));
    } while (cnLengthSquared(v) > 1.0 || cnLengthSquared(v) < 1e-4);
    return cnNormalize(v);
}

// Principal moments per mass, kg m² / kg, the long side along x.
static cnVec3 momentsOf(int shape) {
    if (shape == 0) {
        return cnVec(2e-4, 0.021, 0.021); // a rod of 0.5 m
    }
    return shape == 2 ? cnVec(0.02, 0.0105, 0.0105) : cnVec(0.015, 0.024, 0.028);
}

static cnBodyId makeBody(cnWorldId world, const Case* of, double mass, double x) {
    cnVec3 m = cnScale(mass, momentsOf(of->shape));
    cnBodyDef def = {.position = cnVec(x, 0.0, 0.0), .mass = mass};
    def.inertia = (cnMat33){cnVec(m.x, 0.0, 0.0), cnVec(0.0, m.y, 0.0), cnVec(0.0, 0.0, m.z)};
    return cnCreateBody(world, &def);
}

static void setMotion(cnWorldId world, cnBodyId body, cnVec3 velocity, cnVec3 spin) {
    cnBody_SetVelocity(world, body, velocity);
    cnBody_SetAngularVelocity(world, body, spin);
}

// Velocities that the joint allows, without momentum as a whole.
static void setVelocities(cnWorldId world, const Case* of, const cnBodyId bodies[2], const double masses[2],
                          cnVec3 anchor, cnVec3 axis, uint64_t* random) {
    cnVec3 spin = cnScale(of->speed, randomUnit(random));
    cnVec3 other = spin, slide = cnVec3_zero;
    bool slides = of->type == cn_constraintPrismatic || of->type == cn_constraintCylindrical;
    if (of->relative && (of->type == cn_constraintBall || of->type == cn_constraintDistance)) {
        other = cnScale(of->speed, randomUnit(random));
    } else if (of->relative && (of->type == cn_constraintHinge || of->type == cn_constraintCylindrical)) {
        other = cnMulAdd(spin, -of->speed, axis);
    }
    if (of->relative && slides) {
        slide = cnScale(0.02 * of->speed, axis);
    }
    cnVec3 centre[2], velocity[2], spins[2] = {spin, other};
    for (int i = 0; i < 2; ++i) {
        centre[i] = cnBody_GetPosition(world, bodies[i]);
        velocity[i] = cnCross(spins[i], cnSub(centre[i], anchor));
    }
    velocity[1] = cnAdd(velocity[1], slide);
    if (of->type == cn_constraintAngularLock) {
        velocity[0] = velocity[1] = cnVec3_zero;
    }
    cnVec3 momentum = cnAdd(cnScale(masses[0], velocity[0]), cnScale(masses[1], velocity[1]));
    cnVec3 common = cnScale(1.0 / (masses[0] + masses[1]), momentum);
    for (int i = 0; i < 2; ++i) {
        setMotion(world, bodies[i], cnSub(velocity[i], common), spins[i]);
    }
}

// rad, by which the faster of the bodies turns in a step.
static double findTurn(cnWorldId world, const cnBodyId bodies[2]) {
    double fastest = 0.0;
    for (int i = 0; i < 2; ++i) {
        fastest = fmax(fastest, cnLength(cnBody_GetAngularVelocity(world, bodies[i])));
    }
    return fastest / STEP_RATE;
}

// m: of lengths as they are, of angles at the arm of half a link.
static double findGap(cnWorldId worldId, cnConstraintId joint) {
    const cnWorld* world = cnFindWorld(worldId, "free_linkages");
    int row = cnFindConstraint(world, joint, "free_linkages", "joint");
    return fmax(world->constraints.gap[row], 0.5 * LINK_LENGTH * world->constraints.misalignment[row]);
}

static void printStep(cnWorldId world, int step, double raised, const Opening* opening) {
    cnIslandStatistics island = cnWorld_GetIslandStatistics(world, 0);
    printf("step %d: energy %+.3g, gap %.3g, %.3g N, %.3g rad, %d sub-steps, %.3g J taken out\n", step,
           raised, opening->gap, opening->force, opening->turn, island.substeps, island.raised);
}

static Result run(const Case* of, const Options* options) {
    Result result = {0};
    uint64_t random = 88172645463325252u ^ ((uint64_t)of->seed * 0x9e3779b97f4a7c15u);
    cnWorldDef worldDef = {.solver.type = (cnSolverType)options->solver};
    cnWorldId world = cnCreateWorld(&worldDef);
    cnWorld_SetGravity(world, &(cnGravity){.type = cn_gravityUniform});
    double masses[2] = {1.0, of->ratio};
    if (of->shape == 3) {
        masses[0] = of->ratio;
        masses[1] = 1.0;
    }
    cnBodyId bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = makeBody(world, of, masses[i], (i - 0.5) * LINK_LENGTH);
    }
    cnVec3 anchor = cnVec3_zero;
    cnVec3 axis = randomUnit(&random);
    cnConstraintDef def = {
        .type = of->type,
        .body1 = bodies[0],
        .body2 = bodies[1],
        .given = cn_constraintAnchor | cn_constraintAxis,
        .anchor = anchor,
        .axis = axis,
        .lead = 0.05,
    };
    if (of->type == cn_constraintDistance) {
        def.given = cn_constraintAnchor;
        def.anchor = cnBody_GetPosition(world, bodies[0]);
        def.anchor2 = cnBody_GetPosition(world, bodies[1]);
    } else if (of->type == cn_constraintUniversal) {
        def.given |= cn_constraintReference;
        def.reference = cnNormalize(cnCross(axis, randomUnit(&random)));
    }
    cnConstraintId joint = cnCreateConstraint(world, &def);
    setVelocities(world, of, bodies, masses, anchor, axis, &random);
    double start = cnWorld_GetKineticEnergy(world);
    double energies[ENERGY_STEPS] = {0}; // of the last steps, raised by so much
    double compliance = cnConstraint_GetCompliance(world, joint, 0);
    double turn = findTurn(world, bodies);
    for (int step = 1; step <= options->steps && !result.failed; ++step) {
        result.failed = cnWorld_Step(world) != CN_ERROR_NONE;
        double before = turn;
        turn = findTurn(world, bodies);
        double energy = cnWorld_GetKineticEnergy(world);
        energies[step % ENERGY_STEPS] = energy / start - 1.0;
        double least = INFINITY;
        for (int i = 0; i < ENERGY_STEPS; ++i) {
            least = fmin(least, energies[i]);
        }
        result.raised = fmax(result.raised, least);
        double force = cnLength(cnConstraint_GetForce(world, joint, 1)) +
                       cnLength(cnConstraint_GetTorque(world, joint, 1, false));
        // what is read is the mean over the step, in which such a force turns
        double fastest = fmax(of->speed, STEP_RATE * fmax(before, turn));
        force = fmax(force, fmin(masses[0], masses[1]) * fastest * fastest * LINK_LENGTH);
        // what slides off reaches far: its angles are as exact as they were
        double apart =
            cnLength(cnSub(cnBody_GetPosition(world, bodies[0]), cnBody_GetPosition(world, bodies[1])));
        double reach = fmax(1.0, apart / LINK_LENGTH);
        double gap = findGap(world, joint) / reach - 1.5 * compliance * force;
        const Opening opening = {gap, step, force, fmax(before, turn)};
        if (gap > result.any.gap) {
            result.any = opening;
        }
        if (gap > result.resolved.gap && opening.turn <= MAX_TURN) {
            result.resolved = opening;
        }
        result.failed = result.failed || !isfinite(energy) || !isfinite(gap);
        if (options->only > 0) {
            printStep(world, step, energy / start - 1.0, &opening);
        }
    }
    cnDestroyWorld(world);
    return result;
}

static bool isLawful(const Result* result) {
    return !result->failed && result->raised <= MAX_RAISED && result->any.gap <= TORN_GAP &&
           result->resolved.gap <= MAX_GAP;
}

// ---- arguments --------------------------------------------------------------------------------------------

static int findName(const char* name, const char* const* names, int count) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

// One of `values`.
static bool readChoice(const char* text, const double* values, int count, double* choice) {
    char* end;
    *choice = strtod(text, &end);
    for (int i = 0; i < count; ++i) {
        if (end != text && *end == '\0' && *choice == values[i]) {
            return true;
        }
    }
    return false;
}

// A whole number from 1 to `max`.
static bool readNumber(const char* text, double max, int* number) {
    char* end;
    double value = strtod(text, &end);
    bool isRight = end != text && *end == '\0' && value >= 1.0 && value <= max && value == floor(value);
    *number = isRight ? (int)value : 0;
    return isRight;
}

// False where it is no option that has a value, or the value is none of its.
static bool readOption(const char* word, const char* value, Options* options) {
    static const char* const solvers[] = {"auto", "iterative", "direct", "split"};
    if (strcmp(word, "--steps") == 0) {
        return readNumber(value, MAX_STEPS, &options->steps);
    }
    if (strcmp(word, "--case") == 0) {
        return readNumber(value, 1e6, &options->only);
    }
    if (strcmp(word, "--solver") == 0) {
        options->solver = findName(value, solvers, COUNT(solvers));
        return options->solver >= 0;
    }
    if (strcmp(word, "--type") == 0) {
        options->type = findName(value, typeNames, COUNT(typeNames));
        return options->type >= 0;
    }
    if (strcmp(word, "--speed") == 0) {
        return readChoice(value, speeds, COUNT(speeds), &options->speed);
    }
    return strcmp(word, "--ratio") == 0 && readChoice(value, ratios, COUNT(ratios), &options->ratio);
}

static bool readArguments(int count, char** words, Options* options) {
    *options = (Options){.steps = 200, .type = -1};
    for (int i = 1; i < count; ++i) {
        const char* word = words[i];
        options->verbose = options->verbose || strcmp(word, "--verbose") == 0;
        options->quick = options->quick || strcmp(word, "--quick") == 0;
        if (strcmp(word, "--verbose") != 0 && strcmp(word, "--quick") != 0 &&
            (++i == count || !readOption(word, words[i], options))) {
            return false;
        }
    }
    return true;
}

static void printCase(const Case* of, const Result* result) {
    const Opening* any = &result->any;
    const Opening* resolved = &result->resolved;
    printf("%s %d %s %s, 1:%g, %g rad/s%s: energy %+.2g, gap %.3g at step %d (%.3g N, %.3g rad), within %g "
           "rad %.4g at step %d "
           "(%.3g N)%s\n",
           isLawful(result) ? "lawful" : "broken", of->seed, typeNames[of->type], shapeNames[of->shape],
           of->ratio, of->speed, of->relative ? " against one another" : "", result->raised, any->gap,
           any->step, any->force, any->turn, MAX_TURN, resolved->gap, resolved->step, resolved->force,
           result->failed ? ", failed" : "");
}

static bool isWanted(const Case* of, const Options* options) {
    return (options->type < 0 || options->type == (int)of->type) &&
           (options->speed == 0.0 || options->speed == of->speed) &&
           (options->ratio == 0.0 || options->ratio == of->ratio) &&
           (options->only == 0 || options->only == of->seed) &&
           (!options->quick || of->seed % QUICK_STRIDE == 0);
}

int main(int argumentCount, char** arguments) {
    Options options;
    if (!readArguments(argumentCount, arguments, &options)) {
        fprintf(stderr, "usage: free_linkages [--steps n] [--speed rad/s] [--ratio r] [--type name] "
                        "[--solver auto|iterative|direct|split] [--quick] [--case n] [--verbose]\n");
        return 2;
    }
    int passed = 0, failed = 0;
    Case of = {0};
    for (int t = 0; t < COUNT(types); ++t) {
        for (of.shape = 0; of.shape < COUNT(shapeNames); ++of.shape) {
            for (int s = 0; s < COUNT(speeds); ++s) {
                for (int r = 0; r < COUNT(ratios); ++r) {
                    for (int relative = 0; relative < 2; ++relative) {
                        of.type = types[t];
                        of.speed = speeds[s];
                        of.ratio = ratios[r];
                        of.relative = relative == 1;
                        ++of.seed;
                        if (!isWanted(&of, &options)) {
                            continue;
                        }
                        Result result = run(&of, &options);
                        passed += isLawful(&result);
                        failed += !isLawful(&result);
                        if (!isLawful(&result) || options.verbose) {
                            printCase(&of, &result);
                            fflush(stdout);
                        }
                    }
                }
            }
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
