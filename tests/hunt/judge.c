// Runs a scene and holds every step against physical laws. Prints one line of JSON.
//
// hunt_judge SCENE.json [--solver auto|iterative|direct|split|swept] [--steps n] [--threads n]
//                       [--time-step s] [--rest] [--sleep] [--merge] [--adapt] [--trace]
//
// Laws, E being kinetic energy, potential energy and that of springs, less the work put in by motors, users
// and kinematic bodies; the scale is what E is at the start above the lowest place that each body can reach:
//   finite      all poses and velocities are finite
//   error       no step returns another error
//   explosion   E stays below its start and 10 % of the scale and 1 J/kg of all dynamic mass
//   gain        the same with 1 % and 1e-3 J/kg
//   regain      E does not rise by 5 % of the scale and 1e-3 J/kg above its minimum so far
//   speed       no centre of mass is faster than twice what falls, velocities and motors at the start allow,
//               unless the scale, all of it in one body, could make that speed: heavy ones throw light ones
//   open        held rows are within 1 cm and 0.05 rad of what their compliance explains under the force that
//               they bear, or that holds the lighter body on its way round
//   torn        the same with 5 cm and 0.25 rad
//   under       no centre of mass is below ground by 0.5 m, or, if that is smaller, by the body's own size
//               and the way that it made in a step: one that is not swept is found where the step left it,
//               and not judged where it may have gone through the ground between two steps, nor where it is
//               nearer to the border of a field than its size: what swings in from beside meets no wall
//   restless    with --rest: less than 1e-3 J/kg of kinetic energy at the end
// Steps that take more than 20 times the median and more than 16 ms are listed as slow.
//
// The stepper is a leap-frog: velocities belong to half a (sub-)step before the poses, so potential energies
// are taken in the places where the bodies were then. --trace writes the energies of every step on standard
// error. Exit status: 0, 2 for a bad file or bad arguments; broken laws are in the result.
#include "hunt.h"

#include "base/report/error.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPLOSION_SHARE 0.1
#define EXPLOSION_FLOOR 1.0 // J/kg
#define GAIN_SHARE 0.01
#define GAIN_FLOOR 1e-3 // J/kg
#define REGAIN_SHARE 0.05
#define OPEN_LENGTH 0.01 // m
#define OPEN_ANGLE 0.05  // rad
#define TORN_LENGTH 0.05
#define TORN_ANGLE 0.25
#define UNDER_DEPTH 0.5  // m
#define REST_ENERGY 1e-3 // J/kg
#define SPEED_FACTOR 2.0
#define SLOW_FACTOR 20.0
#define SLOW_TIME 16.0 // ms
// What lasts shorter than this many steps is no gain: the time that velocities belong to is not known
// within an impact.
#define LASTING 3
// Beyond that many times the limit of an explosion no error of that kind can be.
#define SUDDEN_FACTOR 10.0
// Where nothing more is to be learned, J/kg.
#define HOPELESS 1e7

enum {
    statusBadInput = 2,
    maxSlowSteps = 16,
    mergeSteps = 25
};

typedef enum Law {
    lawFinite = 0,
    lawError,
    lawExplosion,
    lawGain,
    lawRegain,
    lawSpeed,
    lawOpen,
    lawTorn,
    lawUnder,
    lawRestless,
    lawCount
} Law;

static const char* const lawNames[lawCount] = {"finite", "error", "explosion", "gain",  "regain",
                                               "speed",  "open",  "torn",      "under", "restless"};

typedef struct Options {
    const char* scene;
    const char* solver; // null: what the file says
    double steps, timeStep;
    int threads;
    bool canRest, sleeps, merges, adapts, traces;
} Options;

typedef struct Breach {
    bool broken;
    int step;      // the first
    double amount; // the worst
    const char* who;
    char unit[8];
} Breach;

typedef struct Judge {
    Hunt hunt;
    cnMergedBodyId merged;
    double start; // J, E at the start
    double scale; // J
    double work;  // J, put in so far
    // J: no less than what kinematic bodies lift of swept ones that stop and go along with them, which no
    // force tells
    double carried;
    double drop;       // m, the longest fall so far
    double overlap;    // m, at the start
    double fastest;    // m/s that the start allows, without falls beyond it
    double potential0; // J
    double lowest;     // J, minimum of E so far
    double recent[LASTING], high[LASTING];
    Breach breaches[lawCount];
    double worstGain, worstRegain, worstGap, worstAngle, worstGapOfSize, worstSpeed, lowestHeight, worstUnder;
    const char* worstGapName;
    int worstGapStep, maxSubsteps;
    int islandSteps, guardedSteps; // of islands, and those out of which the guard took energy
    double* times;                 // ms
    int stepCount;
} Judge;

