// Joints of islands whose contacts are swept: each group of bodies that joints connect is solved directly,
// contacts left out.
//
// A block Gauss–Seidel scheme, in which a group is one block beside the contacts. In every sub-step of the
// sweeps, p being what contacts gave a body in it so far:
//
//   groups     M v = M v_k + h_s f + p + Gᵀ λ, G v + Σ λ = q, with p of the sub-step before
//   contacts   biased sweep; p follows from what it changed
//   groups     the same again with the new p, and the gap that is left (stiff_joints.h); it moves the bodies
//   contacts   relaxing sweep with friction
//   groups     the same again; these velocities stay
//
// A group is solved last, so joints are as closed as in an island that is solved directly, with stiffness
// against light links under load and with rotors, in steps of h_s. It is solved from its momenta each time
// and not from where it stood, so a contact keeps all that it presses: where everything rests and p holds it,
// no solve changes anything, and neither friction nor joints eat what the others found. What remains are the
// sweeps' own errors: a heavy thing that stands on a light jointed one converges slowly.
//
// A group that rotates farther in a sub-step of the sweeps than its rows can follow is solved once more at
// its end, in as many smaller ones as it needs (stepping.h), with p spread evenly over them; these move it.
//
// Joints that are to be iterative are no part of the factorisation: their rows are swept, once before each
// solve of their group, which takes their multipliers for external impulses.
//
// Sweeps see f32 changes of velocity since the start of the step; the group's state is f64, and what contacts
// change is read off as differences of what they were given.
#pragma once

#include "solve/direct/assembly.h"

// What contacts and a body of a group exchange.
typedef struct cnGroupBody {
    cnVec3 velocity, spin;            // at the start of the step
    cnVec3 impulse, moment;           // p, of the sub-step
    cnVec3 startImpulse, startMoment; // of it, what the sub-step began with
    cnMat33 mass, inertia;            // that the sweeps see
    cnVec3 gained, gainedSpin;        // what the sweeps were given, as they read it
} cnGroupBody;

struct cnSweptBodies;

typedef struct cnJointGroups {
    const struct cnSweptBodies* swept; // those of the sweeps that they take part in
    const int* places;                 // among them, by solver index
    cnDirectIsland* groups;
    int count;
    int* ofBody;         // by solver index, −1 outside
    cnGroupBody* bodies; // of all groups, in their order
    double* kept;        // right-hand sides, of all groups
    double* correction;  // of v and λ
    double* way;         // velocities that move the bodies
} cnJointGroups;

// Groups of the islands that have them. False when memory ran out.
bool cnMakeJointGroups(cnSolve* solve, cnJointGroups* groups, int hint);

// Groups of all joints, for impacts (direct_impacts.h): without what the sweeps need.
bool cnMakeImpactGroups(cnSolve* solve, cnJointGroups* groups);

// Before the sweeps, once their bodies are loaded: from now on the groups have the forces on theirs.
void cnJointGroups_JoinSweeps(cnJointGroups* groups, const struct cnSweptBodies* swept, const int* places);
// Called by the sweeps: when bodies and contacts have begun a sub-step, after each biased sweep, after each
// relaxing one, at its end.
void cnJointGroups_Begin(const cnJointGroups* groups, int substep);
void cnJointGroups_AfterBiased(const cnJointGroups* groups, bool isLast);
void cnJointGroups_AfterRelaxing(const cnJointGroups* groups);
void cnJointGroups_End(const cnJointGroups* groups);
// After all sub-steps. False when memory ran out in one of them.
bool cnJointGroups_Finish(const cnJointGroups* groups);
