// Sweeps of two shapes through a step: whether they run into one another, and when.
//
// ## When there is an impact
// Not at a touch: a box that slides over flush tiles touches a new tile's side with every edge it passes.
// What counts is what there is too much of within the step:
//
//   fine     a depth of a tenth of the inradius, while that of what slides stays far below. The body is put
//            to where the depth was a hundredth. Pairs that are deep already may get a hundredth deeper: what
//            the contact solver has not stopped, the sweep does.
//   coarse   the middle of its mass comes nearer to the surface than half of the ball about it, or to the
//            other side. What is less deep is found by the next step, which knows when the surfaces met
//            (impact_times.h). From afar the body is put to the surface, as above. One that touches
//            already is stopped where its middle is too near; and if it is alone it turns on, for the next
//            step to find other points of it: spun at 200 rad/s and pressed into a wall it would otherwise
//            stand still in time, since its pose makes the same points in every step.
//
// Depth is the signed distance of penetration.h, a convex function of a translation: Newton's method on it
// never passes the first root, and with what turning adds to the closing speed it is conservative advancement
// (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems").
//
// Against a mesh or a height field each triangle that is met from its front counts for itself. Of pairs with
// another concave shape the inscribed ball of one is swept against the signed distance of the other: it is
// stopped, if a little late.
#pragma once

#include "geometry/support.h"
#include "world/ccd/linkages.h"

// Later than any impact.
#define CN_NEVER 2.0

// A body's way through the step. After `stop`, it rests.
typedef struct cnWay {
    cnVec3 centre, shift; // m, of the centre of mass at the start, and how far it goes in the whole step
    const cnLinkageMember* member; // whose deviations from that straight line count, null
    cnQuat rotation;
    cnVec3 turn; // rad
    cnVec3 localCentre;
    double stop;
} cnWay;

// Model frame at a time 0…1 of the step.
cnPose cnWay_GetPose(const cnWay* way, double time);
// With the centre of mass of one time and the rotation of another.
cnPose cnWay_GetPoseTurned(const cnWay* way, double time, double turnTime);

// A shape on its way.
typedef struct cnMover {
    const cnShape* shape;
    cnWay way;
    cnPose local;   // in the body's model frame
    double turning; // m a step, no point of the surface comes nearer to anything faster by turning
    bool isConvex;
    cnSupportShape support; // convex only
} cnMover;

cnMover cnMover_Make(const cnShape* shape, cnPose local, const cnWay* way);
// Of the whole way, in the world.
cnBounds cnMover_GetBounds(const cnMover* mover);
// m, no point of the surface comes farther within the step.
double cnMover_GetLength(const cnMover* mover);

typedef enum cnSweepKind {
    cn_sweepNone,
    cn_sweepFine,
    cn_sweepCoarse,
} cnSweepKind;

// m, motion of a shape in a step beside which it may be in an impact.
double cnGetSweptLength(const cnShape* shape, cnSweepKind kind);
// Whether a motion of so many metres may be in a coarse impact at something that stands.
bool cnMayPass(const cnShape* shape, double length, const cnShape* standing);

// When `a` runs into `b` within the step, 0…1, or CN_NEVER.
typedef struct cnSweptImpact {
    double time;
    bool turnsOn; // they touched already, and it is the middle that must not go on: the rest may turn
} cnSweptImpact;

// `isJointed`: one of them belongs to a linkage.
cnSweptImpact cnFindSweptImpact(const cnMover* a, const cnMover* b, cnSweepKind kind, bool isJointed);
