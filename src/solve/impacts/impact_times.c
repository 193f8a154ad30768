#include "solve/impacts/impact_times.h"

#include "geometry/shape_forms.h"

#include <string.h>

// Steps: one, and up to one by which another impact has moved a body on.
#define CN_LONGEST_FLIGHT 2.0
// Steps of Newton's method, and the part of a distance that it ends with.
#define CN_TIME_ROUNDS 12
#define CN_DISTANCE_ROUNDING 1e-9

static cnVec3 MoveAt(const cnSolve* solve, int row, cnVec3 arm) {
    int index = row >= 0 ? solve->solver.indexOfRow[row] : 0;
    if (index == 0 || !solve->solver.anyImpactMove) {
        return cnVec3_zero;
    }
    const cnImpactMove* move = &solve->solver.impactMove[index];
    return cnAdd(move->shift, cnCross(move->turn, arm));
}

double cnImpactTimes_GetDepth(const cnSolve* solve, const cnContactRows* rows, int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    cnVec3 move1 = MoveAt(solve, rows->pair->body1, cnContactRows_GetArm1(rows, point));
    cnVec3 move2 = MoveAt(solve, rows->pair->body2, cnContactRows_GetArm2(rows, point));
    return rows->points[point].depth - cnDot(rows->normal, cnSub(move1, move2));
}

// What rests on something is kept from following its weight.
static cnVec3 RateAt(const cnSolve* solve, const bool* rests, int row, cnVec3 arm) {
    int index = row >= 0 ? solve->solver.indexOfRow[row] : 0;
    const cnForceResponse* response = &solve->solver.response[index];
    return !rests[index] ? cnAdd(response->linear, cnCross(response->angular, arm)) : cnVec3_zero;
}

double cnImpactTimes_GetRate(const cnSolve* solve, const bool* rests, const cnContactRows* rows, int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    cnVec3 rate1 = RateAt(solve, rests, rows->pair->body1, cnContactRows_GetArm1(rows, point));
    cnVec3 rate2 = RateAt(solve, rests, rows->pair->body2, cnContactRows_GetArm2(rows, point));
    return -cnDot(rows->normal, cnSub(rate1, rate2)) / solve->substep;
}

static bool HasFlown(const cnSolve* solve, int index) {
    return index == 0 || solve->bodies->lag[solve->solver.rows[index]] > 0.0;
}

