// A converged island while it is solved: its bodies, its contacts and their rows, in f64.
//
// Bodies are numbered by their place in the island, from 1; place 0 stands for all that is not dynamic. An
// island is loaded into a room that the next one uses again, so that its numbers stay in the caches.
#pragma once

#include "base/report/assert.h"
#include "math/vec6.h"
#include "solve/contact_rows.h"

#define CN_CONVERGED_ROWS (CN_MANIFOLD_POINTS + cn_frictionMostRows)

typedef struct cnConvergedRow {
    cnVec6 jacobian1, jacobian2; // G of either body; without linear part for torsional friction and rolling
    cnVec6 response1, response2; // changes of the bodies' velocities by an impulse of 1
    double inverseMass;          // D, the inverse effective mass
    double sigma;
    double gain;       // 1/(D + Σ)
    double start;      // G v at the start of the step
    double separation; // m at the start of the step; normal rows
    double radius;     // m from the friction centre; normal rows
    double push;       // m/s, the fastest that the bias pushes out; normal rows
    double impulse, sum;
    double warmImpulse; // λ at the start of the sub-step
    double bias;        // of this sub-step: r = G v + bias + Σ λ
    double rate;        // m/s, of the curvature, in this sub-step; normal rows
    double residual;    // r where the Newton step starts
    double step;        // change of λ that it wants
    bool active, released;
    bool inMatrix; // of the factorisation that stands
} cnConvergedRow;

typedef struct cnConvergedContact {
    int number; // among the step's contacts
    cnContactRows* source;
    int body1, body2; // places
    int points;
    int rowEnd; // of its rows
    cnRowSoftness softness;
    double least; // N s, of the normal rows' λ
    bool inTree;
    bool relaxes;
    cnConvergedRow rows[CN_CONVERGED_ROWS]; // points, then those of friction (friction.h); none between
} cnConvergedContact;

typedef struct cnConvergedBody {
    int index;             // solver index
    int parent;            // place in the tree, 0 for a root
    cnVec6 velocity;       // change since the start of the step
    cnVec6 velocityBefore; // that of the sub-step before
    cnVec6 warmVelocity;   // at the start of the sub-step, multipliers applied
    cnVec6 shift;          // way and turn beyond what the start velocity makes
    cnMat33 mass, inertia; // inverse of the inverse masses
    double block[36];      // of the Newton matrix; becomes L and 1/D
    cnVec6 toParent[6];    // of it, to the parent
    cnVec6 solved[6];      // block⁻¹ toParent
    cnVec6 right;          // then δv
} cnConvergedBody;

typedef struct cnConvergedIsland {
    cnSolve* solve;
    cnConvergedBody* bodies; // by place, the first bodyCount + 1
    int bodyCount;
    cnConvergedContact* contacts;
    int contactCount;
    int* tree; // places of the bodies, parents first
    // for making the tree: by place; of contacts
    int* roots;
    int *order, *edges;
    bool isHeavy;      // solver_choice.c
    bool failed;       // in some sub-step
    bool isSlow;       // in some sub-step the rounds ended before they had converged
    bool isFactorised; // the Newton matrix of the rows that say so
} cnConvergedIsland;

// Changes of a row up to here count as none: a part of what gravity does to a body in a sub-step, m/s.
static inline double cnConvergedIsland_GetTolerance(const cnConvergedIsland* island) {
    return 1e-6 * island->solve->substep * CN_STANDARD_GRAVITY;
}

// ---- converged_newton.c -----------------------------------------------------------------------------------

// Which contacts carry the tree, and its order. Of an island whose contacts are loaded.
void cnConvergedIsland_BuildTree(cnConvergedIsland* island);
// One Newton step on the tree's rows.
void cnConvergedIsland_StepNewton(cnConvergedIsland* island);

// ---- converged_rest.c -------------------------------------------------------------------------------------

// Of an island whose multipliers the first sweep of a sub-step has left as they were: whether nothing in it
// moves but by what they are off.
bool cnConvergedIsland_IsStill(const cnConvergedIsland* island);
// Its bodies stay where the step found them, without velocity.
void cnConvergedIsland_Stop(cnConvergedIsland* island);

// ---- rows -------------------------------------------------------------------------------------------------

// What presses a contact, N s, and what that makes about the friction centre, N m s.
typedef struct cnConvergedLoad {
    double load, moment;
} cnConvergedLoad;

static inline cnConvergedLoad cnConvergedContact_GetLoad(const cnConvergedContact* contact) {
    cnConvergedLoad sum = {0.0, 0.0};
    for (int i = 0; i < contact->points; ++i) {
        double pressed = contact->rows[i].impulse - contact->least;
        sum.load += pressed;
        sum.moment += pressed * contact->rows[i].radius;
    }
    return sum;
}

// Rows of friction follow those of the points.
static inline cnConvergedRow* cnConvergedContact_GetFriction(cnConvergedContact* contact) {
    return &contact->rows[contact->points];
}

// G v, of the changes since the start of the step.
static inline double cnConvergedRow_GetSpeed(const cnConvergedRow* row, const cnConvergedIsland* island,
                                             const cnConvergedContact* contact) {
    const cnConvergedBody* b1 = &island->bodies[contact->body1];
    const cnConvergedBody* b2 = &island->bodies[contact->body2];
    return cnVec6_DotTwo(&row->jacobian1, &b1->velocity, &row->jacobian2, &b2->velocity);
}

static inline double cnConvergedRow_GetResidual(const cnConvergedRow* row, const cnConvergedIsland* island,
                                                const cnConvergedContact* contact) {
    return row->start + cnConvergedRow_GetSpeed(row, island, contact) + row->bias + row->sigma * row->impulse;
}

static inline void cnConvergedRow_Push(const cnConvergedRow* row, const cnConvergedIsland* island,
                                       const cnConvergedContact* contact, double impulse) {
    CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
    if (contact->body1 != 0) {
        cnVec6_AddScaled(&island->bodies[contact->body1].velocity, impulse, &row->response1);
    }
    if (contact->body2 != 0) {
        cnVec6_AddScaled(&island->bodies[contact->body2].velocity, impulse, &row->response2);
    }
}
