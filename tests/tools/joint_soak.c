// One world in which jointed bodies are made above a pit, fall and are destroyed again all the time.
//
// joint_soak [--steps n] [--seed s] [--threads n] [--mixed] [--verbose]
//
// Ragdolls, chains of all types of joints, vehicles with driven wheels, platforms that hang, slide or are
// carried, gears and racks: about 60 bodies at a time, some joints break, and for a third of the time all are
// swept (`fast`). Meanwhile joints are disabled and enabled, motors changed, joints destroyed, and bodies
// destroyed while their joints live, between steps, between the halves of a step and from a listener. After
// each step (1,000 of 1/60 s unless told otherwise):
//   error     no call fails but those that are made wrongly on purpose, which fail as they should
//             and change nothing
//   finite    all poses and velocities are finite
//   speed     no centre of mass is faster than MAX_SPEED, several times what the fall gives
//   under     no centre of mass is below ground by more than the body's own size and the way that
//             it made in a step
//   torn      no joint is open by more than 5 cm or 0.25 rad beyond what its compliance explains under the
//             force that it bears
//   rows      no table has more rows than were in use at a time, and those whose handles are used up
//   memory    after a tenth of the steps, and no less than WARM_UP_LEAST, the largest number of bytes in use
//             grows no more than by a part of GROWTH, nor does the number of blocks that a world holds of
//             which all bodies are destroyed
//   leftover  nothing is left in a world of which all bodies are destroyed, and nothing of the
//             world in the end
//
// --mixed has some bodies swept and others not at the same time, which breaks `under` today: a linkage that
// CCD stops at a body that is not swept goes along with it as one rigid body, which takes far members through
// the ground where that body spins or falls (src/world/ccd_bodies.c). --verbose prints every breach.
// Prints totals, the first breach of each law, and how many laws hold. Exit status: 0, 1 where a law is
// broken, 2 for bad arguments.
#include "cairn/cairn.h"
#include "columns.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

#define STEP_TIME (1.0 / 60.0) // s
#define PIT_HALF 4.0           // m, half its width
#define TOP_HEIGHT 9.0         // m, of what is made, at most
#define MAX_SPEED 50.0         // m/s
#define TORN_LENGTH 0.05       // m
#define TORN_ANGLE 0.25        // rad
#define ELASTIC_FACTOR 1.5     // forces are means over a step; peaks within it are larger
#define FORCE_FADE 0.7         // a step: what a row gives way under an impact goes back as its damping has it
#define GROWTH 0.5
#define WARM_UP 0.1       // of the steps
#define WARM_UP_MIN 500   // steps
#define CLEARINGS 20      // times that all is destroyed
#define LIVES_OF_ROW 4095 // after which its handles are used up
#define CARRY_TIME 10.0   // s
#define MENDED_LENGTH 0.1 // m
#define MENDED_ANGLE 0.15 // half-angle's sine
#define SETTLING 60       // steps that an enabled joint has to close again

enum {
    bodyTarget = 60,
    maxAssemblies = 40,
    maxParts = 16,
    statusBroken = 1,
    statusBadInput = 2
};

typedef enum Law {
    lawError = 0,
    lawFinite,
    lawSpeed,
    lawUnder,
    lawTorn,
    lawRows,
    lawMemory,
    lawLeftover,
    lawCount
} Law;

static const char* const lawNames[lawCount] = {"error", "finite", "speed",  "under",
                                               "torn",  "rows",   "memory", "leftover"};

typedef struct Breach {
    int step, count;
    char what[288]; // the first
} Breach;

typedef struct Part {
    cnBodyId id;
    double size;    // m, the largest extent
    double fastest; // m/s so far
} Part;

typedef struct Joint {
    cnConstraintId id;
    cnConstraintType type;
    double force, torque; // N and N m that it bears, fading
    int settling;         // steps that it may still be open
    bool isPut;           // disabled by toggle, in this pose of the first frame in the second
    cnPose pose;
} Joint;

typedef struct Assembly {
    const char* name;
    Part parts[maxParts];
    Joint joints[maxParts];
    int partCount, jointCount; // 0 parts: free
    int age, lifetime;         // steps
} Assembly;

typedef struct Heap {
    atomic_size_t bytes, blocks; // threads that help a step may allocate, too
    size_t maxBytes;             // at the end of a step
} Heap;

typedef struct Options {
    int steps, seed, threads;
    bool mixed, verbose;
} Options;

typedef struct Soak {
    cnWorldId world;
    Options options;
    uint64_t random;
    int step, clearings;
    cnMaterialId material;
    Assembly assemblies[maxAssemblies];
    Assembly* making; // what joints and bodies are added to
    bool isFast, breaks;
    Breach breaches[lawCount];
    int maxRows[cn_tableCount]; // in use at a time
    double made[cn_tableCount];
    double destroyed, toggled, driven, broken, misused;
    size_t warmBytes, warmBlocks, blocks; // blocks: at the last clearing
    double fastest, widest, lowest;       // m/s, m, m
} Soak;

// ---- numbers ----------------------------------------------------------------------------------------------

static double between(Soak* soak, double lower, double upper) {
    uint64_t* state = &soak->random;
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return lower + (upper - lower) * (double)(*state >> 11) / 9007199254740992.0;
}

// 0…count − 1.
static int pick(Soak* soak, int count) {
    return (int)between(soak, 0.0, count);
}

static bool chance(Soak* soak, double probability) {
    return between(soak, 0.0, 1.0) < probability;
}

static cnVec3 randomUnit(Soak* soak) {
    cnVec3 v;
    do {
        v.x = between(soak, -1.0, 1.0);
        v.y = between(soak, -1.0, 1.0);
        v.z = between(soak, -1.0, 1.0);
    } while (cnLengthSquared(v) > 1.0 || cnLengthSquared(v) < 1e-4);
    return cnNormalize(v);
}

