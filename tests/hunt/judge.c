// Runs a scene and holds every step against physical laws. Prints one line of JSON.
//
// hunt_judge SCENE.json [--solver auto|iterative|direct|split|directAndIterative] [--steps n] [--threads n]
//                       [--time-step s] [--rest] [--trace]
//
// Laws, E being kinetic energy, potential energy and that of springs, less the work put in by motors, users and kinematic
// bodies; the scale is what E is at the start above the lowest place that each body can reach:
//   finite      all poses and velocities are finite
//   error       no step returns another error
//   explosion   E stays below its start and 10 % of the scale and 1 J/kg of all dynamic mass
//   gain        the same with 1 % and 1e-3 J/kg
//   regain      E does not rise by 5 % of the scale and 1e-3 J/kg above its minimum so far
//   speed       no centre of mass is faster than twice what falls, velocities and motors at the start allow, unless the
//               scale, all of it in one body, could make that speed: heavy ones throw light ones
//   open        held rows are within 1 cm and 0.05 rad of what their compliance explains under the force that they bear
//   torn        the same with 5 cm and 0.25 rad
//   under       no centre of mass is below ground by 0.5 m, or, if that is smaller, by the body's own size and the way
//               that it made in a step: one that is not swept is found where the step left it
//   restless    with --rest: less than 1e-3 J/kg of kinetic energy at the end
// Steps that take more than 20 times the median and more than 16 ms are listed as slow.
//
// The stepper is a leap-frog: velocities belong to half a (sub-)step before the poses, so potential energies are taken in the
// places where the bodies were then. --trace writes the energies of every step on standard error. Exit status: 0, 2 for a bad
// file or bad arguments; broken laws are in the result.
#include "cairn/cairn.h"

#include "base/error.h"
#include "cjson/cJSON.h"
#include "world/directory.h"

#include <math.h>
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
#define ELASTIC_FACTOR 1.5
#define UNDER_DEPTH 0.5      // m
#define REST_ENERGY 1e-3     // J/kg
#define SOFT_COMPLIANCE 1e-6 // m/N: what is softer has its energy counted
#define SPEED_FACTOR 2.0
#define SLOW_FACTOR 20.0
#define SLOW_TIME 16.0 // ms
// What lasts shorter than this many steps is no gain: the time that velocities belong to is not known within an impact.
#define LASTING 3
// Beyond that many times the limit of an explosion no error of that kind can be.
#define SUDDEN_FACTOR 10.0
// Where nothing more is to be learned, J/kg.
#define HOPELESS 1e7

enum {
    statusBadInput = 2,
    mostSlowSteps = 16
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
    bool canRest, traces;
} Options;

typedef struct Breach {
    bool broken;
    int step;      // the first
    double amount; // the worst
    const char* who;
    char unit[8];
} Breach;

typedef struct DynamicBody {
    cnBodyId id;
    const char* name;
    bool dynamic;
    double mass;
    double size;   // m, the largest extent
    double lowest; // m, along up: how far down it can get; NaN: no end
    cnVec3 start;
    cnVec3 centre, velocity, angularVelocity; // at the end of the last step judged
    double lag;                               // s, of the velocity behind the pose
    double fastest;                           // m/s so far
} DynamicBody;

typedef struct Joint {
    cnConstraintId id;
    const char* name;
    cnConstraintType type;
    int body1, body2; // indices, −1
    cnVec3 anchor;
    bool isJudged;          // all held rows without bounds of force
    double linear, angular; // compliance of held rows, the largest
    double damping;         // s
    double stiffness, length;
    double force, torque; // N, N m: what it bears, fading
    double speed[2];
    double rangeWork[2], rangeSource[2]; // J: given by a range so far, and the most that it may give
    double elastic;                      // J, of soft rows at the end of the last step
    double size;                         // m, of the smaller body
} Joint;

typedef struct Judge {
    cnSceneId scene;
    cnWorldId world;
    cJSON* file;
    DynamicBody* bodies;
    int bodyCount;
    Joint* joints;
    int jointCount;
    uint32_t* grounds; // handles of geometries
    int groundCount;
    double highestGround;
    cnVec3 up;
    double gravity; // m/s²
    double h;
    double mass;       // kg, of dynamic bodies
    double start;      // J, E at the start
    double scale;      // J
    double work;       // J, put in so far
    double drop;       // m, the longest fall so far
    double overlap;    // m, at the start
    double fastest;    // m/s that the start allows, without falls beyond it
    double potential0; // J
    double lowest;     // J, minimum of E so far
    double recent[LASTING], high[LASTING];
    Breach breaches[lawCount];
    double worstGain, worstRegain, worstGap, worstAngle, worstGapOfSize, worstSpeed, lowestHeight, worstUnder;
    const char* worstGapName;
    int worstGapStep, mostSubsteps;
    double* times; // ms
    int stepCount;
} Judge;

// ---- arguments and the file ------------------------------------------------------------------------------------

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

static double NumberOf(const cJSON* object, const char* key, double otherwise) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static const char* TextOf(const cJSON* object, const char* key) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static cnVec3 VectorOf(const cJSON* item) {
    cnVec3 v = {0};
    if (cJSON_GetArraySize(item) == 3) {
        v = (cnVec3){cJSON_GetArrayItem(item, 0)->valuedouble, cJSON_GetArrayItem(item, 1)->valuedouble,
                     cJSON_GetArrayItem(item, 2)->valuedouble};
    }
    return v;
}

