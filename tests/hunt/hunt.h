// A scene as the judge of the hunt sees it: its bodies, joints and ground, and the energies that they
// hold and take up.
#pragma once

#include "cairn/cairn.h"
#include "cjson/cJSON.h"
#include "columns.h"

#include <math.h>

// What holds bodies more softly than this has its energy counted, m/N and rad/(N m); what is stiffer gives
// it back at once.
#define HUNT_SOFT_COMPLIANCE 1e-6
// Forces are means over a step; peaks within it are larger.
#define HUNT_ELASTIC_FACTOR 1.5

typedef struct HuntBody {
    cnBodyId id;
    const char* name;
    bool isDynamic, isSwept;
    double mass;   // kg
    double size;   // m, the largest extent
    double lowest; // m, along up: how far down it can get
    cnVec3 start;
    cnVec3 centre, velocity, angularVelocity; // at the end of the last step judged
    double lag;                               // s, of the velocity behind the pose
    double fastest;                           // m/s so far
} HuntBody;

typedef struct HuntJoint {
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
    double lockTarget[2];
    double rangeWork[2], rangeSource[2]; // J: given by a range so far, and the most that it may give
    double elastic;                      // J, of soft held rows at the end of the last step
    double size;                         // m, of the smaller body
} HuntJoint;

typedef struct Hunt {
    cnSceneId scene;
    cnWorldId world;
    cJSON* file;
    HuntBody* bodies;
    int bodyCount;
    HuntJoint* joints;
    int jointCount;
    uint32_t* grounds; // handles of geometries
    int groundCount;
    double highestGround; // m
    cnVec3 up;
    double gravity; // m/s²
    double h;       // s
    double mass;    // kg, of dynamic bodies
} Hunt;

// ---- hunt_scene.c -----------------------------------------------------------------------------------------

// Everything but what is given: scene, world and file. False for a scene that cannot be judged.
bool cnHunt_Find(Hunt* hunt);
void cnHunt_Free(Hunt* hunt);

static inline double cnHunt_HeightOf(const Hunt* hunt, cnVec3 point) {
    return cnDot(hunt->up, point);
}

// Height of the ground above or below a point, along up; NaN without one.
double cnHunt_GroundAt(const Hunt* hunt, cnVec3 point);

// False for −1.
bool cnHunt_IsDynamic(const Hunt* hunt, int body);

// How many coordinates with secondary constraints a type has.
int cnHunt_CountCoordinates(cnConstraintType type);

// How far beyond its limits a coordinate is.
double cnHunt_BeyondRange(const cnRange* range, double value);
double cnHunt_RangeCompliance(const HuntJoint* joint, const cnRange* range, int index);
double cnHunt_LockCompliance(const HuntJoint* joint, const cnLockAt* lock, int index);

// ---- hunt_energy.c ----------------------------------------------------------------------------------------
//
// All in J, or J/kg for potentials.

double cnHunt_PotentialOf(const cnGravity* gravity, cnVec3 point);

// How long ago a body was where it had the velocity that it shows, s: half a sub-step. With a constant
// acceleration the way of the step, h v − (n − 1)/(2n) h Δv, tells the number n of sub-steps.
double cnHunt_FindLag(const HuntBody* body, cnVec3 centre, cnVec3 velocity, double h);

// What is known of an energy at the time that velocities belong to.
typedef struct HuntBounds {
    double low, high;
} HuntBounds;

// Of a spring, soft ranges and locks, `lag` ago.
HuntBounds cnHunt_SpringEnergy(const Hunt* hunt, const HuntJoint* joint, double lag);

// Of soft held rows at the end of a step, from their gaps (m, rad).
double cnHunt_GapEnergy(const HuntJoint* joint, double gap, double misalignment);

// The same from the forces that they bore. Of the two the smaller one is stored: a gap that a step's rotation
// left is none that a force has opened.
double cnHunt_LoadEnergy(const Hunt* hunt, const HuntJoint* joint);

// Within stiff rows under the forces that they bear: what they may give back.
double cnHunt_StoredIn(const HuntJoint* joint);

// Within contacts under theirs, which is much only where tonnes land: elastic, or what overlap lifts as it is
// pushed out, by positions and without any speed.
double cnHunt_StoredInContacts(const Hunt* hunt);

// Work of a step that motors put in at most, that locks put in by a new target, and ranges that were
// violated at the start.
double cnHunt_WorkOfJoint(Hunt* hunt, HuntJoint* joint);

// Of users' forces on a dynamic body.
double cnHunt_WorkOfUsers(const Hunt* hunt, const HuntBody* body, cnVec3 velocity, cnVec3 spin,
                          const cnGravity* gravity);

// Of a body that moves as it is told, on what it touches and holds. What it does by impacts with
// restitution is not in it.
double cnHunt_WorkOfKinematic(const Hunt* hunt, int index);