bool cnImpactTimes_IsFlight(const cnSolve* solve, const cnSolverContact* contact) {
    const cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
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

// What two balls have between them at a time: their centres, how far apart they are.
typedef struct BallPair {
    cnVec3 offset1, offset2; // from the bodies' centres of mass
    cnVec3 away;             // from ball 2's centre to ball 1's
    double reach;            // both radii
} BallPair;

static BallPair FindBallPair(const cnSolve* solve, const cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    CN_ASSERT(pair->ballCount == 2 && rows->pointCount == 1);
    cnVec3 centre1 = solve->proxies->position[pair->proxy1];
    cnVec3 centre2 = solve->proxies->position[pair->proxy2];
    BallPair balls = {
        .offset1 = OffsetOf(solve, pair->body1, pair->proxy1),
        .offset2 = OffsetOf(solve, pair->body2, pair->proxy2),
        .reach = cnLength(cnSub(centre1, centre2)) + pair->manifold.depths[0],
    };
    balls.away = cnSub(cnAdd(centre1, MoveAt(solve, pair->body1, balls.offset1)),
                       cnAdd(centre2, MoveAt(solve, pair->body2, balls.offset2)));
    return balls;
}

// With a line of centres.
static void SetNormal(const cnContactRows* rows, const BallPair* balls, cnVec3 normal,
                      cnBallsImpact* impact) {
    double half = 0.5 * rows->pair->manifold.depths[0];
    double radius1 =
        rows->pair->body1 >= 0
            ? cnLength(cnSub(cnContactRows_GetArm1(rows, 0), balls->offset1)) + half
            : balls->reach - cnLength(cnSub(cnContactRows_GetArm2(rows, 0), balls->offset2)) - half;
    impact->normal = normal;
    impact->depth = balls->reach - cnDot(normal, balls->away);
    impact->arm1 = cnMulAdd(balls->offset1, -radius1, normal);
    impact->arm2 = cnMulAdd(balls->offset2, balls->reach - radius1, normal);
}

bool cnImpactTimes_GetBalls(const cnSolve* solve, const cnContactRows* rows, cnBallsImpact* impact) {
    BallPair balls = FindBallPair(solve, rows);
    double distance = cnLength(balls.away);
    if (!(distance > 0.0)) {
        return false;
    }
    impact->time = impact->rate = 0.0;
    SetNormal(rows, &balls, cnScale(1.0 / distance, balls.away), impact);
    return true;
}

bool cnImpactTimes_FindBalls(const cnSolve* solve, const bool* rests, const cnContactRows* rows,
                             const cnPoseMotion* motion1, const cnPoseMotion* motion2,
                             cnBallsImpact* impact) {
    const cnPair* pair = rows->pair;
    BallPair balls = FindBallPair(solve, rows);
    cnVec3 velocity = cnSub(cnAdd(motion1->velocity, cnCross(motion1->spin, balls.offset1)),
                            cnAdd(motion2->velocity, cnCross(motion2->spin, balls.offset2)));
    cnVec3 rate = cnScale(1.0 / solve->substep, cnSub(RateAt(solve, rests, pair->body1, cnVec3_zero),
                                                      RateAt(solve, rests, pair->body2, cnVec3_zero)));

    // back to where the distance is both radii, by Newton's method
    double time = 0.0, distance = 0.0;
    cnVec3 then = balls.away;
    for (int i = 0; i < CN_TIME_ROUNDS; ++i) {
        then = cnMulAdd(cnMulAdd(balls.away, -time, velocity), 0.5 * time * time, rate);
        distance = cnLength(then);
        double opening = -cnDot(then, cnMulAdd(velocity, -time, rate)) / distance;
        if (!(distance > 0.0 && opening > 0.0)) {
            return false;
        }
        time += (balls.reach - distance) / opening;
    }
    bool isFound = fabs(balls.reach - distance) <= CN_DISTANCE_ROUNDING * balls.reach && time >= 0.0 &&
                   time <= CN_LONGEST_FLIGHT * solve->h;
    if (!isFound) {
        return false;
    }
    impact->time = time;
    SetNormal(rows, &balls, cnScale(1.0 / distance, then), impact);
    impact->rate = -cnDot(impact->normal, rate);
    return true;
}

// The point of a body's surface that is deepest in the other: where it was so long before the pose, from the
// centre of mass then. Of what is round the nearest point of its axis, or its centre, turns with the body,
// and the surface lies below; of all else a corner or an edge turns as a whole.
typedef struct MetPoint {
    cnVec3 arm; // m
    bool isRound;
} MetPoint;

static MetPoint FindMetPoint(const cnSolve* solve, int proxy, cnVec3 surface, cnVec3 inwards, double time,
                             cnVec3 spin) {
    const cnShape* shape = solve->shapes[solve->proxies->shape[proxy]];
    bool isRound = cnShape_Is(shape, cn_formRound);
    cnVec3 lever = isRound ? cnMulAdd(surface, shape->radius, inwards) : surface;
    return (MetPoint){cnMulAdd(surface, -time, cnCross(spin, lever)), isRound};
}

// Both arms have to lead to one place, else an impulse would change the angular momentum. Where they do not,
// by the way that the bodies slid along one another since, it is what is round that is right; else what
// moves, for what stays is large and flat as a rule; else it is half way between.
void cnImpactTimes_GetArms(const cnSolve* solve, const cnContactRows* rows, int point, double time,
                           const cnPoseMotion motions[2], const bool moves[2], cnVec3 arms[2]) {
    const cnPair* pair = rows->pair;
    cnVec3 arm1 = cnContactRows_GetArm1(rows, point), arm2 = cnContactRows_GetArm2(rows, point);
    cnVec3 in = cnScale(0.5 * rows->points[point].depth, rows->normal);
    MetPoint met1 = FindMetPoint(solve, pair->proxy1, cnSub(arm1, in), rows->normal, time, motions[0].spin);
    MetPoint met2 =
        FindMetPoint(solve, pair->proxy2, cnAdd(arm2, in), cnNeg(rows->normal), time, motions[1].spin);

    // from the second body's centre of mass to the first one's, when they met; what is static begins at the
    // point
    const cnVec3* centres = solve->bodies->centreOfMass;
    bool areBodies = pair->body1 >= 0 && pair->body2 >= 0;
    cnVec3 between = areBodies ? cnSub(centres[pair->body1], centres[pair->body2]) : cnSub(arm2, arm1);
    between = cnAdd(between, cnSub(MoveAt(solve, pair->body1, arm1), MoveAt(solve, pair->body2, arm2)));
    between = cnMulAdd(between, -time, cnSub(motions[0].velocity, motions[1].velocity));
    cnVec3 gap = cnAdd(between, cnSub(met1.arm, met2.arm));
    double share = met1.isRound == met2.isRound ? 0.5 + 0.5 * (moves[0] - moves[1]) : met1.isRound;
    arms[0] = cnMulAdd(met1.arm, share - 1.0, gap);
    arms[1] = cnMulAdd(met2.arm, share, gap);
}

void cnImpactTimes_Begin(cnSolve* solve) {
    CN_ASSERT(!solve->solver.anyImpactMove);
    memset(solve->solver.impactMove, 0, (size_t)solve->solver.count * sizeof(cnImpactMove));
}

void cnImpactTimes_Move(const cnSolve* solve, int index, double time, cnVec3 linear, cnVec3 angular) {
    CN_ASSERT(index > 0 && index < solve->solver.count && time >= 0.0);
    cnImpactMove* move = &solve->solver.impactMove[index];
    move->shift = cnMulAdd(move->shift, time, linear);
    move->turn = cnMulAdd(move->turn, time, angular);
}

void cnImpactTimes_ChangeDepths(cnSolve* solve) {
    // contacts without rows are of islands in which nothing was struck
    for (int row = 0; solve->solver.anyImpactMove && row < solve->rowCount; ++row) {
        cnContactRows* rows = &solve->contactRows[row];
        for (int i = 0; i < rows->pointCount; ++i) {
            double depth = cnImpactTimes_GetDepth(solve, rows, i);
            // what an impact has moved into something else will bounce in the next step
            bool isMovedIn = rows->points[i].depth < 0.0 && depth > 0.0 && rows->restitution > 0.0;
            rows->points[i].depth = isMovedIn ? -CN_OUT_OF_REACH : depth;
        }
    }
}
