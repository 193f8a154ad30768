// Linkages of continuous collision: CCD bodies and all that constraints join to them.
//
// ## Why
// Continuous collision puts a body back to where it was at its impact. A body that is joined to it and goes
// on opens the joint, by as much as a step's motion. So what is joined stops together: a linkage is a set of
// dynamic bodies that enabled constraints connect, gears and racks included, with one among them that is
// swept (ccd_bodies.c). It is found only where such a body has a constraint.
//
// ## Where its bodies are within the step
// The solver gives poses at the start and the end of the step, in both of which the joints are closed.
// Straight motion of every centre of mass between them opens joints: two bodies that rotate by θ part by r
// θ²/8, 1 cm at r = 1 m and 20 rad/s. So it is the relative pose of two joined bodies that is interpolated,
// in the frame of one of them: the rotation at a constant rate, the gap between the two attachments linearly.
// Of what joins two points, a distance or a spring, it is the way between them in the world and its length,
// and each body's own rotation: the line does not turn with a body that spins (in its frame a chain of
// springs and light links was carried round by 2 m). A hinge, a slider, a ball, a lock, a screw and what
// gears couple are closed at all times then; the cross of a universal joint is off by a term of second order,
// and closed like a loop. From body to body this follows the joints, those that hold at least three degrees
// of freedom first, breadth-first from whatever holds the linkage; without a holder from its heaviest body,
// and the whole is shifted so that its centre of mass moves straight. Where joints close loops, that is the
// start of Gauss–Seidel rounds over all their rows, in which all bodies weigh the same, towards violations
// linear between start and end.
//
// Rings of bodies that rotate by more than a radian in the step may have no such pose within reach. Then each
// body is swept straight, and the linkage stops as it is at the end of the step, shifted back with its centre
// of mass; one that is held does not stop.
//
// Sweeps see each centre of mass on the path through these poses at eight times, straight in between
// (`deviations`): an eighth of a rotation's arc is off its chord by a 64th of what the whole is.
//
// ## What holds it
// Static bodies and the world do not move: the linkage stops with closed joints. A kinematic body goes on
// moving after the stop. Kinematic motion is a demand that no joint may disobey: a joint opened by it would
// be pulled shut with any force within a step or two, while the overlap that the linkage is carried into is
// an ordinary contact. So a linkage goes on with its holder, as one rigid body, for the rest of the step, and
// what is swept is where that takes it: its path in the frame of the holder at the end of the step. (Swept as
// it moves and carried afterwards, it would be taken off what it hit before a contact was found, step after
// step.) So a load that moves with its hook is not stopped, a wrecking ball that swings on it is. Holders
// that move apart (two lifts, a base and a driven crank) would open a joint wherever the linkage stopped;
// such a linkage is not swept at all, and its CCD bodies collide like any others. What hangs on one point
// alone, by a ball, a distance or a spring, goes along with that point and does not turn with its holder:
// else a hook that turns would carry a load of tonnes up and aside.
#pragma once

#include "solve/solve.h"

// Equal parts of the step in which sweeps take the motion of a centre of mass for straight.
#define CN_PATH_SEGMENTS 8

// Motion of a rigid body from one time of the step to another.
typedef struct cnCarrier {
    cnPose from, to;
} cnCarrier;

static inline cnQuat cnCarriedRotation(const cnCarrier* carrier) {
    return cnMulQuat(carrier->to.rotation, cnConjugate(carrier->from.rotation));
}

static inline cnVec3 cnCarryPoint(const cnCarrier* carrier, cnVec3 point) {
    return cnAdd(carrier->to.position,
                 cnRotate(cnCarriedRotation(carrier), cnSub(point, carrier->from.position)));
}

static inline cnPose cnCarry(const cnCarrier* carrier, cnPose pose) {
    return (cnPose){cnCarryPoint(carrier, pose.position),
                    cnNormalizeQuat(cnMulQuat(cnCarriedRotation(carrier), pose.rotation))};
}