// ---- arguments and the file -------------------------------------------------------------------------------

static int Fail(const char* what, const char* which) {
    fprintf(stderr, "hunt_judge: %s %s\n", what, which);
    return statusBadInput;
}

static int FailLast(void) {
    const cnErrorInfo* error = cnGetLastError();
    fprintf(stderr, "hunt_judge: %s: %s: %s\n", cnErrorName(error->code), error->argument, error->message);
    return statusBadInput;
}

static bool ReadNumber(const char* text, double lowest, double* number) {
    char* end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= lowest && *number <= 1e9;
}

static bool ReadArguments(int count, char** words, Options* options) {
    *options = (Options){.steps = 300.0, .threads = 1};
    for (int i = 1; i < count; ++i) {
        const char* word = words[i];
        double number = 1.0;
        bool isRight = false;
        if (strcmp(word, "--rest") == 0) {
            options->canRest = isRight = true;
        } else if (strcmp(word, "--sleep") == 0) {
            options->sleeps = isRight = true;
        } else if (strcmp(word, "--merge") == 0) {
            options->merges = isRight = true;
        } else if (strcmp(word, "--adapt") == 0) {
            options->adapts = isRight = true;
        } else if (strcmp(word, "--trace") == 0) {
            options->traces = isRight = true;
        } else if (word[0] != '-') {
            isRight = options->scene == NULL;
            options->scene = word;
        } else if (i + 1 == count) {
            return false;
        } else if (strcmp(word, "--solver") == 0) {
            options->solver = words[++i];
            isRight = true;
        } else if (strcmp(word, "--steps") == 0) {
            isRight = ReadNumber(words[++i], 1.0, &options->steps) && options->steps <= 1e7;
        } else if (strcmp(word, "--time-step") == 0) {
            isRight = ReadNumber(words[++i], 1e-6, &options->timeStep);
        } else if (strcmp(word, "--threads") == 0) {
            isRight = ReadNumber(words[++i], 1.0, &number) && number <= 32.0;
            options->threads = (int)number;
        }
        if (!isRight) {
            return false;
        }
    }
    return options->scene != NULL;
}

static char* ReadText(const char* path, size_t* length) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char* text = NULL;
    *length = 0;
    size_t part = 0;
    do {
        char* grown = realloc(text, *length + 65537);
        if (grown == NULL) {
            break;
        }
        text = grown;
        part = fread(text + *length, 1, 65536, file);
        *length += part;
        text[*length] = '\0';
    } while (part > 0);
    fclose(file);
    return text;
}

// ---- the start --------------------------------------------------------------------------------------------

static void FindStart(Judge* judge) {
    cnGravity gravity = cnWorld_GetGravity(judge->hunt.world);
    double kinetic = cnWorld_GetKineticEnergy(judge->hunt.world);
    double elastic = 0.0, smallest = INFINITY, fall = 0.0, swing = 0.0, extent = 0.0, drive = 0.0;
    judge->scale = kinetic;
    judge->start = kinetic;
    for (int i = 0; i < judge->hunt.bodyCount; ++i) {
        const HuntBody* body = &judge->hunt.bodies[i];
        if (!body->isDynamic) {
            swing = fmax(swing, cnLength(body->velocity));
            continue;
        }
        double height = cnHunt_HeightOf(&judge->hunt, body->start) - body->lowest;
        fall = fmax(fall, height);
        extent += body->size;
        smallest = fmin(smallest, body->mass);
        swing = fmax(swing, cnLength(body->velocity) + cnLength(body->angularVelocity) * body->size);
        judge->potential0 += body->mass * cnHunt_PotentialOf(&gravity, body->start);
        judge->scale += body->mass * judge->hunt.gravity * height;
        // the velocities given belong to half a step before the poses, or less
        double rise = cnHunt_HeightOf(&judge->hunt, body->velocity);
        judge->start += fmax(0.0, -rise) * body->mass * judge->hunt.gravity * 0.5 * judge->hunt.h;
    }
    for (int i = 0; i < judge->hunt.jointCount; ++i) {
        HuntJoint* joint = &judge->hunt.joints[i];
        elastic += cnHunt_SpringEnergy(&judge->hunt, joint, 0.0).high;
        for (int k = 0; k < cnHunt_CountCoordinates(joint->type); ++k) {
            cnMotor motor = cnConstraint_GetMotor(judge->hunt.world, joint->id, k);
            drive += motor.disabled ? 0.0 : fabs(motor.speed) * fmax(1.0, extent);
        }
    }
    judge->start += judge->potential0 + elastic;
    judge->scale += elastic;
    judge->drop = fall;
    judge->fastest = swing + drive + (elastic > 0.0 ? sqrt(2.0 * elastic / smallest) : 0.0);
    judge->lowest = INFINITY;
    for (int i = 0; i < LASTING; ++i) {
        judge->recent[i] = -INFINITY;
        judge->high[i] = INFINITY;
    }
}