// The largest extent of a shape, m.
static double SizeOfShape(const cJSON* shape) {
    double radius = fmax(NumberOf(shape, "radius", 0.0),
                         fmax(NumberOf(shape, "topRadius", 0.0), NumberOf(shape, "bottomRadius", 0.0)));
    double height = NumberOf(shape, "height", 0.0);
    if (strcmp(TextOf(shape, "type"), "capsule") == 0) {
        return height + 2.0 * radius;
    }
    cnVec3 half = VectorOf(cJSON_GetObjectItemCaseSensitive(shape, "halfExtents"));
    double size = fmax(2.0 * fmax(radius, fmax(half.x, fmax(half.y, half.z))), height);
    const cJSON* point = NULL;
    cJSON_ArrayForEach(point, cJSON_GetObjectItemCaseSensitive(shape, "points")) {
        size = fmax(size, 2.0 * cnLength(VectorOf(point)));
    }
    return size;
}

static double SizeOfGeometry(const cJSON* geometry) {
    double size = SizeOfShape(cJSON_GetObjectItemCaseSensitive(geometry, "shape"));
    const cJSON* instance = NULL;
    cJSON_ArrayForEach(instance, cJSON_GetObjectItemCaseSensitive(geometry, "shapes")) {
        double reach = cnLength(VectorOf(cJSON_GetObjectItemCaseSensitive(instance, "position")));
        size = fmax(size, reach + SizeOfShape(cJSON_GetObjectItemCaseSensitive(instance, "shape")));
    }
    return size;
}

static double SizeOfBody(const cJSON* body) {
    double size = 0.0;
    const cJSON* geometry = NULL;
    cJSON_ArrayForEach(geometry, cJSON_GetObjectItemCaseSensitive(body, "geometries")) {
        double reach = cnLength(VectorOf(cJSON_GetObjectItemCaseSensitive(geometry, "position")));
        size = fmax(size, reach + SizeOfGeometry(geometry));
    }
    return size;
}

static bool IsGround(const cJSON* geometry) {
    const cJSON* shape = cJSON_GetObjectItemCaseSensitive(geometry, "shape");
    const char* type = TextOf(shape, "type");
    cnVec3 half = VectorOf(cJSON_GetObjectItemCaseSensitive(shape, "halfExtents"));
    return strcmp(type, "plane") == 0 || strcmp(type, "heightField") == 0 || strcmp(type, "trimesh") == 0 ||
           (fmax(half.x, fmax(half.y, half.z)) >= 5.0 && fmin(half.x, fmin(half.y, half.z)) <= 1.0);
}

// ---- columns ---------------------------------------------------------------------------------------------------

static const void* FindColumn(cnWorldId world, cnTableKind kind, const char* name) {
    int count = 0;
    const cnColumn* columns = cnTableColumns(kind, &count);
    for (int i = 0; i < count; ++i) {
        if (strcmp(columns[i].name, name) == 0) {
            return cnWorld_GetColumn(world, kind, i);
        }
    }
    return NULL;
}

// ---- what there is ---------------------------------------------------------------------------------------------

static double HeightOf(const Judge* judge, cnVec3 point) {
    return cnDot(judge->up, point);
}

// Height of the ground above or below a point, along up; NaN without one.
static double GroundAt(const Judge* judge, cnVec3 point) {
    const double reach = 2000.0;
    cnRayResult hits[32];
    cnVec3 origin = cnMulAdd(point, reach - HeightOf(judge, point), judge->up);
    const cnQueryFilter filter = {.bodies = cn_queryStatic};
    int count = cnWorld_CastRayAll(judge->world, origin, cnScale(-2.0 * reach, judge->up), &filter, hits, 32);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < judge->groundCount; ++k) {
            if (hits[i].geometry.value == judge->grounds[k]) {
                return HeightOf(judge, hits[i].point);
            }
        }
    }
    return NAN;
}

static bool FindGrounds(Judge* judge) {
    const uint32_t* handles = FindColumn(judge->world, cn_tableGeometries, "handle");
    int rows = cnWorld_GetTableRows(judge->world, cn_tableGeometries);
    judge->grounds = calloc((size_t)rows + 1, sizeof *judge->grounds);
    if (judge->grounds == NULL) {
        return false;
    }
    const cJSON* geometry = NULL;
    cJSON_ArrayForEach(geometry, cJSON_GetObjectItemCaseSensitive(judge->file, "geometries")) {
        cnGeometryId id = cnScene_FindGeometry(judge->scene, TextOf(geometry, "name"));
        if (IsGround(geometry) && !CN_IS_NULL(id)) {
            judge->grounds[judge->groundCount++] = id.value;
        }
    }
    // of static bodies, by their rows
    const cJSON* body = NULL;
    int index = 0;
    cJSON_ArrayForEach(body, cJSON_GetObjectItemCaseSensitive(judge->file, "bodies")) {
        cnBodyId id = judge->bodies[index++].id;
        const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(body, "geometries"), 0);
        for (int row = 0; row < rows && first != NULL && IsGround(first); ++row) {
            cnGeometryId candidate = {handles[row]};
            if (strcmp(TextOf(body, "motion"), "static") == 0 &&
                cnGeometry_IsValid(judge->world, candidate) &&
                CN_SAME_ID(cnGeometry_GetBody(judge->world, candidate), id)) {
                judge->grounds[judge->groundCount++] = candidate.value;
                break;
            }
        }
    }
    return true;
}