// ---- memory and errors ------------------------------------------------------------------------------------

static void* takeBlock(size_t bytes, void* context) {
    Heap* heap = context;
    void* memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (memory != NULL) {
        heap->bytes += bytes;
        heap->blocks += 1;
    }
    return memory;
}

static void releaseBlock(void* memory, size_t bytes, void* context) {
    Heap* heap = context;
    heap->bytes -= bytes;
    heap->blocks -= 1;
    free(memory);
}

static void breakLaw(Soak* soak, Law law, const char* what, double amount) {
    Breach* breach = &soak->breaches[law];
    if (soak->options.verbose) {
        fprintf(stderr, "%s@%d: %s %.4g\n", lawNames[law], soak->step, what, amount);
    }
    if (breach->count++ == 0) {
        breach->step = soak->step;
        snprintf(breach->what, sizeof breach->what, "%s %.4g", what, amount);
    }
}

static void expect(Soak* soak, cnErrorCode code, const char* call) {
    if (code != CN_ERROR_NONE) {
        char what[96];
        snprintf(what, sizeof what, "%s: %s", call, cnErrorName(code));
        breakLaw(soak, lawError, what, 0.0);
    }
}

static void expectCode(Soak* soak, cnErrorCode code, cnErrorCode wanted, const char* call) {
    soak->misused += 1.0;
    if (code != wanted) {
        char what[96];
        snprintf(what, sizeof what, "%s: %s instead of %s", call, cnErrorName(code), cnErrorName(wanted));
        breakLaw(soak, lawError, what, 0.0);
    }
}

// ---- bodies and joints ------------------------------------------------------------------------------------

static cnBodyId addBody(Soak* soak, cnBodyDef def, const cnShapeDef* shapeDef, double size) {
    cnWorldId world = soak->world;
    def.fast = soak->isFast && (!soak->options.mixed || chance(soak, 0.7));
    cnShapeId shape = cnCreateShape(world, shapeDef);
    cnBodyId body = cnCreateBody(world, &def);
    const cnShapeInstance instance = {.shape = shape};
    const cnGeometryDef geometry = {
        .body = body,
        .shapes = &instance,
        .shapeCount = 1,
        .material = soak->material,
    };
    if (CN_IS_NULL(shape) || CN_IS_NULL(body) || CN_IS_NULL(cnCreateGeometry(world, &geometry))) {
        expect(soak, cnGetLastError()->code, "addBody");
    }
    expect(soak, cnReleaseShape(world, shape), "cnReleaseShape");
    soak->made[cn_tableBodies] += 1.0;
    soak->made[cn_tableShapes] += 1.0;
    soak->made[cn_tableGeometries] += 1.0;
    soak->made[cn_tableProxies] += 1.0;
    Assembly* assembly = soak->making;
    assembly->parts[assembly->partCount++] = (Part){.id = body, .size = size};
    return body;
}

static cnBodyId addBox(Soak* soak, cnVec3 position, cnVec3 half) {
    const cnShapeDef shape = {.type = cn_box, .halfExtents = half};
    return addBody(soak, (cnBodyDef){.position = position}, &shape, 2.0 * cnLength(half));
}

// Capsules and cylinders lie along y unless they are turned.
static cnBodyId addLong(Soak* soak, cnShapeType type, cnVec3 position, cnQuat rotation, double radius,
                        double height) {
    const cnShapeDef shape = {.type = type, .radius = radius, .height = height};
    const cnBodyDef def = {.position = position, .rotation = rotation};
    return addBody(soak, def, &shape, height + 2.0 * radius);
}

static cnConstraintId addConstraint(Soak* soak, const cnConstraintDef* given) {
    cnConstraintDef def = *given;
    if (soak->breaks && chance(soak, 0.5)) {
        def.breakForce = between(soak, 200.0, 5000.0);
    }
    cnConstraintId id = cnCreateConstraint(soak->world, &def);
    if (CN_IS_NULL(id)) {
        expect(soak, cnGetLastError()->code, "cnCreateConstraint");
        return id;
    }
    soak->made[cn_tableConstraints] += 1.0;
    Assembly* assembly = soak->making;
    assembly->joints[assembly->jointCount++] = (Joint){.id = id, .type = def.type};
    return id;
}

static cnConstraintId join(Soak* soak, cnConstraintType type, cnBodyId body1, cnBodyId body2, cnVec3 anchor,
                           cnVec3 axis) {
    cnConstraintDef def = {
        .type = type,
        .body1 = body1,
        .body2 = body2,
        .given = cn_constraintAnchor | cn_constraintAxis,
        .anchor = anchor,
        .axis = axis,
        .lead = 0.1,
    };
    if (type == cn_constraintDistance || type == cn_constraintSpring) {
        bool isFixed = CN_IS_NULL(body2);
        def.anchor = cnBody_GetPosition(soak->world, body1);
        def.anchor2 = isFixed ? anchor : cnBody_GetPosition(soak->world, body2);
        def.stiffness = cnBody_GetMass(soak->world, body1) * 400.0;
        def.viscosity = cnBody_GetMass(soak->world, body1) * 4.0;
    } else if (type == cn_constraintUniversal) {
        def.given |= cn_constraintReference;
        def.reference = cnNormalize(cnCross(axis, cnMinAxis(axis)));
    }
    return addConstraint(soak, &def);
}

static void setRange(Soak* soak, cnConstraintId joint, int index, double lower, double upper) {
    const cnRange range = {.given = cn_secondaryLimits, .limits = {lower, upper}};
    expect(soak, cnConstraint_SetRange(soak->world, joint, index, &range), "cnConstraint_SetRange");
}

static void setMotor(Soak* soak, cnConstraintId joint, int index, double speed, double force) {
    const cnMotor motor = {.given = cn_secondaryForce, .speed = speed, .force = {-force, force}};
    expect(soak, cnConstraint_SetMotor(soak->world, joint, index, &motor), "cnConstraint_SetMotor");
}