// ---- laws -------------------------------------------------------------------------------------------------

static void Break(Judge* judge, Law law, int step, double amount, const char* unit, const char* who) {
    Breach* breach = &judge->breaches[law];
    if (!breach->broken) {
        breach->broken = true;
        breach->step = step;
    }
    if (breach->amount < amount || breach->who == NULL) {
        breach->amount = amount;
        breach->who = who;
        snprintf(breach->unit, sizeof breach->unit, "%s", unit);
    }
}

static double SmallestOf(const double* values) {
    double smallest = values[0];
    for (int i = 1; i < LASTING; ++i) {
        smallest = fmin(smallest, values[i]);
    }
    return smallest;
}

static double LargestOf(const double* values) {
    double largest = values[0];
    for (int i = 1; i < LASTING; ++i) {
        largest = fmax(largest, values[i]);
    }
    return largest;
}

// `low` and `high` enclose the energy less work.
static void JudgeEnergy(Judge* judge, int step, double low, double high, double stored, double drop) {
    double scale = fmax(judge->scale, drop) + judge->work;
    double* recent = judge->recent;
    memmove(recent, recent + 1, (LASTING - 1) * sizeof *recent);
    recent[LASTING - 1] = low;
    double lasting = SmallestOf(recent);
    double above = lasting - judge->start - judge->carried;
    double limit = EXPLOSION_SHARE * scale + EXPLOSION_FLOOR * judge->hunt.mass;
    if (low - judge->start > SUDDEN_FACTOR * limit) {
        above = low - judge->start - judge->carried;
    }
    if (above > limit) {
        Break(judge, lawExplosion, step, above / judge->hunt.mass, "J/kg", "");
    }
    if (above > GAIN_SHARE * scale + GAIN_FLOOR * judge->hunt.mass) {
        Break(judge, lawGain, step, above / judge->hunt.mass, "J/kg", "");
    }
    double back = lasting - judge->lowest - judge->carried;
    if (back > REGAIN_SHARE * scale + GAIN_FLOOR * judge->hunt.mass) {
        Break(judge, lawRegain, step, back / judge->hunt.mass, "J/kg", "");
    }
    judge->worstGain = fmax(judge->worstGain, above / judge->hunt.mass);
    judge->worstRegain = fmax(judge->worstRegain, back / judge->hunt.mass);

    // a minimum counts if it lasts
    double* highs = judge->high;
    memmove(highs, highs + 1, (LASTING - 1) * sizeof *highs);
    highs[LASTING - 1] = high + stored;
    if (step >= LASTING) {
        judge->lowest = fmin(judge->lowest, LargestOf(highs));
    }
}

// N: what holds the lighter body of a joint on its way round. What is read is the mean over a step, in which
// such a force turns.
static double CentripetalForce(const Judge* judge, const HuntJoint* joint) {
    const int indices[2] = {joint->body1, joint->body2};
    double lightest = INFINITY;
    for (int i = 0; i < 2; ++i) {
        const HuntBody* body = indices[i] >= 0 ? &judge->hunt.bodies[indices[i]] : NULL;
        double square = body != NULL ? cnLengthSquared(body->angularVelocity) : 0.0;
        bool isDynamic = body != NULL && body->isDynamic;
        lightest = fmin(lightest, isDynamic ? 0.5 * body->mass * square * body->size : INFINITY);
    }
    return lightest < INFINITY ? lightest : 0.0;
}