static bool FindBodies(Judge* judge) {
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(judge->file, "bodies");
    judge->bodyCount = cJSON_GetArraySize(list);
    judge->bodies = calloc((size_t)judge->bodyCount + 1, sizeof *judge->bodies);
    const uint32_t* handles = FindColumn(judge->world, cn_tableBodies, "handle");
    if (judge->bodies == NULL || cnWorld_GetTableRows(judge->world, cn_tableBodies) != judge->bodyCount) {
        return false;
    }
    for (int i = 0; i < judge->bodyCount; ++i) {
        DynamicBody* body = &judge->bodies[i];
        const cJSON* item = cJSON_GetArrayItem(list, i);
        body->id = (cnBodyId){handles[i]};
        body->name = TextOf(item, "name");
        body->dynamic = cnBody_GetMotion(judge->world, body->id) == cn_dynamic;
        body->mass = cnBody_GetMass(judge->world, body->id);
        body->size = SizeOfBody(item);
        body->start = body->centre = cnBody_GetCentreOfMass(judge->world, body->id);
        body->velocity = cnBody_GetVelocity(judge->world, body->id);
        body->angularVelocity = cnBody_GetAngularVelocity(judge->world, body->id);
        judge->mass += body->dynamic ? body->mass : 0.0;
    }
    return true;
}

static int IndexOfBody(const Judge* judge, cnBodyId id) {
    for (int i = 0; !CN_IS_NULL(id) && i < judge->bodyCount; ++i) {
        if (CN_SAME_ID(judge->bodies[i].id, id)) {
            return i;
        }
    }
    return -1;
}

static bool IsDynamic(const Judge* judge, int body) {
    return body >= 0 && judge->bodies[body].dynamic;
}

// Largest compliances and whether force bounds keep any of its rows from being held.
static void ReadRows(const Judge* judge, Joint* joint) {
    cnWorldId world = judge->world;
    bool isCoupling = joint->type == cn_constraintGear || joint->type == cn_constraintRackPinion;
    joint->isJudged = joint->type != cn_constraintSpring;
    joint->damping = 0.0;
    int dofs = isCoupling || joint->type == cn_constraintDistance ? 1 : 6;
    for (int dof = 0; dof < dofs; ++dof) {
        double compliance = cnConstraint_GetCompliance(world, joint->id, dof);
        bool isAngle = dof >= 3 || joint->type == cn_constraintGear;
        double* largest = isAngle ? &joint->angular : &joint->linear;
        *largest = fmax(*largest, compliance);
        joint->damping = fmax(joint->damping, cnConstraint_GetDamping(world, joint->id, dof));
        if (isfinite(cnConstraint_GetLeastForce(world, joint->id, dof)) ||
            isfinite(cnConstraint_GetMostForce(world, joint->id, dof))) {
            joint->isJudged = false;
        }
    }
}

// How many coordinates with secondary constraints a type has.
static int CountCoordinates(cnConstraintType type) {
    switch (type) {
    case cn_constraintHinge:
    case cn_constraintPrismatic:
    case cn_constraintDistance:
    case cn_constraintSpring:
        return 1;
    case cn_constraintCylindrical:
    case cn_constraintScrew:
    case cn_constraintUniversal:
        return 2;
    default:
        return 0;
    }
}

// How far beyond its limits a coordinate is; its energy counts where that is soft.
static double BeyondRange(const cnRange* range, double value) {
    if (range->disabled || (range->given & cn_secondaryLimits) == 0) {
        return 0.0;
    }
    return fmax(0.0, fmax(range->limits[0] - value, value - range->limits[1]));
}

static double RangeCompliance(const Joint* joint, const cnRange* range, int index) {
    if ((range->given & cn_secondaryCompliance) != 0) {
        return range->compliance;
    }
    bool isLength =
        joint->type == cn_constraintPrismatic || joint->type == cn_constraintDistance ||
        joint->type == cn_constraintSpring ||
        (joint->type != cn_constraintHinge && joint->type != cn_constraintUniversal && index == 0);
    return isLength ? joint->linear : joint->angular;
}

static void StartRanges(const Judge* judge, Joint* joint) {
    for (int i = 0; i < CountCoordinates(joint->type); ++i) {
        cnRange range = cnConstraint_GetRange(judge->world, joint->id, i);
        double beyond = BeyondRange(&range, cnConstraint_GetCoordinate(judge->world, joint->id, i));
        double compliance = RangeCompliance(joint, &range, i);
        if (beyond > 1e-4 && compliance <= SOFT_COMPLIANCE) {
            joint->rangeSource[i] = 0.5 * beyond * beyond / fmax(compliance, 1e-12);
        }
    }
}

static bool FindJoints(Judge* judge) {
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(judge->file, "constraints");
    judge->jointCount = cJSON_GetArraySize(list);
    judge->joints = calloc((size_t)judge->jointCount + 1, sizeof *judge->joints);
    const uint32_t* handles = FindColumn(judge->world, cn_tableConstraints, "handle");
    if (judge->joints == NULL ||
        cnWorld_GetTableRows(judge->world, cn_tableConstraints) != judge->jointCount) {
        return false;
    }
    for (int i = 0; i < judge->jointCount; ++i) {
        Joint* joint = &judge->joints[i];
        const cJSON* item = cJSON_GetArrayItem(list, i);
        joint->id = (cnConstraintId){handles[i]};
        joint->name = TextOf(item, "name");
        joint->type = cnConstraint_GetType(judge->world, joint->id);
        joint->body1 = IndexOfBody(judge, cnConstraint_GetBody(judge->world, joint->id, 1));
        joint->body2 = IndexOfBody(judge, cnConstraint_GetBody(judge->world, joint->id, 2));
        joint->anchor = cnConstraint_GetFrame(judge->world, joint->id, 1).position;
        ReadRows(judge, joint);
        if (joint->type == cn_constraintSpring) {
            joint->stiffness = NumberOf(item, "stiffness", 0.0);
            double distance = cnConstraint_GetCoordinate(judge->world, joint->id, 0);
            joint->length = NumberOf(item, "length", distance);
        }
        StartRanges(judge, joint);
        double size1 = joint->body1 >= 0 ? judge->bodies[joint->body1].size : 0.0;
        double size2 = joint->body2 >= 0 ? judge->bodies[joint->body2].size : 0.0;
        joint->size = size1 > 0.0 && size2 > 0.0 ? fmin(size1, size2) : fmax(size1, size2);
    }
    return true;
}

