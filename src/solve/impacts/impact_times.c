#include "solve/impacts/impact_times.h"

#include "dynamics/motion.h"
#include "dynamics/rotation.h"

// Steps: one, and up to one by which another impact has moved a body on.
#define CN_LONGEST_FLIGHT 2.0
// Steps of Newton's method, and the part of a distance that it ends with.
#define CN_TIME_ROUNDS 12
#define CN_DISTANCE_ROUNDING 1e-9

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
static cnVec3 RateAt(const cnSolve* solve, const bool* rests, int row, cnVec3 arm) {
    int index = row >= 0 ? solve->solver.indexOfRow[row] : 0;
    const cnForceResponse* response = &solve->solver.response[index];
    return !rests[index] ? cnAdd(response->linear, cnCross(response->angular, arm)) : cnVec3_zero;
}

double cnImpactTimes_GetRate(const cnSolve* solve, const bool* rests, const cnContactRows* rows, int point) {
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
    return time <= CN_LONGEST_FLIGHT * solve->h ? time : -1.0;
}

// From a body's centre of mass to the centre of its ball; of static geometry the place itself.
static cnVec3 OffsetOf(const cnSolve* solve, int row, int proxy) {
    cnVec3 centre = solve->proxies->position[proxy];
    return row < 0 ? centre : cnSub(centre, solve->bodies->centreOfMass[row]);
}

bool cnImpactTimes_FindBalls(const cnSolve* solve, const bool* rests, const cnContactRows* rows,
                             const cnBallMotion* motion1, const cnBallMotion* motion2,
                             cnBallsImpact* impact) {
    const cnPair* pair = rows->pair;
    CN_ASSERT(pair->ballCount == 2 && rows->pointCount == 1);
    cnVec3 centre1 = solve->proxies->position[pair->proxy1];
    cnVec3 centre2 = solve->proxies->position[pair->proxy2];
    cnVec3 offset1 = OffsetOf(solve, pair->body1, pair->proxy1);
    cnVec3 offset2 = OffsetOf(solve, pair->body2, pair->proxy2);
    double reach = cnLength(cnSub(centre1, centre2)) + rows->points[0].depth; // both radii
    cnVec3 away = cnSub(cnAdd(centre1, MoveAt(solve, pair->body1, offset1)),
                        cnAdd(centre2, MoveAt(solve, pair->body2, offset2)));
    cnVec3 velocity = cnSub(cnAdd(motion1->velocity, cnCross(motion1->spin, offset1)),
                            cnAdd(motion2->velocity, cnCross(motion2->spin, offset2)));
    cnVec3 rate = cnScale(1.0 / solve->substep, cnSub(RateAt(solve, rests, pair->body1, cnVec3_zero),
                                                      RateAt(solve, rests, pair->body2, cnVec3_zero)));

    // back to where the distance is both radii, by Newton's method
    double time = 0.0, distance = 0.0;
    cnVec3 then = away;
    for (int i = 0; i < CN_TIME_ROUNDS; ++i) {
        then = cnMulAdd(cnMulAdd(away, -time, velocity), 0.5 * time * time, rate);
        distance = cnLength(then);
        double opening = -cnDot(then, cnMulAdd(velocity, -time, rate)) / distance;
        if (!(distance > 0.0 && opening > 0.0)) {
            return false;
        }
        time += (reach - distance) / opening;
    }
    bool isFound = fabs(reach - distance) <= CN_DISTANCE_ROUNDING * reach && time >= 0.0 &&
                   time <= CN_LONGEST_FLIGHT * solve->h;
    if (!isFound) {
        return false;
    }
    impact->time = time;
    impact->normal = cnScale(1.0 / distance, then);
    impact->rate = -cnDot(impact->normal, rate);
    impact->depth = reach - cnDot(impact->normal, away);
    const cnContactPoint* point = &rows->points[0];
    double radius1 = pair->body1 >= 0 ? cnLength(cnSub(point->arm1, offset1)) + 0.5 * point->depth
                                      : reach - cnLength(cnSub(point->arm2, offset2)) - 0.5 * point->depth;
    impact->arm1 = cnMulAdd(offset1, -radius1, impact->normal);
    impact->arm2 = cnMulAdd(offset2, reach - radius1, impact->normal);
    return true;
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
            double depth = cnImpactTimes_GetDepth(solve, rows, i);
            // what an impact has moved into something else will bounce in the next step
            bool isMovedIn = rows->points[i].depth < 0.0 && depth > 0.0 && rows->restitution > 0.0;
            rows->points[i].depth = isMovedIn ? -CN_OUT_OF_REACH : depth;
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