// What three of its rows bear, N or N m, in the step on average or at the end of it. They turn with the
// joint, as the world's axes do not.
static double ForceOfRows(const Judge* judge, int i, int first) {
    const cnWorld* world = cnFindWorld(judge->hunt.world, "hunt_judge");
    double mean = 0.0, last = 0.0;
    for (int dof = first; dof < first + 3; ++dof) {
        double force = cnConstraint_GetDofForce(judge->hunt.world, judge->hunt.joints[i].id, dof);
        double atEnd = world->constraints.constraints[i].rows[cn_slotDof + dof].force;
        mean += force * force;
        last += atEnd * atEnd;
    }
    return sqrt(fmax(mean, last));
}

static void JudgeJoints(Judge* judge, int step) {
    const double* gaps = findColumn(judge->hunt.world, cn_tableConstraints, "gap");
    const double* angles = findColumn(judge->hunt.world, cn_tableConstraints, "misalignment");
    for (int i = 0; i < judge->hunt.jointCount; ++i) {
        HuntJoint* joint = &judge->hunt.joints[i];
        if (!cnConstraint_IsEnabled(judge->hunt.world, joint->id)) {
            joint->force = joint->torque = 0.0;
            continue;
        }
        // what a row gives way under an impact goes back as its damping has it
        double damping = joint->damping > 0.0 ? joint->damping : 2.0 * judge->hunt.h;
        double fade = fmax(0.7, exp(-judge->hunt.h / damping));
        joint->force =
            fmax(fade * joint->force, cnLength(cnConstraint_GetForce(judge->hunt.world, joint->id, 1)));
        joint->force = fmax(joint->force, fmax(CentripetalForce(judge, joint), ForceOfRows(judge, i, 0)));
        joint->torque = fmax(fade * joint->torque,
                             cnLength(cnConstraint_GetTorque(judge->hunt.world, joint->id, 1, false)));
        joint->torque = fmax(joint->torque, ForceOfRows(judge, i, 3));
        if (!joint->isJudged) {
            continue;
        }
        double length = gaps[i] - HUNT_ELASTIC_FACTOR * joint->linear * joint->force;
        double angle = angles[i] - HUNT_ELASTIC_FACTOR * joint->angular * joint->torque;
        if (length > OPEN_LENGTH) {
            Break(judge, lawOpen, step, length, "m", joint->name);
        } else if (angle > OPEN_ANGLE) {
            Break(judge, lawOpen, step, angle, "rad", joint->name);
        }
        if (length > TORN_LENGTH) {
            Break(judge, lawTorn, step, length, "m", joint->name);
        } else if (angle > TORN_ANGLE) {
            Break(judge, lawTorn, step, angle, "rad", joint->name);
        }
        if (length > judge->worstGap) {
            judge->worstGap = length;
            judge->worstGapName = joint->name;
            judge->worstGapStep = step;
            judge->worstGapOfSize = joint->size > 0.0 ? length / joint->size : 0.0;
        }
        judge->worstAngle = fmax(judge->worstAngle, angle);
    }
}

// Whether the ground goes on around a body, by its own size to four sides.
static bool IsGroundAround(const Judge* judge, const HuntBody* body) {
    cnVec3 up = judge->hunt.up, across = fabs(up.x) < 0.5 ? cnVec(1.0, 0.0, 0.0) : cnVec(0.0, 1.0, 0.0);
    cnVec3 side = cnNormalize(cnCross(up, across)), other = cnCross(up, side);
    const cnVec3 sides[4] = {side, cnNeg(side), other, cnNeg(other)};
    for (int k = 0; k < 4; ++k) {
        cnVec3 beside = cnMulAdd(body->centre, body->size, sides[k]);
        if (!(cnHunt_GroundAt(&judge->hunt, beside) > cnHunt_HeightOf(&judge->hunt, beside))) {
            return false;
        }
    }
    return true;
}