// ---- energies --------------------------------------------------------------------------------------------------

static double PotentialOf(const cnGravity* gravity, cnVec3 point) {
    switch (gravity->type) {
    case cn_gravityPoint:
        return gravity->magnitude * cnLength(cnSub(point, gravity->centre));
    case cn_gravityKepler:
        return -gravity->mu / cnLength(cnSub(point, gravity->centre));
    default:
        return -cnDot(gravity->acceleration, point);
    }
}

// Where each body was when it had the velocity that it shows: v lies behind the pose by half a sub-step. With a constant
// acceleration the way of the step, h v − (n − 1)/(2n) h Δv, tells the number n of sub-steps.
static double FindLag(const DynamicBody* body, cnVec3 centre, cnVec3 velocity, double h) {
    cnVec3 change = cnSub(velocity, body->velocity);
    cnVec3 missed = cnSub(cnScale(h, velocity), cnSub(centre, body->centre));
    double square = cnDot(change, change);
    double share = square > 0.0 ? cnDot(missed, change) / (h * square) : 0.0;
    return h * fmin(fmax(0.5 - share, 0.0), 0.5);
}

// Energy of a spring and of compliant ranges with the coordinates that the bodies had `lag` ago.
static double SpringEnergy(const Judge* judge, const Joint* joint, double lag) {
    if (!cnConstraint_IsEnabled(judge->world, joint->id)) {
        return 0.0;
    }
    double energy = 0.0;
    if (joint->type == cn_constraintSpring) {
        double length = cnConstraint_GetCoordinate(judge->world, joint->id, 0) -
                        lag * cnConstraint_GetSpeed(judge->world, joint->id, 0) - joint->length;
        energy += 0.5 * joint->stiffness * length * length;
    }
    for (int i = 0; i < CountCoordinates(joint->type); ++i) {
        cnRange range = cnConstraint_GetRange(judge->world, joint->id, i);
        double value = cnConstraint_GetCoordinate(judge->world, joint->id, i) -
                       lag * cnConstraint_GetSpeed(judge->world, joint->id, i);
        double beyond = BeyondRange(&range, value);
        double compliance = RangeCompliance(joint, &range, i);
        energy += compliance > SOFT_COMPLIANCE ? 0.5 * beyond * beyond / compliance : 0.0;
    }
    return energy;
}

// Energy of compliant held rows at the end of a step, from their gaps.
static double GapEnergy(const Joint* joint, double gap, double misalignment) {
    double linear = joint->linear > SOFT_COMPLIANCE ? 0.5 * gap * gap / joint->linear : 0.0;
    double angular =
        joint->angular > SOFT_COMPLIANCE ? 0.5 * misalignment * misalignment / joint->angular : 0.0;
    return joint->type == cn_constraintSpring ? 0.0 : linear + angular;
}

// The same from the forces that they bore. Of the two the smaller one is stored: a gap that the step's turns left is none that a force
// has opened.
static double LoadEnergy(const Judge* judge, const Joint* joint) {
    double force = cnLength(cnConstraint_GetForce(judge->world, joint->id, 1));
    double torque = cnLength(cnConstraint_GetTorque(judge->world, joint->id, 1, false));
    double linear = joint->linear > SOFT_COMPLIANCE ? 0.5 * joint->linear * force * force : 0.0;
    double angular = joint->angular > SOFT_COMPLIANCE ? 0.5 * joint->angular * torque * torque : 0.0;
    return linear + angular;
}

// J within stiff rows under the forces that they bear: what they may give back.
static double StoredIn(const Joint* joint) {
    double linear = joint->linear <= SOFT_COMPLIANCE ? joint->linear : 0.0;
    double angular = joint->angular <= SOFT_COMPLIANCE ? joint->angular : 0.0;
    return 0.5 * (linear * joint->force * joint->force + angular * joint->torque * joint->torque);
}

static cnMaterialId MaterialOf(const Judge* judge, int geometry) {
    const int32_t* rows = FindColumn(judge->world, cn_tableGeometries, "material");
    const uint32_t* handles = FindColumn(judge->world, cn_tableMaterials, "handle");
    return (cnMaterialId){rows[geometry] >= 0 ? handles[rows[geometry]] : 0};
}

// J within contacts under the forces that they bear, which is much only where tonnes land.
static double StoredInContacts(const Judge* judge) {
    const int32_t* geometry1 = FindColumn(judge->world, cn_tableContacts, "geometry1");
    const int32_t* geometry2 = FindColumn(judge->world, cn_tableContacts, "geometry2");
    const int32_t* contact = FindColumn(judge->world, cn_tableContactPoints, "contact");
    const double* force = FindColumn(judge->world, cn_tableContactPoints, "normalForce");
    int points = cnWorld_GetTableRows(judge->world, cn_tableContactPoints);
    double sum = 0.0;
    for (int i = 0; i < points; ++i) {
        cnMaterialId material1 = MaterialOf(judge, geometry1[contact[i]]);
        cnMaterialId material2 = MaterialOf(judge, geometry2[contact[i]]);
        cnContactMaterialDef pair = cnWorld_GetPairProperties(judge->world, material1, material2);
        double peak = ELASTIC_FACTOR * force[i];
        sum += 0.5 * peak * peak / pair.youngsModulus;
    }
    return sum;
}

