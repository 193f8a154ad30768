// Overlap that no force explains.
//
// A body that falls on another is found when it has already sunk in, by up to the way of a step. Nothing has
// pressed it in, so nothing is stored in that overlap, but a row that treats it as the strain of the material
// (1 mm at 4e8 Pa: 4e5 N) loads itself until it is. Mostly that does no harm, since the body leaves before.
// In a wedge that locks by friction, a ring on a steep cone, it cannot leave; the load stays, and whatever
// loosens the ring later throws it off.
//
// So, while a pair's position correction is limited (from its first touch until it rests), its rows see only
// as much overlap as their multipliers explain (cnContactRows_GetPush; in piles not all rows do,
// cnPair_AreRowsLoaded), and the rest is taken out here: after the solve the bodies are moved, not sped
// up, along the normals, by
//   Δx = W Gᵀ δ/(G W Gᵀ),   δ = min(4 n γ, 1) (depth − explained),
// δ at most the position correction speed times h, by Gauss–Seidel sweeps over the points of such pairs: here
// those of converged islands, in position_sweeps.c those of others. Friction takes no part, no velocity
// remains, and all the energy that goes in is the weight lifted by what the body had sunk too far. (Pushes of
// positions alone are those of "non-linear projected Gauss–Seidel" and of "split impulses", E. Catto and E.
// Coumans in the talks of the Game Developers Conference 2006 to 2014.)
//
// A push has no momentum, so W need not be M⁻¹. A body of m that is pressed flat between two of M is moved to
// and fro by sweeps, while these go a part of m/M of their way in each, and gravity takes as much back: a box
// of 15 kg between two of 6 t stayed 0.24 m deep. So W is M⁻¹ as if each body weighed what it bears, which is
// half of what all its points give it, where that is more than its own weight. What is pressed is then as
// heavy as what presses it, a stack is heavier from its top down, and what hits a heavy body hard, but does
// not bear it, still moves alone.
#include "base/report/assert.h"
#include "solve/contact_rows.h"

#include <string.h>

#define CN_PUSH_SWEEPS 16

static cnVec3 LinearOf(const cnMotion6* motion) {
    return cnVec(motion->linear[0], motion->linear[1], motion->linear[2]);
}

static cnVec3 AngularOf(const cnMotion6* motion) {
    return cnVec(motion->angular[0], motion->angular[1], motion->angular[2]);
}

// A point of a pair whose position correction is limited.
typedef struct PushRow {
    const cnSolverContact* contact;
    cnVec3 normal, moment1, moment2;
    double share1, share2; // of the bodies' mobilities
    double mobility;       // G W Gᵀ
    double target;         // m, way to go along the normal
    double impulse;        // of the way, kg m
} PushRow;

// G m of a row for motions of both bodies.
static double AlongRow(const cnMotion6* m1, const cnMotion6* m2, const PushRow* row) {
    return cnDot(row->normal, cnSub(LinearOf(m1), LinearOf(m2))) + cnDot(row->moment1, AngularOf(m1)) -
           cnDot(row->moment2, AngularOf(m2));
}

static void PushBody(cnMotion6* displacement, const cnInverseMass* mass, double push, cnVec3 normal,
                     cnVec3 moment) {
    cnVec3 linear = cnMulAdd(LinearOf(displacement), push, cnMulMat(mass->linear, normal));
    cnVec3 angular = cnMulAdd(AngularOf(displacement), push, cnMulMat(mass->angular, moment));
    *displacement = (cnMotion6){{(float)linear.x, (float)linear.y, (float)linear.z, 0.0f},
                                {(float)angular.x, (float)angular.y, (float)angular.z, 0.0f}};
}

static void PushBodies(const cnSolve* solve, const PushRow* row, double impulse, cnMotion6* pushes) {
    int body1 = row->contact->body1, body2 = row->contact->body2;
    const cnInverseMass* inverse = solve->solver.inverse;
    PushBody(&pushes[body1], &inverse[body1], row->share1 * impulse, row->normal, row->moment1);
    PushBody(&pushes[body2], &inverse[body2], -row->share2 * impulse, row->normal, row->moment2);
}