static void JudgePlace(Judge* judge, int step, const HuntBody* body) {
    double height = cnHunt_HeightOf(&judge->hunt, body->centre);
    judge->lowestHeight = fmin(judge->lowestHeight, height);
    if (judge->hunt.groundCount == 0 || height > judge->hunt.highestGround) {
        return;
    }
    double depth = cnHunt_GroundAt(&judge->hunt, body->centre) - height;
    if (depth > judge->worstUnder) {
        judge->worstUnder = depth;
    }
    double way = judge->hunt.h * body->fastest;
    double own = body->size > 0.0 ? body->size + way : UNDER_DEPTH;
    bool canPass = !body->isSwept && way > fmax(UNDER_DEPTH, body->size);
    if (depth > fmin(UNDER_DEPTH, own) && !canPass && IsGroundAround(judge, body)) {
        Break(judge, lawUnder, step, depth, "m", body->name);
    }
}

static void JudgeSpeeds(Judge* judge, int step) {
    double start = sqrt(judge->fastest * judge->fastest + 2.0 * judge->hunt.gravity * judge->drop);
    for (int i = 0; i < judge->hunt.bodyCount; ++i) {
        const HuntBody* body = &judge->hunt.bodies[i];
        if (!body->isDynamic) {
            continue;
        }
        double speed = cnLength(body->velocity);
        judge->worstSpeed = fmax(judge->worstSpeed, speed);
        double all = sqrt(2.0 * (judge->scale + judge->work) / body->mass);
        if (speed > fmax(SPEED_FACTOR * start, all) + 0.1) {
            Break(judge, lawSpeed, step, speed / fmax(start, 0.1), "times", body->name);
        }
    }
}

// J: what the kinematic bodies that hold something lift in a step if all swept bodies go along with them.
static double CarriedEnergy(const Judge* judge) {
    double mass = 0.0, speed = 0.0;
    for (int i = 0; i < judge->hunt.bodyCount; ++i) {
        mass += judge->hunt.bodies[i].isDynamic && judge->hunt.bodies[i].isSwept ? judge->hunt.bodies[i].mass
                                                                                 : 0.0;
    }
    for (int i = 0; i < judge->hunt.jointCount; ++i) {
        const int ends[2] = {judge->hunt.joints[i].body1, judge->hunt.joints[i].body2};
        for (int side = 0; side < 2; ++side) {
            if (ends[side] >= 0 && !judge->hunt.bodies[ends[side]].isDynamic) {
                cnVec3 velocity = cnBody_GetVelocity(judge->hunt.world, judge->hunt.bodies[ends[side]].id);
                speed = fmax(speed, cnDot(velocity, judge->hunt.up));
            }
        }
    }
    return judge->hunt.h * mass * judge->hunt.gravity * speed;
}

