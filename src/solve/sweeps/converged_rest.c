// Converged islands that rest: they stop.
//
// Multipliers that stand, since the first sweep of a sub-step changes no row by more than the tolerance, are
// off by up to that. What imbalance they leave is an acceleration, and what stands on itself is unstable: of
// a stack of twenty boxes the residual grows 3.2 times a step. So every second or third step found it above
// the tolerance, took a Newton step, which left a few tenths of it, and so on for ever, at any tolerance:
// what had rested for minutes moved by nanometres and cost as much as what moves.
//
// So where all of an island is slower than what gravity does in a millionth of a step (v < 1e-6 h g), and
// what holds it stands still, its bodies stop: velocities become 0, poses stay as the step found them. The
// next step then begins where this one began, and one sweep finds the residual a little smaller. No momentum
// is made up: what holds the island takes it; what nothing holds does not stop. Energy only falls. And a
// contact of which friction is at its bound does not hold: a box on ice that a ten millionth of its weight
// draws moves off. Nor does one that creeps by its surface viscosity.
//
// The first sweep's residual has to be less than the tolerance (4e-8 m/s at 60 Hz), or each step takes a
// Newton step before it stops, and f32 multipliers are not good enough for it: a load of 1 kN s has a
// rounding of 6e-5 N s, which moves a body of 100 kg by 6e-7 m/s. So pairs keep in a second f32 what the
// first one leaves. Whoever else writes multipliers knows nothing of it: a remainder counts where it is no
// more than the rounding of the value beside it.
#include "base/containers/disjoint_sets.h"
#include "solve/friction.h"
#include "solve/sweeps/converged_island.h"

// Of what gravity does in a step, that is as good as standing.
#define CN_STILL 1e-6
// m/s: 3 cm in a year.
#define CN_MOST_CREEP 1e-9

// Twice the energy of a kilogram, or more: as if the body turned about the axis of its largest inertia.
static double MotionOf(const cnBodyTable* bodies, int row, cnVec3 velocity, cnVec3 spin) {
    double largest = bodies->principalInertia[row].z;
    return cnLengthSquared(velocity) + largest / bodies->mass[row] * cnLengthSquared(spin);
}

// At the start of the step and now.
static bool IsBodyStill(const cnConvergedIsland* island, const cnConvergedBody* body, double most) {
    const cnBodyTable* bodies = island->solve->bodies;
    int row = island->solve->solver.rows[body->index];
    cnVec3 v = bodies->halfStepVelocity[row], w = bodies->halfStepAngularVelocity[row];
    cnVec3 now = cnAdd(v, cnVec6_GetLinear(&body->velocity));
    cnVec3 spin = cnAdd(w, cnVec6_GetAngular(&body->velocity));
    return MotionOf(bodies, row, v, w) <= most * most && MotionOf(bodies, row, now, spin) <= most * most;
}

// Whether a body that is not dynamic, if this one is none, stands still.
static bool IsGroundStill(const cnConvergedIsland* island, int place, int row) {
    const cnBodyTable* bodies = island->solve->bodies;
    return place != 0 || row < 0 ||
           (cnIsZeroVec(bodies->halfStepVelocity[row]) && cnIsZeroVec(bodies->halfStepAngularVelocity[row]));
}

// m/s, that friction lets the contact slide at below its bound.
static double CreepOf(const cnConvergedContact* contact, const cnConvergedRow* t, double substep) {
    const cnContactFriction* friction = &contact->source->friction;
    double creep = 0.0;
    for (int i = 0; i < 2; ++i) {
        double sigma = cnFriction_GetSigma(friction, i, contact->points, substep);
        creep = cnMax(creep, sigma * fabs(t[i].impulse));
    }
    return creep;
}

// It bears, friction is not at its bound and hardly creeps, and nothing conveys or carries.
static bool IsHolding(const cnConvergedIsland* island, cnConvergedContact* contact) {
    const cnContactRows* source = contact->source;
    double h = island->solve->substep;
    cnConvergedLoad pressed = cnConvergedContact_GetLoad(contact);
    const cnConvergedRow* t = cnConvergedContact_GetFriction(contact);
    cnFrictionBounds bounds = cnFriction_GetBounds(&source->friction, pressed.load, pressed.moment, h);
    return pressed.load > 0.0 && CreepOf(contact, t, h) <= CN_MOST_CREEP &&
           cnFriction_Holds(&source->friction, &bounds, t[0].impulse, t[1].impulse, CN_SLIDING_PART) &&
           cnIsZeroVec(source->surfaceVelocity) &&
           IsGroundStill(island, contact->body1, source->pair->body1) &&
           IsGroundStill(island, contact->body2, source->pair->body2);
}

// Whether contacts that hold join all bodies to place 0.
static bool IsHeld(const cnConvergedIsland* island) {
    int apart = island->bodyCount; // sets of bodies beside the one of place 0
    cnMakeSets(island->roots, island->bodyCount + 1);
    for (int c = 0; c < island->contactCount && apart > 0; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        bool isJoined =
            cnFindRoot(island->roots, contact->body1) == cnFindRoot(island->roots, contact->body2);
        if (!isJoined && IsHolding(island, contact)) {
            cnUniteSets(island->roots, contact->body1, contact->body2);
            apart -= 1;
        }
    }
    return apart == 0;
}

bool cnConvergedIsland_IsStill(const cnConvergedIsland* island) {
    double most = CN_STILL * island->solve->h * CN_STANDARD_GRAVITY;
    for (int place = 1; place <= island->bodyCount; ++place) {
        if (!IsBodyStill(island, &island->bodies[place], most)) {
            return false;
        }
    }
    return IsHeld(island);
}

void cnConvergedIsland_Stop(cnConvergedIsland* island) {
    const cnSolve* solve = island->solve;
    cnBodyTable* bodies = solve->bodies;
    for (int place = 1; place <= island->bodyCount; ++place) {
        cnConvergedBody* body = &island->bodies[place];
        int row = solve->solver.rows[body->index];
        bodies->halfStepVelocity[row] = cnVec3_zero;
        cnBody_StoreAngularVelocity(bodies, row, cnVec3_zero);
        body->velocity = body->shift = (cnVec6){0};
        solve->solver.moved[body->index] = 1;
    }
}