// The part of one body in the inverse effective mass.
static double GetMobility(const cnInverseMass* mass, cnVec3 normal, cnVec3 moment) {
    return cnQuadraticForm(&mass->linear, normal) + cnQuadraticForm(&mass->angular, moment);
}

// What a contact gives to its bodies, N s a sub-step.
static void AddLoad(const cnSolve* solve, int index, double* loads) {
    const cnSolverContact* contact = &solve->contacts[index];
    const cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
    double load = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        load += fabs((double)pair->impulse[i]);
    }
    loads[contact->body1] += load;
    loads[contact->body2] += load;
}

// The rows of a pair. It counts as resting where it is slow and what is left of the overlap is as good as
// nothing. Answers how many.
static int LoadPushRows(cnSolve* solve, const double* loads, int index, PushRow* rows) {
    const cnSolverContact* contact = &solve->contacts[index];
    cnContactRows* source = cnSolve_GetRows(solve, index);
    cnSolverBodies* solver = &solve->solver;
    cnPair* pair = source->pair;
    CN_ASSERT((pair->flags & cn_pairLimitedCorrection) != 0);
    const cnMotion6* v1 = &solver->velocity[contact->body1];
    const cnMotion6* v2 = &solver->velocity[contact->body2];
    double share = cnMin(4.0 * solve->substeps * cnSpookGamma(source->damping, solve->substep), 1.0);
    bool isWarm = (pair->flags & cn_pairWasCorrected) != 0 && !solve->settings.disableWarmStart;
    bool isSlow = true, isOut = true;
    for (int i = 0; i < source->pointCount; ++i) {
        PushRow* row = &rows[i];
        *row = (PushRow){
            .contact = contact,
            .normal = source->normal,
            .moment1 = cnCross(cnContactRows_GetArm1(source, i), source->normal),
            .moment2 = cnCross(cnContactRows_GetArm2(source, i), source->normal),
        };
        const cnInverseMass* inverse = solver->inverse;
        const cnInverseMass *inverse1 = &inverse[contact->body1], *inverse2 = &inverse[contact->body2];
        double mobility1 = GetMobility(inverse1, row->normal, row->moment1);
        double mobility2 = GetMobility(inverse2, row->normal, row->moment2);
        row->share1 = cnInverseMass_GetPushShare(inverse1, loads[contact->body1], solve->substep);
        row->share2 = cnInverseMass_GetPushShare(inverse2, loads[contact->body2], solve->substep);
        row->mobility = row->share1 * mobility1 + row->share2 * mobility2;
        double start = cnPair_GetNormalSpeed(source->pair, solve->bodies, i);
        double depth =
            source->points[i].depth - solve->h * (start - pair->curvature * solve->substep) -
            AlongRow(&solver->displacement[contact->body1], &solver->displacement[contact->body2], row);
        double stored = cnContactRows_GetStoredOverlap(source, pair->impulse[i], 0.0, 0.0, solve->substep);
        double excess = depth - stored;
        double release = cnContactRows_GetOverlapOfSpeed(source, mobility1 + mobility2, CN_OUT_SPEED);
        isOut = isOut && excess < CN_OUT_SHARE * stored + release;
        isSlow = isSlow && fabs(start + AlongRow(v1, v2, row)) < CN_REST_SPEED;
        row->target = cnMin(share * excess, pair->correctionLimit * solve->h);
        row->impulse = isWarm ? (1.0 - share) * pair->correction[i] : 0.0;
    }
    if (isSlow && isOut) {
        pair->flags &= ~(uint32_t)(cn_pairLimitedCorrection | cn_pairDeep);
    }
    return source->pointCount;
}

// Pushes by the impulses that rows begin with (position_sweeps.c).
static void WarmStartPushRows(const cnSolve* solve, const PushRow* rows, int count, cnMotion6* pushes) {
    for (int i = 0; i < count; ++i) {
        PushBodies(solve, &rows[i], rows[i].impulse, pushes);
    }
}