// False after a step that makes more steps pointless.
static bool JudgeStep(Judge* judge, int step, bool traces) {
    cnGravity gravity = cnWorld_GetGravity(judge->hunt.world);
    double kinetic = cnWorld_GetKineticEnergy(judge->hunt.world);
    double potential = 0.0, potentialNow = 0.0;
    judge->carried += CarriedEnergy(judge);
    for (int i = 0; i < judge->hunt.bodyCount; ++i) {
        HuntBody* body = &judge->hunt.bodies[i];
        if (!body->isDynamic) {
            judge->work += cnHunt_WorkOfKinematic(&judge->hunt, i);
            continue;
        }
        cnVec3 centre = cnBody_GetCentreOfMass(judge->hunt.world, body->id);
        cnVec3 velocity = cnBody_GetVelocity(judge->hunt.world, body->id);
        cnVec3 spin = cnBody_GetAngularVelocity(judge->hunt.world, body->id);
        if (!cnIsFiniteVec(centre) || !cnIsFiniteVec(velocity) || !cnIsFiniteVec(spin)) {
            Break(judge, lawFinite, step, 0.0, "", body->name);
            return false;
        }
        body->lag = cnHunt_FindLag(body, centre, velocity, judge->hunt.h);
        judge->work += cnHunt_WorkOfUsers(&judge->hunt, body, velocity, spin, &gravity);
        potential += body->mass * cnHunt_PotentialOf(&gravity, cnMulAdd(centre, -body->lag, velocity));
        potentialNow += body->mass * cnHunt_PotentialOf(&gravity, centre);
        body->centre = centre;
        body->velocity = velocity;
        body->angularVelocity = spin;
        body->fastest = fmax(body->fastest, cnLength(velocity));
        judge->drop = fmax(judge->drop, cnHunt_HeightOf(&judge->hunt, body->start) -
                                            cnHunt_HeightOf(&judge->hunt, centre));
        JudgePlace(judge, step, body);
    }

    const double* gaps = findColumn(judge->hunt.world, cn_tableConstraints, "gap");
    const double* angles = findColumn(judge->hunt.world, cn_tableConstraints, "misalignment");
    double low = 0.0, high = 0.0, stored = cnHunt_StoredInContacts(&judge->hunt);
    JudgeJoints(judge, step);
    for (int i = 0; i < judge->hunt.jointCount; ++i) {
        HuntJoint* joint = &judge->hunt.joints[i];
        judge->work += cnHunt_WorkOfJoint(&judge->hunt, joint);
        bool first = cnHunt_IsDynamic(&judge->hunt, joint->body1);
        double lag = first                                          ? judge->hunt.bodies[joint->body1].lag
                     : cnHunt_IsDynamic(&judge->hunt, joint->body2) ? judge->hunt.bodies[joint->body2].lag
                                                                    : 0.0;
        HuntBounds spring = cnHunt_SpringEnergy(&judge->hunt, joint, lag);
        double gap = cnHunt_GapEnergy(joint, gaps[i], angles[i]);
        low += spring.low + fmin(cnHunt_LoadEnergy(&judge->hunt, joint), fmin(gap, joint->elastic));
        high += spring.high + fmax(gap, joint->elastic);
        joint->elastic = gap;
        stored += cnHunt_StoredIn(joint);
    }

    double energy = kinetic + potential - judge->work;
    JudgeEnergy(judge, step, energy + low, energy + high, stored, judge->potential0 - potentialNow);
    if (traces) {
        fprintf(stderr,
                "%d kinetic %.6g potential %.6g elastic %.6g…%.6g stored %.6g work %.6g above %.6g J/kg gap "
                "%.3g\n",
                step, kinetic, potential - judge->potential0, low, high, stored, judge->work,
                (energy + low - judge->start) / judge->hunt.mass, judge->worstGap);
    }

    JudgeSpeeds(judge, step);
    cnCounters counters = cnWorld_GetCounters(judge->hunt.world);
    judge->islandSteps += counters.islands;
    judge->guardedSteps += counters.guardedIslands;
    for (int i = 0; i < counters.islands; ++i) {
        cnIslandStatistics island = cnWorld_GetIslandStatistics(judge->hunt.world, i);
        judge->maxSubsteps = island.substeps > judge->maxSubsteps ? island.substeps : judge->maxSubsteps;
    }
    return judge->breaches[lawExplosion].amount < HOPELESS;
}

// Every few steps other bodies are merged: neighbours in the list of bodies, and what a joint joins. It takes
// energy and gives none.
static void MergeSome(Judge* judge, int step) {
    const Hunt* hunt = &judge->hunt;
    int round = step / mergeSteps;
    if (step % mergeSteps != 0) {
        return;
    }
    if (!CN_IS_NULL(judge->merged)) {
        cnDestroyMergedBody(hunt->world, judge->merged);
    }
    judge->merged = cnCreateMergedBody(hunt->world, &(cnMergedBodyDef){0});
    for (int j = round % 3; j < hunt->jointCount; j += 3) {
        cnMergeEdgeDef edge = {.kind = cn_mergeEdgeConstraint, .constraint = hunt->joints[j].id};
        if (hunt->joints[j].body1 >= 0 && hunt->joints[j].body2 >= 0) {
            cnMergedBody_AddEdge(hunt->world, judge->merged, &edge);
        }
    }
    for (int i = round % 4; i + 1 < hunt->bodyCount; i += 4) {
        cnMergeEdgeDef edge = {.body1 = hunt->bodies[i].id, .body2 = hunt->bodies[i + 1].id};
        if (hunt->bodies[i].isDynamic && hunt->bodies[i + 1].isDynamic) {
            cnMergedBody_AddEdge(hunt->world, judge->merged, &edge);
        }
    }
    cnMergedBody_SplitIslands(hunt->world, judge->merged); // those stay merged
    for (int i = round % 5; i < hunt->bodyCount; i += 5) {
        cnBody_Split(hunt->world, hunt->bodies[i].id);
    }
}