static bool isCoupling(cnConstraintType type) {
    return type == cn_constraintGear || type == cn_constraintRackPinion;
}

// How many coordinates with motors a type has.
static int countCoordinates(cnConstraintType type) {
    switch (type) {
    case cn_constraintHinge:
    case cn_constraintPrismatic:
    case cn_constraintDistance:
    case cn_constraintSpring:
        return 1;
    case cn_constraintUniversal:
    case cn_constraintCylindrical:
    case cn_constraintScrew:
        return 2;
    default:
        return 0;
    }
}

// ---- assemblies -------------------------------------------------------------------------------------------
//
// Each fits into a box of 3 m by 3 m by 2 m about `at`.

static const double quarter = 0.70710678118654752440;

static void makeRagdoll(Soak* soak, cnVec3 at) {
    const cnQuat alongX = {0.0, 0.0, quarter, quarter}, alongZ = {quarter, 0.0, 0.0, quarter};
    const cnVec3 x = cnVec(1.0, 0.0, 0.0), z = cnVec(0.0, 0.0, 1.0);
    cnBodyId pelvis = addBox(soak, at, cnVec(0.18, 0.12, 0.12));
    cnBodyId chest = addBox(soak, cnAdd(at, cnVec(0.0, 0.0, 0.35)), cnVec(0.2, 0.13, 0.19));
    cnBodyId head = addLong(soak, cn_sphere, cnAdd(at, cnVec(0.0, 0.0, 0.72)), (cnQuat){0}, 0.13, 0.0);
    const cnConstraintType backs[] = {cn_constraintBall, cn_constraintHinge, cn_constraintUniversal};
    join(soak, backs[pick(soak, COUNT(backs))], chest, pelvis, cnAdd(at, cnVec(0.0, 0.0, 0.14)), z);
    const cnRange cone = {.given = cn_secondaryLimits, .limits = {0.0, between(soak, 0.3, 1.4)}};
    const cnRange twist = {.given = cn_secondaryLimits, .limits = {-0.6, 0.6}};
    cnConstraintId balls[5];
    balls[0] = join(soak, cn_constraintBall, head, chest, cnAdd(at, cnVec(0.0, 0.0, 0.56)), z);
    for (int side = -1, i = 1; side <= 1; side += 2, i += 2) {
        cnVec3 shoulder = cnAdd(at, cnVec(0.23 * side, 0.0, 0.45));
        cnVec3 elbow = cnAdd(at, cnVec(0.6 * side, 0.0, 0.45));
        cnVec3 hip = cnAdd(at, cnVec(0.1 * side, 0.0, -0.15));
        cnVec3 knee = cnAdd(at, cnVec(0.1 * side, 0.0, -0.635));
        cnBodyId upperArm =
            addLong(soak, cn_capsule, cnAdd(at, cnVec(0.42 * side, 0.0, 0.45)), alongX, 0.07, 0.2);
        cnBodyId lowerArm =
            addLong(soak, cn_capsule, cnAdd(at, cnVec(0.79 * side, 0.0, 0.45)), alongX, 0.06, 0.24);
        cnBodyId upperLeg =
            addLong(soak, cn_capsule, cnAdd(at, cnVec(0.1 * side, 0.0, -0.4)), alongZ, 0.08, 0.28);
        cnBodyId lowerLeg =
            addLong(soak, cn_capsule, cnAdd(at, cnVec(0.1 * side, 0.0, -0.87)), alongZ, 0.07, 0.3);
        balls[i] = join(soak, cn_constraintBall, upperArm, chest, shoulder, x);
        balls[i + 1] = join(soak, cn_constraintBall, upperLeg, pelvis, hip, z);
        setRange(soak, join(soak, cn_constraintHinge, lowerArm, upperArm, elbow, z), 0,
                 side > 0 ? -0.05 : -2.2, side > 0 ? 2.2 : 0.05);
        setRange(soak, join(soak, cn_constraintHinge, lowerLeg, upperLeg, knee, x), 0, -0.05, 2.2);
    }
    for (int i = 0; i < COUNT(balls); ++i) {
        expect(soak, cnConstraint_SetCone(soak->world, balls[i], &cone), "cnConstraint_SetCone");
        expect(soak, cnConstraint_SetTwist(soak->world, balls[i], &twist), "cnConstraint_SetTwist");
    }
}

// Links of all types of joints; some hang from the world at first.
static void makeChain(Soak* soak, cnVec3 at) {
    static const cnConstraintType types[] = {
        cn_constraintBall,      cn_constraintHinge,       cn_constraintPrismatic, cn_constraintLock,
        cn_constraintUniversal, cn_constraintCylindrical, cn_constraintDistance,  cn_constraintPlanar,
        cn_constraintSpring,    cn_constraintAngularLock, cn_constraintScrew,
    };
    int links = 3 + pick(soak, 6);
    double half = between(soak, 0.1, 0.17), pitch = 2.1 * half;
    cnConstraintType only = types[pick(soak, COUNT(types))];
    bool isMixed = chance(soak, 0.6), isHeavy = chance(soak, 0.2);
    cnBodyId last = {0};
    bool hangs = chance(soak, 0.25);
    for (int i = 0; i < links; ++i) {
        double x = (i - 0.5 * (links - 1)) * pitch;
        double thick = isHeavy && i + 1 == links ? 0.9 * half : 0.4 * half;
        cnBodyId link = addBox(soak, cnAdd(at, cnVec(x, 0.0, 0.0)), cnVec(half, thick, thick));
        cnConstraintType type = isMixed ? types[pick(soak, COUNT(types))] : only;
        cnVec3 anchor = cnAdd(at, cnVec(x - 0.5 * pitch, 0.0, 0.0));
        if (i > 0 || hangs) {
            cnVec3 axis = randomUnit(soak);
            cnConstraintId joint = join(soak, i > 0 ? type : cn_constraintBall, link, last, anchor, axis);
            bool slides = type == cn_constraintPrismatic || type == cn_constraintCylindrical ||
                          type == cn_constraintScrew;
            if (i > 0 && slides) {
                setRange(soak, joint, 0, -0.5 * half, 0.5 * half);
            }
        }
        last = link;
    }
}