// Impulses for the next step; answers how many rows the pair has.
static int StorePushRows(const cnSolve* solve, int index, const PushRow* rows) {
    cnPair* pair = cnPairTable_Get(solve->pairs, solve->contacts[index].pair);
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        pair->correction[i] = (float)rows[i].impulse;
        pair->flags |= pair->correction[i] > 0.0f ? (uint32_t)cn_pairCorrected : 0u;
    }
    return pair->manifold.pointCount;
}

static void SweepPushRows(const cnSolve* solve, PushRow* rows, int count, cnMotion6* pushes) {
    CN_ASSERT(count >= 0);
    for (int i = 0; i < count; ++i) {
        PushRow* row = &rows[i];
        int body1 = row->contact->body1, body2 = row->contact->body2;
        double missing = row->target - AlongRow(&pushes[body1], &pushes[body2], row);
        double updated = cnMax(0.0, row->impulse + missing / row->mobility);
        double step = updated - row->impulse;
        row->impulse = updated;
        PushBodies(solve, row, step, pushes);
    }
}

// Moves a body by its push, once.
static void MoveBody(const cnSolve* solve, int index, cnMotion6* pushes) {
    cnMotion6* displacement = &solve->solver.displacement[index];
    for (int i = 0; i < 3 && index != 0; ++i) {
        displacement->linear[i] += pushes[index].linear[i];
        displacement->angular[i] += pushes[index].angular[i];
    }
    pushes[index] = (cnMotion6){0};
}

// Not in islands whose rows push out by themselves, at a limited speed: those that are solved directly, which
// have moved by now.
static bool IsPushedOut(const cnSolve* solve, const cnSolverContact* contact) {
    uint32_t both = cn_pairLimitedCorrection | cn_pairTouching;
    return solve->islands[contact->island].solver == cn_islandConverged &&
           (cnPairTable_Get(solve->pairs, contact->pair)->flags & both) == both;
}

bool cnSolve_CorrectPositions(cnSolve* solve) {
    if (solve->statistics.convergedIslands == 0) {
        return true;
    }
    int* pushed = CN_PUSH(solve->stack, int, solve->contactCount + 1, "contacts of push-out");
    if (pushed == NULL) {
        return false;
    }
    int pushedCount = 0, max = 0;
    for (int c = 0; c < solve->contactCount; ++c) {
        if (IsPushedOut(solve, &solve->contacts[c])) {
            pushed[pushedCount++] = c;
            max += cnPairTable_Get(solve->pairs, solve->contacts[c].pair)->manifold.pointCount;
        }
    }
    if (max == 0) {
        return true;
    }
    PushRow* rows = CN_PUSH(solve->stack, PushRow, max, "rows of push-out");
    cnMotion6* pushes = CN_PUSH(solve->stack, cnMotion6, solve->solver.count, "push-out");
    double* loads = CN_PUSH(solve->stack, double, solve->solver.count, "loads of push-out");
    if (rows == NULL || pushes == NULL || loads == NULL) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < pushedCount; ++i) {
        const cnSolverContact* contact = &solve->contacts[pushed[i]];
        pushes[contact->body1] = pushes[contact->body2] = (cnMotion6){0};
        loads[contact->body1] = loads[contact->body2] = 0.0;
    }
    for (int i = 0; i < pushedCount; ++i) {
        AddLoad(solve, pushed[i], loads);
    }
    for (int i = 0; i < pushedCount; ++i) {
        count += LoadPushRows(solve, loads, pushed[i], &rows[count]);
    }
    CN_ASSERT(count <= max);
    WarmStartPushRows(solve, rows, count, pushes);
    for (int sweep = 0; sweep < CN_PUSH_SWEEPS; ++sweep) {
        SweepPushRows(solve, rows, count, pushes);
    }
    for (int i = 0, first = 0; i < pushedCount; ++i) {
        first += StorePushRows(solve, pushed[i], &rows[first]);
    }
    for (int i = 0; i < pushedCount; ++i) {
        MoveBody(solve, solve->contacts[pushed[i]].body1, pushes);
        MoveBody(solve, solve->contacts[pushed[i]].body2, pushes);
    }
    return true;
}