static void Run(Judge* judge, const Options* options) {
    int steps = (int)options->steps;
    judge->times = calloc((size_t)steps + 1, sizeof *judge->times);
    for (int step = 1; step <= steps && judge->times != NULL; ++step) {
        if (options->merges) {
            MergeSome(judge, step);
        }
        cnErrorCode code = cnScene_Step(judge->hunt.scene);
        judge->times[judge->stepCount++] = cnWorld_GetProfile(judge->hunt.world).step;
        if (code != CN_ERROR_NONE) {
            Law law = code == CN_ERROR_NON_FINITE_STATE ? lawFinite : lawError;
            Break(judge, law, step, 0.0, "", cnErrorName(code));
            break;
        }
        if (step == 1) {
            // what overlaps at the start may be lifted out of it, no more
            double depth = cnWorld_GetMaxPenetration(judge->hunt.world);
            judge->start += judge->hunt.mass * judge->hunt.gravity * depth;
            judge->overlap = depth;
        }
        if (!JudgeStep(judge, step, options->traces)) {
            break;
        }
    }
    if (cnWorld_Validate(judge->hunt.world) != CN_ERROR_NONE) {
        fprintf(stderr, "hunt_judge: %s\n", cnGetLastError()->message);
        Break(judge, lawError, judge->stepCount, 0.0, "", cnErrorName(CN_ERROR_CORRUPT_STATE));
    }
    double rest = cnWorld_GetKineticEnergy(judge->hunt.world) / judge->hunt.mass;
    if (options->canRest && !(rest <= REST_ENERGY)) {
        Break(judge, lawRestless, judge->stepCount, rest, "J/kg", "");
    }
}

// ---- the result -------------------------------------------------------------------------------------------

static int CompareNumbers(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// JSON has no infinite numbers.
static double Bounded(double value) {
    return isfinite(value) ? value : 1e300;
}

static bool Print(const Judge* judge, const Options* options) {
    size_t count = (size_t)judge->stepCount;
    double* sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    memcpy(sorted, judge->times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, CompareNumbers);
    double median = count > 0 ? sorted[count / 2] : 0.0;
    double longest = count > 0 ? sorted[count - 1] : 0.0;
    free(sorted);

    const char* separator = "";
    printf("{\"solver\":\"%s\",\"steps\":%d,\"broken\":[", options->solver != NULL ? options->solver : "",
           judge->stepCount);
    for (int law = 0; law < lawCount; ++law) {
        const Breach* breach = &judge->breaches[law];
        if (breach->broken) {
            printf("%s{\"law\":\"%s\",\"step\":%d,\"amount\":%.6g,\"unit\":\"%s\",\"who\":\"%s\"}", separator,
                   lawNames[law], breach->step, Bounded(breach->amount), breach->unit, breach->who);
            separator = ",";
        }
    }
    printf("],\"slow\":[");
    separator = "";
    int listed = 0;
    for (int i = 0; i < judge->stepCount && listed < maxSlowSteps; ++i) {
        if (judge->times[i] > SLOW_TIME && judge->times[i] > SLOW_FACTOR * median) {
            printf("%s[%d,%.3f]", separator, i + 1, judge->times[i]);
            separator = ",";
            ++listed;
        }
    }
    char hash[17] = "";
    cnWorld_GetHash(judge->hunt.world, hash);
    double rest = cnWorld_GetKineticEnergy(judge->hunt.world) / judge->hunt.mass;
    printf("],\"gain\":%.4g,\"regain\":%.4g,\"scale\":%.6g,\"mass\":%.6g,\"work\":%.6g,\"gap\":%.4g,"
           "\"gapOfSize\":%.4g,\"gapWho\":\"%s\","
           "\"gapStep\":%d,\"angle\":%.4g,\"speed\":%.6g,\"height\":%.6g,\"under\":%.4g,\"rest\":%.4g,"
           "\"overlap\":%.3g,"
           "\"islandSteps\":%d,\"guardedSteps\":%d,\"substeps\":%d,"
           "\"median\":%.4f,\"longest\":%.3f,\"hash\":\"%s\"}\n",
           Bounded(judge->worstGain), Bounded(judge->worstRegain), Bounded(judge->scale / judge->hunt.mass),
           Bounded(judge->hunt.mass), Bounded(judge->work / judge->hunt.mass), Bounded(judge->worstGap),
           Bounded(judge->worstGapOfSize), judge->worstGapName != NULL ? judge->worstGapName : "",
           judge->worstGapStep, Bounded(judge->worstAngle), Bounded(judge->worstSpeed),
           Bounded(judge->lowestHeight), Bounded(judge->worstUnder), Bounded(rest), Bounded(judge->overlap),
           judge->islandSteps, judge->guardedSteps, judge->maxSubsteps, median, longest, hash);
    return true;
}

// The scene with all of its constraints iterative, so that they are swept where they can be; null where that
// is not possible. To be freed.
static char* MakeIterative(const char* text) {
    cJSON* file = cJSON_Parse(text);
    cJSON* constraint = NULL;
    cJSON_ArrayForEach(constraint, cJSON_GetObjectItemCaseSensitive(file, "constraints")) {
        cJSON_DeleteItemFromObjectCaseSensitive(constraint, "solve");
        cJSON_AddStringToObject(constraint, "solve", "iterative");
    }
    char* printed = file != NULL ? cJSON_PrintUnformatted(file) : NULL;
    cJSON_Delete(file);
    return printed;
}

static bool SetSolver(cnWorldId world, const char* name) {
    static const char* const names[] = {
        [cn_solverAuto] = "auto",
        [cn_solverIterative] = "iterative",
        [cn_solverDirect] = "direct",
        [cn_solverSplit] = "split",
    };
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i) {
        if (strcmp(name, names[i]) == 0) {
            cnSolverSettings settings = cnWorld_GetSolver(world);
            settings.type = (cnSolverType)i;
            return cnWorld_SetSolver(world, &settings) == CN_ERROR_NONE;
        }
    }
    return false;
}

