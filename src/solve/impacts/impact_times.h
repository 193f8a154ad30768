// When an impact was.
//
// A step finds bodies that have already sunk into one another, by up to the way of a step. Reversed there, a
// ball of e = 0.8 is 8 % low at its fourth bounce. But between two steps bodies fly, so the time is known: τ
// before the pose, with d the depth, u the speed of approach at the pose and a its rate,
//
//   d = u τ − a τ²/2,   v = u − a τ at the impact.
//
// The impact is solved as it was then, G v⁺ = −e G v⁻ with velocities of that time, and the bodies are where
// they would have come by now: what an impulse changes a velocity by has changed the pose by τ times as much.
// In free flight that is exact, whatever the step, so that a ball comes back to e² of its height. The poses
// change at the end of the step; until then the contacts of a body know how far it will be off.
//
// Where a body would have come back again before the pose it starts there from the surface. Nothing is
// located where the way was no flight: at contacts that touched before, where the depth is more than the way
// of a step, with bodies that were just set in motion, that joints hold, or that rest on something: these
// stay where they are.
#pragma once

#include "solve/contact_rows.h"

typedef struct cnImpactTime {
    double before; // τ, s; 0 where the impact is taken to be at the pose
    double moves;  // s, times the change of a velocity: the change of the pose
} cnImpactTime;

// Depth of a point with what impacts of this step will move its bodies by, m.
double cnImpactTimes_GetDepth(const cnSolve* solve, const cnContactRows* rows, int point);
// Rate of the speed of approach at a point by gravity and users' forces, m/s²; `rests` says by solver index
// which bodies rest on something, and so do not follow them.
double cnImpactTimes_GetRate(const cnSolve* solve, const bool* rests, const cnContactRows* rows, int point);
// Whether a contact is between bodies that flew until they touched.
bool cnImpactTimes_IsFlight(const cnSolve* solve, const cnSolverContact* contact);
// Time since the surfaces of a point met, for its depth, speed of approach and rate; negative where they have
// not met within a step.
double cnImpactTimes_Find(const cnSolve* solve, double depth, double approach, double rate);
// Two balls as they met: the line of centres of that time is the normal. At the pose it has turned, by
// 0.3 rad where a ball goes a third of its diameter in a step.
typedef struct cnBallsImpact {
    double time;       // before the pose, s
    double depth;      // at the pose along the normal, m
    double rate;       // of the speed of approach, m/s²
    cnVec3 normal;     // moves ball 1 off ball 2
    cnVec3 arm1, arm2; // from the centres of mass to where they met
} cnBallsImpact;

// A body's velocities at its pose.
typedef struct cnPoseMotion {
    cnVec3 velocity, spin;
} cnPoseMotion;

// As they are at the pose: rows have the normal of another time (midpoint_normal.h), along which the balls do
// not reverse their speeds. False where one is in the other's centre.
bool cnImpactTimes_GetBalls(const cnSolve* solve, const cnContactRows* rows, cnBallsImpact* impact);
// False where they have not met in flight within the last step.
bool cnImpactTimes_FindBalls(const cnSolve* solve, const bool* rests, const cnContactRows* rows,
                             const cnPoseMotion* motion1, const cnPoseMotion* motion2, cnBallsImpact* impact);
// Where bodies met with a point, so long before the pose: from their centres of mass then. At the pose the
// point is half of its depth inside of both. `moves`: which of them are dynamic.
void cnImpactTimes_GetArms(const cnSolve* solve, const cnContactRows* rows, int point, double time,
                           const cnPoseMotion motions[2], const bool moves[2], cnVec3 arms[2]);
// Before all moves of a step.
void cnImpactTimes_Begin(cnSolve* solve);
// Adds to a body's change of pose. Whoever moves a body sets `anyImpactMove` of the solver's bodies
// afterwards: several threads move bodies of their own.
void cnImpactTimes_Move(const cnSolve* solve, int index, double time, cnVec3 linear, cnVec3 angular);
// Gives contacts the depths that their bodies' changed poses make.
void cnImpactTimes_ChangeDepths(cnSolve* solve);