// Power that a motor or lock may have put in: force times speed where both have the same sign, with the larger speed of the step's
// start and end, and no more than a motor's own.
static double DrivePower(double force, double before, double after, double limit) {
    double power = fmax(force * before, force * after);
    return fmax(0.0, fmin(power, fabs(force) * limit));
}

static double WorkOfJoint(Judge* judge, Joint* joint) {
    double work = 0.0;
    for (int i = 0; i < CountCoordinates(joint->type); ++i) {
        cnSecondaryForces forces = cnConstraint_GetSecondaryForces(judge->world, joint->id, i);
        double speed = cnConstraint_GetSpeed(judge->world, joint->id, i);
        double before = joint->speed[i];
        joint->speed[i] = speed;
        if (forces.motor != 0.0) {
            cnMotor motor = cnConstraint_GetMotor(judge->world, joint->id, i);
            work += judge->h * DrivePower(forces.motor, before, speed, fabs(motor.speed));
        }
        if (forces.lock != 0.0) {
            work += judge->h * DrivePower(forces.lock, before, speed, INFINITY);
        }
        // a range that was violated at the start gives back what it held then, and no more
        if (joint->rangeSource[i] > 0.0) {
            double given = joint->rangeWork[i] + judge->h * 0.5 * forces.range * (before + speed);
            double counted = fmin(fmax(joint->rangeWork[i], 0.0), joint->rangeSource[i]);
            work += fmin(fmax(given, 0.0), joint->rangeSource[i]) - counted;
            joint->rangeWork[i] = given;
        }
    }
    return work;
}

// Of users' forces on a dynamic body.
static double WorkOfUsers(const Judge* judge, const DynamicBody* body, cnVec3 velocity, cnVec3 spin,
                          const cnGravity* gravity) {
    cnVec3 force = cnBody_GetLastForce(judge->world, body->id);
    if (gravity->type == cn_gravityDefault || gravity->type == cn_gravityUniform) {
        force = cnMulAdd(force, -body->mass, gravity->acceleration);
    } else {
        return 0.0;
    }
    cnVec3 torque = cnBody_GetLastTorque(judge->world, body->id);
    if (cnLength(force) < 1e-9 * body->mass * (1.0 + judge->gravity) && cnLength(torque) == 0.0) {
        return 0.0;
    }
    return 0.5 * judge->h *
           (cnDot(force, cnAdd(velocity, body->velocity)) +
            cnDot(torque, cnAdd(spin, body->angularVelocity)));
}

// Of bodies that move as they are told, on what they touch and hold.
static double WorkOfKinematic(const Judge* judge, int index) {
    const DynamicBody* body = &judge->bodies[index];
    cnVec3 velocity = cnBody_GetVelocity(judge->world, body->id);
    cnVec3 spin = cnBody_GetAngularVelocity(judge->world, body->id);
    if (cnLength(velocity) == 0.0 && cnLength(spin) == 0.0) {
        return 0.0;
    }
    cnVec3 centre = cnBody_GetCentreOfMass(judge->world, body->id);
    double power = 0.0;
    for (int i = 0; i < judge->jointCount; ++i) {
        const Joint* joint = &judge->joints[i];
        if (joint->body1 == index || joint->body2 == index) {
            int which = joint->body1 == index ? 1 : 2;
            power -= cnDot(cnConstraint_GetForce(judge->world, joint->id, which), velocity) +
                     cnDot(cnConstraint_GetTorque(judge->world, joint->id, which, true), spin);
        }
    }
    const int32_t* body1 = FindColumn(judge->world, cn_tableContacts, "body1");
    const int32_t* body2 = FindColumn(judge->world, cn_tableContacts, "body2");
    const int32_t* contact = FindColumn(judge->world, cn_tableContactPoints, "contact");
    const cnVec3* position = FindColumn(judge->world, cn_tableContactPoints, "position");
    const cnVec3* normal = FindColumn(judge->world, cn_tableContactPoints, "normal");
    const double* push = FindColumn(judge->world, cn_tableContactPoints, "normalForce");
    const cnVec3* drag = FindColumn(judge->world, cn_tableContactPoints, "tangentialForce");
    int points = cnWorld_GetTableRows(judge->world, cn_tableContactPoints);
    for (int i = 0; i < points; ++i) {
        double sign = body1[contact[i]] == index ? 1.0 : body2[contact[i]] == index ? -1.0 : 0.0;
        if (sign != 0.0) {
            cnVec3 force = cnScale(sign, cnMulAdd(drag[i], push[i], normal[i]));
            cnVec3 there = cnAdd(velocity, cnCross(spin, cnSub(position[i], centre)));
            power -= cnDot(force, there);
        }
    }
    return power * judge->h;
}

// ---- the start -------------------------------------------------------------------------------------------------