static void makeVehicle(Soak* soak, cnVec3 at) {
    const cnVec3 y = cnVec(0.0, 1.0, 0.0);
    cnBodyId chassis = addBox(soak, at, cnVec(0.7, 0.35, 0.12));
    double radius = between(soak, 0.18, 0.28), speed = between(soak, -20.0, 20.0);
    for (int i = 0; i < 4; ++i) {
        cnVec3 hub = cnAdd(at, cnVec(i < 2 ? 0.5 : -0.5, i % 2 == 0 ? 0.46 : -0.46, -0.1));
        cnBodyId wheel = addLong(soak, cn_cylinder, hub, (cnQuat){0}, radius, 0.12);
        cnConstraintId hinge = join(soak, cn_constraintHinge, wheel, chassis, hub, y);
        if (i < 2) {
            setMotor(soak, hinge, 0, speed, 30.0);
        }
    }
}

// A plate on a slider or ropes, or carried by a body that moves as it is told.
static void makePlatform(Soak* soak, cnVec3 at) {
    cnBodyId plate = addBox(soak, at, cnVec(0.8, 0.6, 0.06));
    int kind = pick(soak, 3);
    if (kind == 0) {
        cnConstraintId slider =
            join(soak, cn_constraintPrismatic, plate, (cnBodyId){0}, at, cnVec(0.0, 0.0, 1.0));
        setRange(soak, slider, 0, -1.0, 0.5);
        setMotor(soak, slider, 0, between(soak, -1.0, 1.0), 3000.0);
    } else if (kind == 1) {
        for (int i = 0; i < 4; ++i) {
            cnVec3 corner = cnAdd(at, cnVec(i < 2 ? 0.7 : -0.7, i % 2 == 0 ? 0.5 : -0.5, 0.0));
            const cnConstraintDef rope = {
                .type = cn_constraintDistance,
                .body1 = plate,
                .given = cn_constraintAnchor,
                .anchor = corner,
                .anchor2 = cnAdd(corner, cnVec(0.0, 0.0, 0.9)),
            };
            addConstraint(soak, &rope);
        }
    } else {
        // towards the middle and up, for longer than anything lives, so that it presses
        // nothing against the pit
        cnVec3 place = cnAdd(at, cnVec(0.0, 0.0, 0.5));
        const cnShapeDef ball = {.type = cn_sphere, .radius = 0.1};
        cnBodyId hook = addBody(soak, (cnBodyDef){.motion = cn_kinematic, .position = place}, &ball, 0.2);
        join(soak, cn_constraintBall, plate, hook, cnAdd(at, cnVec(0.0, 0.0, 0.4)), cnVec(0.0, 0.0, 1.0));
        cnVec3 target = cnVec(0.0, 0.0, place.z + between(soak, 0.0, 2.0));
        const cnQuat upright = {0.0, 0.0, 0.0, 1.0};
        expect(soak, cnBody_MoveTo(soak->world, hook, target, upright, CARRY_TIME, cn_arrivalKeepVelocity),
               "cnBody_MoveTo");
    }
}

// Two wheels on a frame that gear into one another, or a wheel and a rack.
static void makeGears(Soak* soak, cnVec3 at) {
    const cnVec3 y = cnVec(0.0, 1.0, 0.0), x = cnVec(1.0, 0.0, 0.0);
    cnBodyId frame = addBox(soak, at, cnVec(0.6, 0.08, 0.2));
    cnVec3 first = cnAdd(at, cnVec(-0.3, 0.2, 0.0)), second = cnAdd(at, cnVec(0.3, 0.2, 0.0));
    cnBodyId wheel = addLong(soak, cn_cylinder, first, (cnQuat){0}, 0.2, 0.1);
    cnConstraintId hinge = join(soak, cn_constraintHinge, wheel, frame, first, y);
    cnConstraintDef def = {.type = cn_constraintGear, .constraint1 = hinge, .ratio = -2.0};
    if (chance(soak, 0.5)) {
        cnBodyId other = addLong(soak, cn_cylinder, second, (cnQuat){0}, 0.3, 0.1);
        def.constraint2 = join(soak, cn_constraintHinge, other, frame, second, y);
    } else {
        cnBodyId rack = addBox(soak, second, cnVec(0.2, 0.04, 0.04));
        def.constraint2 = join(soak, cn_constraintPrismatic, rack, frame, second, x);
        def.type = cn_constraintRackPinion;
        def.radius = 0.2;
        setRange(soak, def.constraint2, 0, -0.3, 0.3);
    }
    if (!CN_IS_NULL(hinge) && !CN_IS_NULL(def.constraint2)) {
        addConstraint(soak, &def);
    }
    setMotor(soak, hinge, 0, between(soak, -10.0, 10.0), 5.0);
}

// ---- what happens between steps ---------------------------------------------------------------------------

static int countBodies(const Soak* soak) {
    int count = 0;
    for (int i = 0; i < maxAssemblies; ++i) {
        count += soak->assemblies[i].partCount;
    }
    return count;
}

// The lowest free place above the pit; false where there is none.
static bool findPlace(Soak* soak, cnVec3* at) {
    at->x = between(soak, -2.3, 2.3);
    at->y = between(soak, -2.3, 2.3);
    for (at->z = 3.0; at->z <= TOP_HEIGHT - 1.0; at->z += 1.0) {
        cnGeometryId found;
        const cnBounds bounds = {cnSub(*at, cnVec(1.6, 1.6, 1.1)), cnAdd(*at, cnVec(1.6, 1.6, 1.1))};
        if (cnWorld_TestBoundingVolumeOverlap(soak->world, bounds,
                                              &(cnQueryFilter){.bodies = cn_queryDynamic}, &found, 1) == 0) {
            return true;
        }
    }
    return false;
}

