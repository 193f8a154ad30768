#include "solve/impacts/impact_times.h"

#include "dynamics/motion.h"
#include "dynamics/rotation.h"

// Of a step's length, by which a time of flight may be too long by rounding.
#define CN_TIME_ROUNDING 1e-6

static cnVec3 MoveAt(const cnSolve* solve, int row, cnVec3 arm) {
    int index = row >= 0 ? solve->solver.indexOfRow[row] : 0;
    const cnImpactMove* move = &solve->solver.impactMove[index];
    return index != 0 ? cnAdd(move->shift, cnCross(move->turn, arm)) : cnVec3_zero;
}

double cnImpactTimes_GetDepth(const cnSolve* solve, const cnContactRows* rows, int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    const cnContactPoint* p = &rows->points[point];
    cnVec3 move1 = MoveAt(solve, rows->pair->body1, p->arm1);
    cnVec3 move2 = MoveAt(solve, rows->pair->body2, p->arm2);
    return p->depth - cnDot(rows->normal, cnSub(move1, move2));
}

// What rests on something is kept from following its weight.
static cnVec3 RateAt(const cnSolve* solve, const uint8_t* rests, int row, cnVec3 arm) {
    int index = row >= 0 ? solve->solver.indexOfRow[row] : 0;
    const cnForceResponse* response = &solve->solver.response[index];
    return (rests[index] & CN_IMPACT_HELD) == 0 ? cnAdd(response->linear, cnCross(response->angular, arm))
                                                : cnVec3_zero;
}

double cnImpactTimes_GetRate(const cnSolve* solve, const uint8_t* rests, const cnContactRows* rows,
                             int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    const cnContactPoint* p = &rows->points[point];
    cnVec3 rate1 = RateAt(solve, rests, rows->pair->body1, p->arm1);
    cnVec3 rate2 = RateAt(solve, rests, rows->pair->body2, p->arm2);
    return -cnDot(rows->normal, cnSub(rate1, rate2)) / solve->substep;
}

static bool HasFlown(const cnSolve* solve, int index) {
    return index == 0 || solve->bodies->lag[solve->solver.rows[index]] > 0.0;
}

bool cnImpactTimes_IsFlight(const cnSolve* solve, const cnSolverContact* contact) {
    const cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    return (pair->flags & cn_pairWasTouching) == 0 && HasFlown(solve, contact->body1) &&
           HasFlown(solve, contact->body2);
}

double cnImpactTimes_Find(const cnSolve* solve, double depth, double approach, double rate) {
    CN_ASSERT(depth >= 0.0);
    double square = approach * approach - 2.0 * rate * depth;
    if (!(approach > 0.0 && square >= 0.0)) {
        return -1.0;
    }
    double time = 2.0 * depth / (approach + sqrt(square));
    return time <= (1.0 + CN_TIME_ROUNDING) * solve->h ? time : -1.0;
}

void cnImpactTimes_Move(cnSolve* solve, int index, double time, cnVec3 linear, cnVec3 angular) {
    CN_ASSERT(index > 0 && index < solve->solver.count && time >= 0.0);
    cnImpactMove* move = &solve->solver.impactMove[index];
    move->shift = cnMulAdd(move->shift, time, linear);
    move->turn = cnMulAdd(move->turn, time, angular);
    solve->solver.anyImpactMove = true;
}

void cnImpactTimes_ChangeDepths(cnSolve* solve) {
    for (int c = 0; solve->solver.anyImpactMove && c < solve->contactCount; ++c) {
        cnContactRows* rows = &solve->contactRows[c];
        for (int i = 0; i < rows->pointCount; ++i) {
            rows->points[i].depth = cnImpactTimes_GetDepth(solve, rows, i);
        }
    }
}

void cnImpactTimes_MoveBodies(cnSolve* solve) {
    cnBodyTable* bodies = solve->bodies;
    for (int index = 1; solve->solver.anyImpactMove && index < solve->solver.count; ++index) {
        const cnImpactMove* move = &solve->solver.impactMove[index];
        int row = solve->solver.rows[index];
        if (cnLengthSquared(move->shift) + cnLengthSquared(move->turn) > 0.0) {
            cnQuat turn = cnQuatFromRotationVector(move->turn);
            bodies->centreOfMass[row] = cnAdd(bodies->centreOfMass[row], move->shift);
            bodies->rotation[row] = cnNormalizeQuat(cnMulQuat(turn, bodies->rotation[row]));
            cnBody_UpdatePosition(bodies, row);
            cnBody_UpdateAngularVelocity(bodies, row);
        }
    }
}