// The lowest heights that bodies can reach: the ground below them, and what hangs from the world by joints that cannot break no lower
// than the joints between allow.
static void FindLowest(Judge* judge) {
    double* level = calloc((size_t)judge->jointCount + 1, sizeof *level);
    for (int i = 0; i < judge->jointCount && level != NULL; ++i) {
        Joint* joint = &judge->joints[i];
        bool holds = joint->type == cn_constraintBall || joint->type == cn_constraintHinge ||
                     joint->type == cn_constraintLock || joint->type == cn_constraintUniversal;
        bool stays = holds && cnConstraint_GetBreakForce(judge->world, joint->id) == 0.0 &&
                     cnConstraint_GetBreakTorque(judge->world, joint->id) == 0.0;
        bool isFixed = !IsDynamic(judge, joint->body1) || !IsDynamic(judge, joint->body2);
        level[i] = !stays ? NAN : isFixed ? HeightOf(judge, joint->anchor) : -INFINITY;
    }
    for (int round = 0; round < judge->jointCount && level != NULL; ++round) {
        bool changed = false;
        for (int i = 0; i < judge->jointCount; ++i) {
            for (int k = 0; k < judge->jointCount; ++k) {
                const Joint *from = &judge->joints[i], *to = &judge->joints[k];
                bool share =
                    (IsDynamic(judge, from->body1) &&
                     (from->body1 == to->body1 || from->body1 == to->body2)) ||
                    (IsDynamic(judge, from->body2) && (from->body2 == to->body1 || from->body2 == to->body2));
                double reached = level[i] - cnLength(cnSub(from->anchor, to->anchor));
                if (i != k && share && reached > level[k]) {
                    level[k] = reached;
                    changed = true;
                }
            }
        }
        if (!changed) {
            break;
        }
    }
    for (int i = 0; i < judge->bodyCount; ++i) {
        DynamicBody* body = &judge->bodies[i];
        body->lowest = GroundAt(judge, body->start);
        for (int k = 0; k < judge->jointCount && level != NULL; ++k) {
            const Joint* joint = &judge->joints[k];
            double reached = level[k] - cnLength(cnSub(body->start, joint->anchor));
            if ((joint->body1 == i || joint->body2 == i) && isfinite(reached)) {
                body->lowest = isnan(body->lowest) ? reached : fmax(body->lowest, reached);
            }
        }
        double height = HeightOf(judge, body->start);
        body->lowest = isnan(body->lowest) ? height : fmin(body->lowest, height);
    }
    free(level);
}

