// A converged island while it is solved: its bodies, its contacts and their rows, in f64.
//
// Bodies are numbered by their place in the island, from 1; place 0 stands for all that is not dynamic. An
// island is loaded into a room that the next one uses again, so that its numbers stay in the caches.
#pragma once

#include "base/report/assert.h"
#include "solve/contact_rows.h"

#define CN_CONVERGED_ROWS (CN_MANIFOLD_POINTS + cn_frictionMostRows)

// Changes of a body's velocities by an impulse of 1 in a row.
typedef struct cnRowResponse {
    cnVec3 linear, angular;
} cnRowResponse;

typedef struct cnConvergedRow {
    cnVec3 linear; // direction; zero for torsional friction and rolling
    cnVec3 moment1, moment2;
    cnRowResponse response1, response2; // of the bodies; the second's to the opposite impulse
    double inverseMass;                 // D, the inverse effective mass
    double sigma;
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
    int index;                // solver index
    int parent;               // place in the tree, 0 for a root
    cnVec3 velocity, angular; // changes since the start of the step
    cnVec3 velocityBefore, angularBefore;
    cnVec3 warmVelocity, warmAngular; // at the start of the sub-step, multipliers applied
    cnVec3 shift, turn;               // beyond what the start velocity makes
    cnMat33 mass, inertia;            // inverse of the inverse masses
    double block[36], toParent[36];   // of the Newton matrix; the block becomes L and 1/D
    double solved[36];                // block⁻¹ toParent
    double right[6];                  // then δv
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

// ---- rows -------------------------------------------------------------------------------------------------

// Rows of friction follow those of the points.
static inline cnConvergedRow* cnConvergedContact_GetFriction(cnConvergedContact* contact) {
    return &contact->rows[contact->points];
}

// G v, of the changes since the start of the step.
static inline double cnConvergedRow_GetSpeed(const cnConvergedRow* row, const cnConvergedIsland* island,
                                             const cnConvergedContact* contact) {
    const cnConvergedBody* b1 = &island->bodies[contact->body1];
    const cnConvergedBody* b2 = &island->bodies[contact->body2];
    return cnDot(row->linear, cnSub(b1->velocity, b2->velocity)) + cnDot(row->moment1, b1->angular) -
           cnDot(row->moment2, b2->angular);
}

static inline double cnConvergedRow_GetResidual(const cnConvergedRow* row, const cnConvergedIsland* island,
                                                const cnConvergedContact* contact) {
    return row->start + cnConvergedRow_GetSpeed(row, island, contact) + row->bias + row->sigma * row->impulse;
}

static inline void cnConvergedBody_Push(cnConvergedBody* body, const cnRowResponse* response,
                                        double impulse) {
    body->velocity = cnMulAdd(body->velocity, impulse, response->linear);
    body->angular = cnMulAdd(body->angular, impulse, response->angular);
}

static inline void cnConvergedRow_Push(const cnConvergedRow* row, const cnConvergedIsland* island,
                                       const cnConvergedContact* contact, double impulse) {
    CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
    if (contact->body1 != 0) {
        cnConvergedBody_Push(&island->bodies[contact->body1], &row->response1, impulse);
    }
    if (contact->body2 != 0) {
        cnConvergedBody_Push(&island->bodies[contact->body2], &row->response2, impulse);
    }
}