static void spawn(Soak* soak) {
    static const struct {
        const char* name;
        void (*make)(Soak* soak, cnVec3 at);
    } kinds[] = {
        {"ragdoll", makeRagdoll}, {"chain", makeChain},       {"chain", makeChain},
        {"vehicle", makeVehicle}, {"platform", makePlatform}, {"gears", makeGears},
    };
    Assembly* free = NULL;
    for (int i = 0; i < maxAssemblies; ++i) {
        if (soak->assemblies[i].partCount == 0) {
            free = &soak->assemblies[i];
        }
    }
    cnVec3 at;
    if (free == NULL || !findPlace(soak, &at)) {
        return;
    }
    int kind = pick(soak, COUNT(kinds));
    *free = (Assembly){.name = kinds[kind].name, .lifetime = 60 + pick(soak, 400)};
    soak->making = free;
    soak->isFast = soak->options.mixed ? chance(soak, 0.2) : soak->clearings % 3 == 1;
    soak->breaks = chance(soak, 0.2);
    kinds[kind].make(soak, at);
    cnVec3 velocity = cnScale(between(soak, 0.0, 3.0), randomUnit(soak));
    for (int i = 0; i < free->partCount; ++i) {
        if (cnBody_GetMotion(soak->world, free->parts[i].id) == cn_dynamic) {
            expect(soak, cnBody_SetVelocity(soak->world, free->parts[i].id, velocity), "cnBody_SetVelocity");
        }
    }
}

static void destroyBody(Soak* soak, Assembly* assembly, int index) {
    cnBodyId id = assembly->parts[index].id;
    expect(soak, cnDestroyBody(soak->world, id), "cnDestroyBody");
    expectCode(soak, cnDestroyBody(soak->world, id), CN_ERROR_STALE_HANDLE, "cnDestroyBody, again");
    assembly->parts[index] = assembly->parts[--assembly->partCount];
    soak->destroyed += 1.0;
}

static void destroyJoint(Soak* soak, Assembly* assembly, int index) {
    cnConstraintId id = assembly->joints[index].id;
    if (cnConstraint_IsValid(soak->world, id)) {
        expect(soak, cnDestroyConstraint(soak->world, id), "cnDestroyConstraint");
    }
    expectCode(soak, cnDestroyConstraint(soak->world, id), CN_ERROR_STALE_HANDLE,
               "cnDestroyConstraint, again");
    assembly->joints[index] = assembly->joints[--assembly->jointCount];
}

// Joints first or bodies first, in any order.
static void destroyAssembly(Soak* soak, Assembly* assembly) {
    bool jointsFirst = chance(soak, 0.5);
    while (jointsFirst && assembly->jointCount > 0) {
        destroyJoint(soak, assembly, pick(soak, assembly->jointCount));
    }
    while (assembly->partCount > 0) {
        destroyBody(soak, assembly, pick(soak, assembly->partCount));
    }
    for (int i = 0; i < assembly->jointCount; ++i) {
        if (cnConstraint_IsValid(soak->world, assembly->joints[i].id)) {
            breakLaw(soak, lawError, "a joint outlives its bodies", 0.0);
        }
    }
    *assembly = (Assembly){0};
}

// What went with a body.
static void forgetJoints(Soak* soak, Assembly* assembly) {
    for (int i = assembly->jointCount - 1; i >= 0; --i) {
        if (!cnConstraint_IsValid(soak->world, assembly->joints[i].id)) {
            assembly->joints[i] = assembly->joints[--assembly->jointCount];
        }
    }
}

// The first body's attachment frame in the second's.
static cnPose relativePose(const Soak* soak, cnConstraintId joint) {
    cnPose first = cnConstraint_GetFrame(soak->world, joint, 1);
    cnPose second = cnConstraint_GetFrame(soak->world, joint, 2);
    return (cnPose){cnInvTransformPoint(second, first.position),
                    cnMulQuat(cnConjugate(second.rotation), first.rotation)};
}

// Whether a joint that was disabled is as far open as it is when a user repairs it: what is far open is
// pulled together fast.
static bool isNearlyClosed(const Soak* soak, const Joint* joint) {
    if (!joint->isPut || isCoupling(joint->type)) {
        return false;
    }
    cnPose now = relativePose(soak, joint->id);
    cnQuat turn = cnMulQuat(cnConjugate(joint->pose.rotation), now.rotation);
    return cnLength(cnSub(now.position, joint->pose.position)) < MENDED_LENGTH &&
           cnLength(cnVec(turn.x, turn.y, turn.z)) < MENDED_ANGLE;
}

// Disables a joint, or enables it again. One that came apart is destroyed.
static void toggle(Soak* soak, Assembly* assembly, int index) {
    Joint* joint = &assembly->joints[index];
    bool isEnabled = cnConstraint_IsEnabled(soak->world, joint->id);
    if (!isEnabled && !isNearlyClosed(soak, joint)) {
        destroyJoint(soak, assembly, index);
        forgetJoints(soak, assembly);
        return;
    }
    joint->isPut = isEnabled;
    joint->pose = relativePose(soak, joint->id);
    expect(soak, cnConstraint_SetEnabled(soak->world, joint->id, !isEnabled), "cnConstraint_SetEnabled");
    joint->settling = SETTLING;
    soak->toggled += 1.0;
}