static void FindStart(Judge* judge) {
    cnGravity gravity = cnWorld_GetGravity(judge->world);
    double kinetic = cnWorld_GetKineticEnergy(judge->world);
    double elastic = 0.0, smallest = INFINITY, fall = 0.0, swing = 0.0, extent = 0.0, drive = 0.0;
    judge->scale = kinetic;
    judge->start = kinetic;
    for (int i = 0; i < judge->bodyCount; ++i) {
        const DynamicBody* body = &judge->bodies[i];
        if (!body->dynamic) {
            swing = fmax(swing, cnLength(body->velocity));
            continue;
        }
        double height = HeightOf(judge, body->start) - body->lowest;
        fall = fmax(fall, height);
        extent += body->size;
        smallest = fmin(smallest, body->mass);
        swing = fmax(swing, cnLength(body->velocity) + cnLength(body->angularVelocity) * body->size);
        judge->potential0 += body->mass * PotentialOf(&gravity, body->start);
        judge->scale += body->mass * judge->gravity * height;
        // the velocities given belong to half a step before the poses, or less
        double rise = HeightOf(judge, body->velocity);
        judge->start += fmax(0.0, -rise) * body->mass * judge->gravity * 0.5 * judge->h;
    }
    for (int i = 0; i < judge->jointCount; ++i) {
        Joint* joint = &judge->joints[i];
        elastic += SpringEnergy(judge, joint, 0.0);
        for (int k = 0; k < CountCoordinates(joint->type); ++k) {
            cnMotor motor = cnConstraint_GetMotor(judge->world, joint->id, k);
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

// ---- laws ------------------------------------------------------------------------------------------------------

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
    double above = lasting - judge->start;
    double limit = EXPLOSION_SHARE * scale + EXPLOSION_FLOOR * judge->mass;
    if (low - judge->start > SUDDEN_FACTOR * limit) {
        above = low - judge->start;
    }
    if (above > limit) {
        Break(judge, lawExplosion, step, above / judge->mass, "J/kg", "");
    }
    if (above > GAIN_SHARE * scale + GAIN_FLOOR * judge->mass) {
        Break(judge, lawGain, step, above / judge->mass, "J/kg", "");
    }
    double back = lasting - judge->lowest;
    if (back > REGAIN_SHARE * scale + GAIN_FLOOR * judge->mass) {
        Break(judge, lawRegain, step, back / judge->mass, "J/kg", "");
    }
    judge->worstGain = fmax(judge->worstGain, above / judge->mass);
    judge->worstRegain = fmax(judge->worstRegain, back / judge->mass);

    // a minimum counts if it lasts
    double* highs = judge->high;
    memmove(highs, highs + 1, (LASTING - 1) * sizeof *highs);
    highs[LASTING - 1] = high + stored;
    if (step >= LASTING) {
        judge->lowest = fmin(judge->lowest, LargestOf(highs));
    }
}

static void JudgeJoints(Judge* judge, int step) {
    const double* gaps = FindColumn(judge->world, cn_tableConstraints, "gap");
    const double* angles = FindColumn(judge->world, cn_tableConstraints, "misalignment");
    for (int i = 0; i < judge->jointCount; ++i) {
        Joint* joint = &judge->joints[i];
        if (!cnConstraint_IsEnabled(judge->world, joint->id)) {
            joint->force = joint->torque = 0.0;
            continue;
        }
        // what a row gives way under an impact goes back as its damping has it
        double damping = joint->damping > 0.0 ? joint->damping : 2.0 * judge->h;
        double fade = fmax(0.7, exp(-judge->h / damping));
        joint->force = fmax(fade * joint->force, cnLength(cnConstraint_GetForce(judge->world, joint->id, 1)));
        joint->torque =
            fmax(fade * joint->torque, cnLength(cnConstraint_GetTorque(judge->world, joint->id, 1, false)));
        if (!joint->isJudged) {
            continue;
        }
        double length = gaps[i] - ELASTIC_FACTOR * joint->linear * joint->force;
        double angle = angles[i] - ELASTIC_FACTOR * joint->angular * joint->torque;
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

static void JudgePlace(Judge* judge, int step, const DynamicBody* body) {
    double height = HeightOf(judge, body->centre);
    judge->lowestHeight = fmin(judge->lowestHeight, height);
    if (judge->groundCount == 0 || height > judge->highestGround) {
        return;
    }
    double depth = GroundAt(judge, body->centre) - height;
    if (depth > judge->worstUnder) {
        judge->worstUnder = depth;
    }
    double own = body->size > 0.0 ? body->size + judge->h * body->fastest : UNDER_DEPTH;
    if (depth > fmin(UNDER_DEPTH, own)) {
        Break(judge, lawUnder, step, depth, "m", body->name);
    }
}

static void JudgeSpeeds(Judge* judge, int step) {
    double start = sqrt(judge->fastest * judge->fastest + 2.0 * judge->gravity * judge->drop);
    for (int i = 0; i < judge->bodyCount; ++i) {
        const DynamicBody* body = &judge->bodies[i];
        if (!body->dynamic) {
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

// The highest that any ground is near the scene, so that bodies above need no ray; planes are the only endless ones.
static void FindHighestGround(Judge* judge) {
    judge->highestGround = -INFINITY;
    const uint32_t* handles = judge->grounds;
    for (int i = 0; i < judge->groundCount; ++i) {
        double level = 0.0;
        const cJSON* geometry = NULL;
        bool isPlane = false;
        cJSON_ArrayForEach(geometry, cJSON_GetObjectItemCaseSensitive(judge->file, "geometries")) {
            const cJSON* shape = cJSON_GetObjectItemCaseSensitive(geometry, "shape");
            cnVec3 normal = VectorOf(cJSON_GetObjectItemCaseSensitive(shape, "normal"));
            if (cnScene_FindGeometry(judge->scene, TextOf(geometry, "name")).value == handles[i] &&
                cnDot(normal, judge->up) > 0.999999) {
                isPlane = true;
                level = NumberOf(shape, "d", 0.0);
            }
        }
        judge->highestGround = fmax(judge->highestGround, isPlane ? level : INFINITY);
    }
}

// False after a step that makes more steps pointless.
static bool JudgeStep(Judge* judge, int step, bool traces) {
    cnGravity gravity = cnWorld_GetGravity(judge->world);
    double kinetic = cnWorld_GetKineticEnergy(judge->world);
    double potential = 0.0, potentialNow = 0.0;
    for (int i = 0; i < judge->bodyCount; ++i) {
        DynamicBody* body = &judge->bodies[i];
        if (!body->dynamic) {
            judge->work += WorkOfKinematic(judge, i);
            continue;
        }
        cnVec3 centre = cnBody_GetCentreOfMass(judge->world, body->id);
        cnVec3 velocity = cnBody_GetVelocity(judge->world, body->id);
        cnVec3 spin = cnBody_GetAngularVelocity(judge->world, body->id);
        if (!cnIsFiniteVec(centre) || !cnIsFiniteVec(velocity) || !cnIsFiniteVec(spin)) {
            Break(judge, lawFinite, step, 0.0, "", body->name);
            return false;
        }
        body->lag = FindLag(body, centre, velocity, judge->h);
        judge->work += WorkOfUsers(judge, body, velocity, spin, &gravity);
        potential += body->mass * PotentialOf(&gravity, cnMulAdd(centre, -body->lag, velocity));
        potentialNow += body->mass * PotentialOf(&gravity, centre);
        body->centre = centre;
        body->velocity = velocity;
        body->angularVelocity = spin;
        body->fastest = fmax(body->fastest, cnLength(velocity));
        judge->drop = fmax(judge->drop, HeightOf(judge, body->start) - HeightOf(judge, centre));
        JudgePlace(judge, step, body);
    }

    const double* gaps = FindColumn(judge->world, cn_tableConstraints, "gap");
    const double* angles = FindColumn(judge->world, cn_tableConstraints, "misalignment");
    double low = 0.0, high = 0.0, stored = StoredInContacts(judge);
    JudgeJoints(judge, step);
    for (int i = 0; i < judge->jointCount; ++i) {
        Joint* joint = &judge->joints[i];
        judge->work += WorkOfJoint(judge, joint);
        bool first = IsDynamic(judge, joint->body1);
        double lag = first                            ? judge->bodies[joint->body1].lag
                     : IsDynamic(judge, joint->body2) ? judge->bodies[joint->body2].lag
                                                      : 0.0;
        // of springs the way back is known, of gaps the two ends of the step
        double spring = SpringEnergy(judge, joint, lag);
        double gap = GapEnergy(joint, gaps[i], angles[i]);
        low += spring + fmin(LoadEnergy(judge, joint), fmin(gap, joint->elastic));
        high += spring + fmax(gap, joint->elastic);
        joint->elastic = gap;
        stored += StoredIn(joint);
    }

    double energy = kinetic + potential - judge->work;
    JudgeEnergy(judge, step, energy + low, energy + high, stored, judge->potential0 - potentialNow);
    if (traces) {
        fprintf(stderr,
                "%d kinetic %.6g potential %.6g elastic %.6g…%.6g stored %.6g work %.6g above %.6g J/kg gap "
                "%.3g\n",
                step, kinetic, potential - judge->potential0, low, high, stored, judge->work,
                (energy + low - judge->start) / judge->mass, judge->worstGap);
    }

    JudgeSpeeds(judge, step);
    for (int i = 0; i < cnWorld_GetCounters(judge->world).islands; ++i) {
        cnIslandStatistics island = cnWorld_GetIslandStatistics(judge->world, i);
        judge->mostSubsteps = island.substeps > judge->mostSubsteps ? island.substeps : judge->mostSubsteps;
    }
    return judge->breaches[lawExplosion].amount < HOPELESS;
}

static void Run(Judge* judge, const Options* options) {
    int steps = (int)options->steps;
    judge->times = calloc((size_t)steps + 1, sizeof *judge->times);
    for (int step = 1; step <= steps && judge->times != NULL; ++step) {
        cnErrorCode code = cnScene_Step(judge->scene);
        judge->times[judge->stepCount++] = cnWorld_GetProfile(judge->world).step;
        if (code != CN_ERROR_NONE) {
            Law law = code == CN_ERROR_NON_FINITE_STATE ? lawFinite : lawError;
            Break(judge, law, step, 0.0, "", cnErrorName(code));
            break;
        }
        if (step == 1) {
            // what overlaps at the start may be lifted out of it, no more
            double depth = cnWorld_GetMaxPenetration(judge->world);
            judge->start += judge->mass * judge->gravity * depth;
            judge->overlap = depth;
        }
        if (!JudgeStep(judge, step, options->traces)) {
            break;
        }
    }
    double rest = cnWorld_GetKineticEnergy(judge->world) / judge->mass;
    if (options->canRest && !(rest <= REST_ENERGY)) {
        Break(judge, lawRestless, judge->stepCount, rest, "J/kg", "");
    }
}

// ---- the result ------------------------------------------------------------------------------------------------

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
    for (int i = 0; i < judge->stepCount && listed < mostSlowSteps; ++i) {
        if (judge->times[i] > SLOW_TIME && judge->times[i] > SLOW_FACTOR * median) {
            printf("%s[%d,%.3f]", separator, i + 1, judge->times[i]);
            separator = ",";
            ++listed;
        }
    }
    char hash[17] = "";
    cnWorld_GetHash(judge->world, hash);
    double rest = cnWorld_GetKineticEnergy(judge->world) / judge->mass;
    printf("],\"gain\":%.4g,\"regain\":%.4g,\"scale\":%.6g,\"mass\":%.6g,\"work\":%.6g,\"gap\":%.4g,"
           "\"gapOfSize\":%.4g,\"gapWho\":\"%s\","
           "\"gapStep\":%d,\"angle\":%.4g,\"speed\":%.6g,\"height\":%.6g,\"under\":%.4g,\"rest\":%.4g,"
           "\"overlap\":%.3g,"
           "\"substeps\":%d,"
           "\"median\":%.4f,\"longest\":%.3f,\"hash\":\"%s\"}\n",
           Bounded(judge->worstGain), Bounded(judge->worstRegain), Bounded(judge->scale / judge->mass),
           Bounded(judge->mass), Bounded(judge->work / judge->mass), Bounded(judge->worstGap),
           Bounded(judge->worstGapOfSize), judge->worstGapName != NULL ? judge->worstGapName : "",
           judge->worstGapStep, Bounded(judge->worstAngle), Bounded(judge->worstSpeed),
           Bounded(judge->lowestHeight), Bounded(judge->worstUnder), Bounded(rest), Bounded(judge->overlap),
           judge->mostSubsteps, median, longest, hash);
    return true;
}

static bool SetSolver(cnWorldId world, const char* name) {
    static const char* const names[] = {
        [cn_solverAuto] = "auto",
        [cn_solverIterative] = "iterative",
        [cn_solverDirect] = "direct",
        [cn_solverSplit] = "split",
        [cn_solverDirectAndIterative] = "directAndIterative",
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
    judge->world = cnScene_GetWorld(judge->scene);
    if (options->solver != NULL && !SetSolver(judge->world, options->solver)) {
        return false;
    }
    if (options->timeStep > 0.0 && cnWorld_SetTimeStep(judge->world, options->timeStep) != CN_ERROR_NONE) {
        return false;
    }
    judge->h = cnWorld_GetTimeStep(judge->world);
    cnGravity gravity = cnWorld_GetGravity(judge->world);
    bool isUniform = gravity.type == cn_gravityDefault || gravity.type == cn_gravityUniform;
    judge->gravity = isUniform ? cnLength(gravity.acceleration) : 0.0;
    judge->up =
        judge->gravity > 0.0 ? cnScale(-1.0 / judge->gravity, gravity.acceleration) : (cnVec3){0.0, 0.0, 1.0};
    judge->lowestHeight = INFINITY;
    return FindBodies(judge) && FindGrounds(judge) && FindJoints(judge) && judge->mass > 0.0;
}

int main(int count, char** words) {
    Options options;
    if (!ReadArguments(count, words, &options)) {
        return Fail("usage: hunt_judge SCENE.json [--solver kind] [--steps n]",
                    "[--threads n] [--time-step s] [--rest] [--trace]");
    }
    size_t length = 0;
    char* text = ReadText(options.scene, &length);
    if (text == NULL) {
        return Fail("cannot read the file", options.scene);
    }
    Judge judge = {0};
    judge.scene = cnLoadScene(text, length, options.threads);
    judge.file = cJSON_Parse(text);
    free(text);
    if (CN_IS_NULL(judge.scene)) {
        cJSON_Delete(judge.file);
        return FailLast();
    }
    int status = 0;
    if (Prepare(&judge, &options)) {
        FindHighestGround(&judge);
        FindLowest(&judge);
        FindStart(&judge);
        Run(&judge, &options);
        status = Print(&judge, &options) ? 0 : statusBadInput;
    } else {
        status = Fail("cannot judge", options.scene);
    }
    cnDestroyScene(judge.scene);
    cJSON_Delete(judge.file);
    free(judge.bodies);
    free(judge.joints);
    free(judge.grounds);
    free(judge.times);
    return status;
}