static bool Prepare(Judge* judge, const Options* options) {
    judge->hunt.world = cnScene_GetWorld(judge->hunt.scene);
    if (options->solver != NULL && strcmp(options->solver, "swept") != 0 &&
        !SetSolver(judge->hunt.world, options->solver)) {
        return false;
    }
    if (options->timeStep > 0.0 &&
        cnWorld_SetTimeStep(judge->hunt.world, options->timeStep) != CN_ERROR_NONE) {
        return false;
    }
    cnSleepSettings sleep = {.enabled = options->sleeps};
    if (cnWorld_SetSleep(judge->hunt.world, &sleep) != CN_ERROR_NONE) {
        return false;
    }
    cnMergeSplitSettings mergeSplit = {.enabled = options->adapts};
    if (cnWorld_SetMergeSplit(judge->hunt.world, &mergeSplit) != CN_ERROR_NONE) {
        return false;
    }
    judge->lowestHeight = INFINITY;
    return cnHunt_Find(&judge->hunt);
}

int main(int count, char** words) {
    Options options;
    if (!ReadArguments(count, words, &options)) {
        return Fail("usage: hunt_judge SCENE.json [--solver kind] [--steps n]",
                    "[--threads n] [--time-step s] [--rest] [--sleep] [--merge] [--adapt] [--trace]");
    }
    size_t length = 0;
    char* text = ReadText(options.scene, &length);
    if (text == NULL) {
        return Fail("cannot read the file", options.scene);
    }
    if (options.solver != NULL && strcmp(options.solver, "swept") == 0) {
        char* iterative = MakeIterative(text);
        free(text);
        text = iterative;
        length = text != NULL ? strlen(text) : 0;
    }
    if (text == NULL) {
        return Fail("cannot read as JSON", options.scene);
    }
    Judge judge = {0};
    judge.hunt.scene = cnLoadScene(text, length, options.threads);
    judge.hunt.file = cJSON_Parse(text);
    free(text);
    if (CN_IS_NULL(judge.hunt.scene)) {
        cJSON_Delete(judge.hunt.file);
        return FailLast();
    }
    int status = 0;
    if (Prepare(&judge, &options)) {
        FindStart(&judge);
        Run(&judge, &options);
        status = Print(&judge, &options) ? 0 : statusBadInput;
    } else {
        status = Fail("cannot judge", options.scene);
    }
    cnDestroyScene(judge.hunt.scene);
    cJSON_Delete(judge.hunt.file);
    cnHunt_Free(&judge.hunt);
    free(judge.times);
    return status;
}
