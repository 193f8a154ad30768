// Impacts on bodies that joints connect: the whole linkage answers.
//
// A contact's impulse changes the velocities of everything that is joined to its bodies. With the group's
// rows G (contacts left out),
//
//   [ M'  −Gᵀ ] [ Δv ]   [ Jᵀ p ]
//   [ G    Σ  ] [ λ  ] = [  0   ]      M' = M + A, A and Σ of the coming step (stiff_joints.h)
//
// so joints are as closed in velocity after the impact as they were before; with plain M and Σ = 0 a light
// column that lands under a heavy load has no way out to first order, opens and gains energy. A response
// matrix, the velocities of the contact's bodies for unit wrenches on them, is found by one back-substitution
// each; then the contact is solved as between two bodies alone (contact_impact.h), and one more
// back-substitution moves the linkage. Its impulses on joints are part of what is read from these. Contacts
// that strike together have one response for all of their bodies.
//
// Rows with finite bounds (motors, friction) pass on nothing, since an impact takes no time; limits that
// press do, unless the impact would make them pull.
//
// The velocities of a leap-frog belong to half a (sub-)step before their positions, and there joints are not
// closed in velocity: G v is what turning opens in half a step, and impulses of joints, which an impact makes
// large, would do work on it, any amount where bodies spin. So velocities are brought to the time of the
// positions first, by half a step of gravity and by the smallest change that closes the joints, one
// back-substitution with right-hand side −G v; the impact sees these, and what it leaves is brought back by
// the same.
#pragma once

#include "solve/direct/joint_groups.h"

// Most bodies that one impact strikes.
#define CN_STRUCK_BODIES 8

// Velocities v, ω of all bodies that an impact strikes for unit wrenches f, m (about the centre of mass) on
// each.
typedef struct cnImpactResponse {
    double of[6 * CN_STRUCK_BODIES][6 * CN_STRUCK_BODIES]; // by wrench
} cnImpactResponse;

typedef struct cnLinkedBody {
    cnVec3 kick, spinKick; // to the time of the positions: so much times half the sub-steps of a step
} cnLinkedBody;

typedef struct cnLinkedImpacts {
    cnSolve* solve;
    cnJointGroups groups; // none until the first impact that needs them
    uint8_t* isPrepared;  // by group
    cnLinkedBody* bodies; // by solver index
    double work;          // operations left in this step
    bool isMade, ok;
} cnLinkedImpacts;

void cnLinkedImpacts_Begin(cnSolve* solve, cnLinkedImpacts* impacts);
// The number of a body for "shares no other impact of the round": the least solver index of what is joined to
// it.
int cnLinkedImpacts_KeyOf(cnLinkedImpacts* impacts, int index);
// Whether a body is joined to others.
bool cnLinkedImpacts_IsLinked(cnLinkedImpacts* impacts, int index);
// Of bodies by solver index, none of them twice. False where none has joints, or the step's work on linkages
// is done: then bodies answer alone.
bool cnLinkedImpacts_FindResponse(cnLinkedImpacts* impacts, const int* indices, int count,
                                  cnImpactResponse* response);
// v and ω that a sub-step of a linkage adds; false for a body without joints.
bool cnLinkedImpacts_GetKick(cnLinkedImpacts* impacts, int index, cnLinkedBody* kick);
// Gives the linkages of the bodies the wrenches (6 numbers a body) and takes part in what joints report. Does
// nothing, and answers false, where that would raise the kinetic energy by more than what is driven has
// `given`, J.
bool cnLinkedImpacts_Accept(cnLinkedImpacts* impacts, const int* indices, int count, const double* wrenches,
                            double given);
// False when memory ran out.
bool cnLinkedImpacts_End(cnLinkedImpacts* impacts);