typedef enum cnHold {
    cn_holdNone = 0,
    cn_holdRigid, // by bodies that move as one, or by none that moves
    cn_holdApart, // by bodies that move apart in this step
} cnHold;

// How a member is placed at any time of the step: its motion as one that is joined to it sees it.
typedef struct cnRelativePath {
    int member;
    const cnConstraint* joint; // null: by itself
    int fromMember, from;      // the one that sees it, −1 where it is no member, and its row
    cnVec3 fromPoint, point;   // of the joint, model axes of either
    cnVec3 gapStart, gapEnd;   // between them, in axes of the one; where points are joined, of the world
    cnQuat rotationStart;      // likewise
    cnVec3 turn;               // in the step, rotation vector
} cnRelativePath;

// A dynamic body that belongs to a linkage.
typedef struct cnLinkageMember {
    int linkage;
    cnVec3 velocity; // m/s, at the start of the step
    cnVec3 spin;     // rad/s, model axes, at the start of the step
    cnPose start;    // of its sweep, model frame: of the step, as far as its holder does not move
    cnVec3 startCentre, endCentre; // of its mass, m, world, at the start of the step and at its end
    cnVec3 deviations[CN_PATH_SEGMENTS +
                      1];   // m, of its centre of mass from straight motion, at the ends of segments
    double maxDeviation;    // m
    double deviationLength; // m, of the path that they make by themselves
    cnPose pose;            // where cnLinkages_Interpolate put it, model frame
    bool isPlaced;
} cnLinkageMember;

typedef struct cnLinkage {
    int firstMember, memberCount;
    int firstJoint, jointCount;
    cnHold hold;
    int holder;       // row of a body that is not dynamic, -1: the world
    bool hangs;       // on a point of it, and turns with nothing
    cnVec3 holdPoint; // m, of that, in the holder's model frame
    int loops;        // joints beyond those of a tree, and universals
    bool isRigid;     // no poses in between close its loops
} cnLinkage;

typedef struct cnLinkages {
    const cnSolve* solve;
    cnLinkage* linkages;
    int count;
    cnLinkageMember* members; // by linkage, in the order of their rows
    int* rows;                // of the members
    int* memberOfIndex;       // by solver index, -1; null without linkages
    int* joints;              // of solve->joints, by linkage
    cnRelativePath* paths; // of the members of one linkage at a time, in the order in which they are placed
    // for closing loops
    cnVec3* centres; // by row, m
    cnQuat* rotations;
    double *startGaps, *endGaps; // six of a joint, in the order of `joints`, m and rad
} cnLinkages;

// After cnSolve_Begin, before velocities change. `isSwept`: of each solver index, whether its body has
// constraints and is swept (not 0). Pushes on the step's stack, nothing where there is none. False when
// memory ran out.
bool cnLinkages_Find(cnLinkages* linkages, const cnSolve* solve, const uint8_t* isSwept);

// Index of a body's member, -1.
int cnLinkages_MemberOf(const cnLinkages* linkages, int row);

// After the bodies moved: what holds a linkage, and, unless it is held apart, the paths of its members.
void cnLinkages_Prepare(cnLinkages* linkages, int linkage);

// Poses of a linkage's members at a time 0…1 of the step; the bodies must be where the solver left them.
void cnLinkages_Interpolate(cnLinkages* linkages, int linkage, double time);

// The start of the step, and where the solver left it: of a body's model frame, or of the world for -1.
cnPose cnLinkages_StartPose(const cnSolve* solve, int row);
cnPose cnLinkages_EndPose(const cnSolve* solve, int row);

// What carries a linkage: its holder at a pose, or where it hangs, the point that it hangs on.
cnPose cnLinkage_FrameAt(const cnLinkage* linkage, cnPose holder);

// Rotation vector of a unit quaternion, at most π long.
cnVec3 cnRotationVectorOf(cnQuat rotation);
