// Two bodies and a joint in free flight, held against the laws: energy never rises, the joint stays closed.
//
// free_linkages [--steps n] [--speed rad/s] [--ratio r] [--type k] [--solver auto|iterative|direct|split] [--verbose]
//
// Every type of joint, every shape (rods, boxes, discs, light or heavy at the first end), whole linkages that spin and bodies that spin
// against one another, from 1 to 10,000 rad/s and 1:1 to 1:1000, each for n steps of 1/60 s (200 unless told). A case is broken where
//   the kinetic energy is ever above that of the start by 1e-3 of it,
//   the joint is open by more than 1 mm beyond 1.5 times what its compliance gives under the force that it bears, below 60 rad/s (1 rad a
//   step), or by more than a tenth of the linkage's length beyond that at any speed,
//   anything is not finite, or a call fails.
// Prints broken cases and totals. Exit status 1 where a case is broken.
#include "cairn/cairn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_RATE 60.0
#define LINK_LENGTH 0.5 // m, between the centres of mass

typedef struct Options {
    int steps, type, solver;
    double speed, ratio; // 0: all
    bool verbose;
} Options;

typedef struct Case {
    cnConstraintType type;
    int shape;
    bool relative; // the bodies spin against one another, else the linkage spins as a whole
    double speed, ratio;
    uint64_t seed;
} Case;

typedef struct Result {
    double raised; // of the energy, as a part of that of the start
    double gap;    // m or rad beyond elasticity
    int gapStep;
    double gapForce; // N
    bool failed;
} Result;

static const char* const typeNames[] = {"ball",        "hinge",       "prismatic", "lock",
                                        "universal",   "cylindrical", "distance",  "planar",
                                        "angularLock", "spring",      "gear",      "screw"};
static const char* const shapeNames[] = {"rods", "boxes", "discs", "heavyFirst"};

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

static Result run(const Case* of, const Options* options) {
    Result result = {0};
    uint64_t random = 88172645463325252u ^ (of->seed * 0x9e3779b97f4a7c15u);
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
    double compliance = cnConstraint_GetCompliance(world, joint, 0);
    double centrifugal = fmin(masses[0], masses[1]) * of->speed * of->speed * LINK_LENGTH;
    for (int step = 0; step < options->steps && !result.failed; ++step) {
        result.failed = cnWorld_Step(world) != CN_ERROR_NONE;
        double energy = cnWorld_GetKineticEnergy(world);
        result.raised = fmax(result.raised, energy / start - 1.0);
        double force = cnLength(cnConstraint_GetForce(world, joint, 1)) +
                       cnLength(cnConstraint_GetTorque(world, joint, 1, false));
        force = fmax(force, centrifugal);
        // what slides off reaches far: its angles are as exact as they were
        double apart =
            cnLength(cnSub(cnBody_GetPosition(world, bodies[0]), cnBody_GetPosition(world, bodies[1])));
        double reach = fmax(1.0, apart / LINK_LENGTH);
        double gap = cnConstraint_GetViolation(world, joint) / reach - 1.5 * compliance * force;
        if (gap > result.gap) {
            result.gap = gap;
            result.gapStep = step + 1;
            result.gapForce = force;
        }
        result.failed = result.failed || !isfinite(energy) || !isfinite(gap);
    }
    cnDestroyWorld(world);
    return result;
}

static bool isBroken(const Case* of, const Result* result) {
    double limit = of->speed < STEP_RATE ? 1e-3 : 0.1 * LINK_LENGTH;
    return result->failed || result->raised > 1e-3 || result->gap > limit;
}

static bool readArguments(int count, char** words, Options* options) {
    static const char* const solvers[] = {"auto", "iterative", "direct", "split"};
    *options = (Options){.steps = 200, .type = -1};
    for (int i = 1; i < count; ++i) {
        if (strcmp(words[i], "--verbose") == 0) {
            options->verbose = true;
            continue;
        }
        if (i + 1 >= count) {
            return false;
        }
        const char *word = words[i], *value = words[++i];
        if (strcmp(word, "--solver") == 0) {
            for (options->solver = 0; options->solver < 4; ++options->solver) {
                if (strcmp(value, solvers[options->solver]) == 0) {
                    break;
                }
            }
            if (options->solver == 4) {
                return false;
            }
        } else if (strcmp(word, "--steps") == 0) {
            options->steps = atoi(value);
        } else if (strcmp(word, "--type") == 0) {
            options->type = atoi(value);
        } else if (strcmp(word, "--speed") == 0) {
            options->speed = atof(value);
        } else if (strcmp(word, "--ratio") == 0) {
            options->ratio = atof(value);
        } else {
            return false;
        }
    }
    return options->steps > 0;
}

int main(int argumentCount, char** arguments) {
    static const cnConstraintType types[] = {
        cn_constraintBall,        cn_constraintHinge,       cn_constraintPrismatic, cn_constraintLock,
        cn_constraintUniversal,   cn_constraintCylindrical, cn_constraintDistance,  cn_constraintPlanar,
        cn_constraintAngularLock, cn_constraintScrew,
    };
    static const double speeds[] = {1.0, 10.0, 50.0, 59.0, 150.0, 400.0, 1000.0, 3000.0, 10000.0};
    static const double ratios[] = {1.0, 10.0, 100.0, 1000.0};
    Options options;
    if (!readArguments(argumentCount, arguments, &options)) {
        fprintf(stderr, "free_linkages: bad arguments\n");
        return 2;
    }
    int passed = 0, failed = 0;
    uint64_t seed = 0;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t) {
        for (int shape = 0; shape < 4; ++shape) {
            for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; ++s) {
                for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; ++r) {
                    for (int relative = 0; relative < 2; ++relative) {
                        Case of = {types[t], shape, relative == 1, speeds[s], ratios[r], ++seed};
                        bool wanted = (options.type < 0 || options.type == (int)types[t]) &&
                                      (options.speed == 0.0 || options.speed == of.speed) &&
                                      (options.ratio == 0.0 || options.ratio == of.ratio);
                        if (!wanted) {
                            continue;
                        }
                        Result result = run(&of, &options);
                        bool broken = isBroken(&of, &result);
                        passed += !broken;
                        failed += broken;
                        if (broken || options.verbose) {
                            printf("%s %s %s, 1:%g, %g rad/s: energy %+.2g, gap %.3g at step %d (%.3g N)%s\n",
                                   broken ? "broken" : "lawful", typeNames[of.type], shapeNames[shape],
                                   of.ratio, of.speed, result.raised, result.gap, result.gapStep,
                                   result.gapForce, relative ? ", against one another" : "");
                        }
                    }
                }
            }
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