static void drive(Soak* soak, const Joint* joint) {
    int coordinates = countCoordinates(joint->type);
    if (coordinates == 0) {
        const cnMotor motor = {.speed = 1.0};
        expectCode(soak, cnConstraint_SetMotor(soak->world, joint->id, 0, &motor), CN_ERROR_OUT_OF_RANGE,
                   "cnConstraint_SetMotor without a coordinate");
        return;
    }
    int index = pick(soak, coordinates);
    bool turns = joint->type == cn_constraintHinge || joint->type == cn_constraintUniversal || index == 1;
    double max = turns ? 15.0 : 1.0;
    setMotor(soak, joint->id, index, between(soak, -max, max), between(soak, 1.0, turns ? 30.0 : 300.0));
    soak->driven += 1.0;
}

// Calls that are wrong.
static void misuse(Soak* soak, const Assembly* assembly) {
    cnWorldId world = soak->world;
    cnBodyId body = assembly->parts[pick(soak, assembly->partCount)].id;
    const cnConstraintDef same = {.type = cn_constraintBall, .body1 = body, .body2 = body};
    if (!CN_IS_NULL(cnCreateConstraint(world, &same))) {
        breakLaw(soak, lawError, "a body was joined to itself", 0.0);
    }
    expectCode(soak, cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE, "cnCreateConstraint with one body twice");
    expectCode(soak, cnBody_SetVelocity(world, body, cnVec(NAN, 0.0, 0.0)), CN_ERROR_NOT_FINITE,
               "cnBody_SetVelocity with NaN");
    expectCode(soak, cnDestroyBody(world, (cnBodyId){0}), CN_ERROR_NULL_HANDLE, "cnDestroyBody of null");
}

// A joint that was put aside, if there is one, else any.
static int recentOf(Soak* soak, const Assembly* assembly) {
    for (int i = 0; i < assembly->jointCount; ++i) {
        if (assembly->joints[i].isPut) {
            return i;
        }
    }
    return pick(soak, assembly->jointCount);
}

static void meddle(Soak* soak) {
    Assembly* assembly = &soak->assemblies[pick(soak, maxAssemblies)];
    if (assembly->partCount == 0) {
        return;
    }
    forgetJoints(soak, assembly);
    double what = between(soak, 0.0, 1.0);
    if (what < 0.05) {
        misuse(soak, assembly);
    } else if (what < 0.1) {
        destroyBody(soak, assembly, pick(soak, assembly->partCount));
        forgetJoints(soak, assembly);
    } else if (what < 0.15 && soak->options.mixed) {
        cnBodyId body = assembly->parts[pick(soak, assembly->partCount)].id;
        expect(soak, cnBody_SetFast(soak->world, body, !cnBody_IsFast(soak->world, body)), "cnBody_SetFast");
    } else if (assembly->jointCount == 0) {
        return;
    } else if (what < 0.2) {
        destroyJoint(soak, assembly, pick(soak, assembly->jointCount));
        forgetJoints(soak, assembly);
    } else if (what < 0.6) {
        toggle(soak, assembly, recentOf(soak, assembly));
    } else {
        drive(soak, &assembly->joints[pick(soak, assembly->jointCount)]);
    }
}

static void changeScene(Soak* soak) {
    for (int i = 0; i < maxAssemblies; ++i) {
        Assembly* assembly = &soak->assemblies[i];
        if (assembly->partCount > 0 && ++assembly->age > assembly->lifetime) {
            destroyAssembly(soak, assembly);
        }
    }
    if (countBodies(soak) < bodyTarget) {
        spawn(soak);
    }
}

static void onBreak(cnWorldId world, cnConstraintId constraint, void* context) {
    Soak* soak = context;
    soak->broken += 1.0;
    if (chance(soak, 0.5)) {
        expect(soak, cnDestroyConstraint(world, constraint), "cnDestroyConstraint of a broken one");
    }
}

// ---- laws -------------------------------------------------------------------------------------------------

static void judgeBody(Soak* soak, const Assembly* assembly, Part* part) {
    cnVec3 centre = cnBody_GetCentreOfMass(soak->world, part->id);
    cnVec3 velocity = cnBody_GetVelocity(soak->world, part->id);
    cnVec3 spin = cnBody_GetAngularVelocity(soak->world, part->id);
    cnQuat rotation = cnBody_GetRotation(soak->world, part->id);
    if (!cnIsFiniteVec(centre) || !cnIsFiniteVec(velocity) || !cnIsFiniteVec(spin) ||
        !cnIsFiniteQuat(rotation)) {
        breakLaw(soak, lawFinite, assembly->name, 0.0);
        return;
    }
    double speed = cnLength(velocity);
    part->fastest = fmax(part->fastest, speed);
    soak->fastest = fmax(soak->fastest, speed);
    soak->lowest = fmin(soak->lowest, centre.z);
    if (speed > MAX_SPEED) {
        breakLaw(soak, lawSpeed, assembly->name, speed);
    }
    if (-centre.z > fmin(0.5, part->size + STEP_TIME * part->fastest)) {
        breakLaw(soak, lawUnder, assembly->name, centre.z);
    }
}

// N: what holds the lighter body of a joint on its way round.
static double centripetalForce(const Soak* soak, const Assembly* assembly, const Joint* joint) {
    double lightest = INFINITY;
    for (int i = 0; i < assembly->partCount; ++i) {
        const Part* part = &assembly->parts[i];
        bool isJoined = CN_SAME_ID(part->id, cnConstraint_GetBody(soak->world, joint->id, 1)) ||
                        CN_SAME_ID(part->id, cnConstraint_GetBody(soak->world, joint->id, 2));
        if (isJoined && cnBody_GetMotion(soak->world, part->id) == cn_dynamic) {
            double square = cnLengthSquared(cnBody_GetAngularVelocity(soak->world, part->id));
            lightest = fmin(lightest, 0.5 * cnBody_GetMass(soak->world, part->id) * square * part->size);
        }
    }
    return lightest < INFINITY ? lightest : 0.0;
}

