// Velocities of bodies that continuous collision has put back within a step.
//
// A body or a linkage that stops at the time t of a step of h loses (1 - t) h. It has the velocities of the
// end of the step, for which forces have worked along a path that it did not take. Whatever has worked there
// is taken back, so that a stop adds no energy:
//
//   in free flight   the velocities of time t, linear between start and end: for a body by itself
//                        v −= (1 − t) h M⁻¹ f.
//                    Joint forces are taken back with gravity, so the velocities fit the joints in the poses
//                    of that time. Kinetic energy is a convex function of velocities, and weight works in
//                    proportion to the time, so the sum of both is at most that between start and end.
//   with contacts    the velocities of the end, in each body's own axes, so that the kinetic energy T stays,
//                    scaled to take back
//                        W = Σ f·(missed path) + τ·(missed rotation),   s = √(1 − W/T),
//                    where W > 0. Taking back velocities would undo impacts of this step on one side
//                    only, and lift what lies on the ground. Scaling keeps every relative velocity of 0:
//                    what rests goes on resting, joints stay closed. It changes nothing where the forces
//                    have not worked.
//
// A linkage that is held is scaled in the frame of its holder, in which T is measured and which the missed
// path is relative to; the world is such a frame for all others. Energy from the interpolation of a linkage
// (linkages.h), and from being lifted by what a body goes along with, counts as W, too. Damping and joint
// friction of the time lost stay taken, motors' work stays given.
#pragma once

#include "world/ccd/linkages.h"

typedef struct cnLostTime {
    const cnSolve* solve;
    double stop;              // 0…1
    const cnCarrier* carrier; // what the bodies go along with from the stop to the end of the step, null
    bool isHolder;            // the carrier holds them by joints
    bool isFree;              // no contact acts on any of them
    int holder;               // row, -1
    bool hangs;               // on a point of it (cnLinkage), which the carrier follows
} cnLostTime;

// A body alone, at a pose of the time of the stop (model frame).
void cnLostTime_StopBody(const cnLostTime* lost, int row, cnPose pose);

// A linkage, interpolated to that time.
void cnLostTime_StopLinkage(const cnLostTime* lost, const cnLinkages* linkages, int linkage);