// Whether a joint holds something: springs do not, nor couplings of which a partner is out of action, since
// its angle is none then.
static bool isHeld(const Soak* soak, const Joint* joint) {
    cnWorldId world = soak->world;
    if (!cnConstraint_IsValid(world, joint->id) || !cnConstraint_IsEnabled(world, joint->id)) {
        return false;
    }
    for (int i = 1; isCoupling(joint->type) && i <= 2; ++i) {
        if (!cnConstraint_IsEnabled(world, cnConstraint_GetPartner(world, joint->id, i))) {
            return false;
        }
    }
    return joint->type != cn_constraintSpring;
}

static void judgeJoint(Soak* soak, const Assembly* assembly, Joint* joint) {
    cnWorldId world = soak->world;
    if (!isHeld(soak, joint)) {
        joint->force = joint->torque = 0.0;
        joint->settling = SETTLING;
        return;
    }
    double force = cnLength(cnConstraint_GetForce(world, joint->id, 1));
    double torque = cnLength(cnConstraint_GetTorque(world, joint->id, 1, false));
    if (!isCoupling(joint->type)) {
        force = fmax(force, centripetalForce(soak, assembly, joint));
    }
    joint->force = fmax(force, FORCE_FADE * joint->force);
    joint->torque = fmax(torque, FORCE_FADE * joint->torque);
    int row = CN_INDEX_OF(joint->id);
    double compliance = cnConstraint_GetCompliance(world, joint->id, 0);
    double length = ((const double*)findColumn(world, cn_tableConstraints, "gap"))[row] -
                    ELASTIC_FACTOR * compliance * joint->force;
    double angle = ((const double*)findColumn(world, cn_tableConstraints, "misalignment"))[row] -
                   ELASTIC_FACTOR * compliance * joint->torque;
    bool isTorn = length > TORN_LENGTH || angle > TORN_ANGLE;
    if (joint->settling > 0) {
        joint->settling = isTorn ? joint->settling - 1 : 0;
        return;
    }
    soak->widest = fmax(soak->widest, length);
    if (isTorn) {
        char what[96];
        snprintf(what, sizeof what, "%s, joint of type %d, rad %.3g, m", assembly->name, (int)joint->type,
                 angle);
        breakLaw(soak, lawTorn, what, length);
    }
}

static void judgeRows(Soak* soak) {
    static const cnTableKind kinds[] = {cn_tableBodies, cn_tableGeometries, cn_tableShapes,
                                        cn_tableConstraints};
    cnCounters counters = cnWorld_GetCounters(soak->world);
    int constraints = 0;
    for (int i = 0; i < maxAssemblies; ++i) {
        constraints += soak->assemblies[i].jointCount;
    }
    const int inUse[] = {counters.bodies, counters.geometries, counters.shapes, constraints};
    for (int i = 0; i < COUNT(kinds); ++i) {
        int* max = &soak->maxRows[kinds[i]];
        *max = inUse[i] > *max ? inUse[i] : *max;
        int rows = cnWorld_GetTableRows(soak->world, kinds[i]);
        if (rows > *max + maxParts + (int)(soak->made[kinds[i]] / LIVES_OF_ROW)) {
            breakLaw(soak, lawRows, cnTableName(kinds[i]), rows);
        }
    }
}

static void judgeStep(Soak* soak) {
    for (int i = 0; i < maxAssemblies; ++i) {
        Assembly* assembly = &soak->assemblies[i];
        for (int k = 0; k < assembly->partCount; ++k) {
            judgeBody(soak, assembly, &assembly->parts[k]);
        }
        for (int k = 0; k < assembly->jointCount; ++k) {
            judgeJoint(soak, assembly, &assembly->joints[k]);
        }
    }
    judgeRows(soak);
}

static void judgeGrowth(Soak* soak, const char* what, size_t now, size_t warm) {
    if ((double)now > (1.0 + GROWTH) * (double)warm) {
        breakLaw(soak, lawMemory, what, (double)now);
    }
}

// What lives on when all bodies are destroyed are tables and buffers: these grow to what the largest scene
// takes, leaks go on.
static void judgeCleared(Soak* soak, const Heap* heap) {
    if (soak->step <= fmax(WARM_UP * soak->options.steps, WARM_UP_MIN)) {
        soak->warmBytes = heap->maxBytes;
        soak->warmBlocks = heap->blocks > soak->warmBlocks ? heap->blocks : soak->warmBlocks;
        return;
    }
    judgeGrowth(soak, "bytes:", heap->maxBytes, soak->warmBytes);
    judgeGrowth(soak, "blocks:", heap->blocks, soak->warmBlocks);
}

// ---- the run ----------------------------------------------------------------------------------------------

static void makePit(Soak* soak) {
    cnWorldId world = soak->world;
    soak->material = cnCreateMaterial(
        world, &(cnMaterialDef){
                   .given = cn_materialDensity | cn_materialRoughness, .density = 500.0, .roughness = 0.5});
    const cnShapeDef plane = {.type = cn_plane, .normal = cnVec(0.0, 0.0, 1.0)};
    cnShapeInstance instance = {.shape = cnCreateShape(world, &plane)};
    cnGeometryDef def = {.shapes = &instance, .shapeCount = 1, .material = soak->material};
    cnCreateGeometry(world, &def);
    for (int i = 0; i < 4; ++i) {
        double sign = i % 2 == 0 ? 1.0 : -1.0, far = sign * (PIT_HALF + 1.0);
        cnVec3 half = i < 2 ? cnVec(1.0, PIT_HALF + 2.0, 5.0) : cnVec(PIT_HALF + 2.0, 1.0, 5.0);
        const cnShapeDef box = {.type = cn_box, .halfExtents = half};
        instance.shape = cnCreateShape(world, &box);
        def.position = i < 2 ? cnVec(far, 0.0, 5.0) : cnVec(0.0, far, 5.0);
        if (CN_IS_NULL(cnCreateGeometry(world, &def))) {
            expect(soak, cnGetLastError()->code, "cnCreateGeometry");
        }
    }
}

static void step(Soak* soak) {
    changeScene(soak);
    meddle(soak);
    if (chance(soak, 0.3)) {
        expect(soak, cnWorld_Collide(soak->world), "cnWorld_Collide");
        meddle(soak);
        expect(soak, cnWorld_Solve(soak->world), "cnWorld_Solve");
    } else {
        expect(soak, cnWorld_Step(soak->world), "cnWorld_Step");
    }
}

static void validate(Soak* soak) {
    if (cnWorld_Validate(soak->world) != CN_ERROR_NONE) {
        breakLaw(soak, lawError, cnGetLastError()->message, 0.0);
    }
}

static void clear(Soak* soak) {
    validate(soak);
    for (int i = 0; i < maxAssemblies; ++i) {
        if (soak->assemblies[i].partCount > 0) {
            destroyAssembly(soak, &soak->assemblies[i]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        expect(soak, cnWorld_Step(soak->world), "cnWorld_Step of a cleared world");
    }
    cnCounters counters = cnWorld_GetCounters(soak->world);
    if (counters.bodies + counters.contacts > 0) {
        breakLaw(soak, lawLeftover,
                 "bodies and contacts in a cleared world:", counters.bodies + counters.contacts);
    }
    validate(soak);
}

static void run(Soak* soak, Heap* heap) {
    int steps = soak->options.steps;
    for (soak->step = 1; soak->step <= steps; ++soak->step) {
        step(soak);
        judgeStep(soak);
        heap->maxBytes = heap->bytes > heap->maxBytes ? heap->bytes : heap->maxBytes;
        if ((double)soak->step * CLEARINGS >= (soak->clearings + 1.0) * steps) {
            clear(soak);
            soak->clearings += 1;
            soak->blocks = heap->blocks;
            judgeCleared(soak, heap);
        }
    }
}

static bool readNumber(const char* text, double lowest, double highest, int* number) {
    char* end;
    double value = strtod(text, &end);
    bool isRight =
        end != text && *end == '\0' && value >= lowest && value <= highest && value == floor(value);
    *number = isRight ? (int)value : 0;
    return isRight;
}

static bool readArguments(int count, char** words, Options* options) {
    *options = (Options){.steps = 1000, .seed = 1, .threads = 1};
    for (int i = 1; i < count; ++i) {
        const char* word = words[i];
        bool isRight = false;
        if (strcmp(word, "--mixed") == 0) {
            options->mixed = isRight = true;
        } else if (strcmp(word, "--verbose") == 0) {
            options->verbose = isRight = true;
        } else if (i + 1 == count) {
            return false;
        } else if (strcmp(word, "--steps") == 0) {
            isRight = readNumber(words[++i], CLEARINGS, 1e8, &options->steps);
        } else if (strcmp(word, "--seed") == 0) {
            isRight = readNumber(words[++i], 1.0, 1e9, &options->seed);
        } else if (strcmp(word, "--threads") == 0) {
            isRight = readNumber(words[++i], 1.0, 32.0, &options->threads);
        }
        if (!isRight) {
            return false;
        }
    }
    return true;
}

static int printResult(const Soak* soak, const Heap* heap, const char* hash) {
    int held = 0;
    for (int law = 0; law < lawCount; ++law) {
        const Breach* breach = &soak->breaches[law];
        held += breach->count == 0;
        if (breach->count > 0) {
            printf("%s@%d: %s (%d times)\n", lawNames[law], breach->step, breach->what, breach->count);
        }
    }
    printf("seed %d, %d steps: %.0f bodies and %.0f joints made, %.0f bodies destroyed one by one, %.0f "
           "joints broken, %.0f toggled, "
           "%.0f motors set, %.0f wrong calls; fastest %.3g m/s, widest gap %.3g m, lowest %.3g m; "
           "%d bodies and %d joints at most; %.2f MB at most, %.2f MB after warm-up, %zu and %zu blocks; "
           "hash %s\n",
           soak->options.seed, soak->options.steps, soak->made[cn_tableBodies],
           soak->made[cn_tableConstraints], soak->destroyed, soak->broken, soak->toggled, soak->driven,
           soak->misused, soak->fastest, soak->widest, soak->lowest, soak->maxRows[cn_tableBodies],
           soak->maxRows[cn_tableConstraints], (double)heap->maxBytes * 1e-6, (double)soak->warmBytes * 1e-6,
           soak->blocks, soak->warmBlocks, hash);
    printf("%d passed, %d failed\n", held, lawCount - held);
    return held == lawCount ? 0 : statusBroken;
}

int main(int count, char** words) {
    static Heap heap;
    static Soak soak;
    if (!readArguments(count, words, &soak.options)) {
        fprintf(stderr, "usage: joint_soak [--steps n] [--seed s] [--threads n] [--mixed] [--verbose]\n");
        return statusBadInput;
    }
    const cnAllocator allocator = {takeBlock, releaseBlock, &heap};
    expect(&soak, cnSetAllocator(&allocator), "cnSetAllocator");
    soak.random = 88172645463325252u ^ ((uint64_t)soak.options.seed * 0x9e3779b97f4a7c15u);
    soak.world = cnCreateWorld(&(cnWorldDef){.threads = soak.options.threads});
    makePit(&soak);
    if (CN_IS_NULL(cnAddBreakListener(soak.world, onBreak, &soak))) {
        expect(&soak, cnGetLastError()->code, "cnAddBreakListener");
    }
    run(&soak, &heap);
    validate(&soak);
    char hash[17] = "";
    expect(&soak, cnWorld_GetHash(soak.world, hash), "cnWorld_GetHash");
    expect(&soak, cnDestroyWorld(soak.world), "cnDestroyWorld");
    expect(&soak, cnStopThreads(), "cnStopThreads");
    if (heap.bytes > 0 || heap.blocks > 0) {
        breakLaw(&soak, lawLeftover, "bytes:", (double)heap.bytes);
    }
    return printResult(&soak, &heap, hash);
}
