// Loads from outside on their way down through merged parts.
//
// A part passes what comes to it, a force F and a moment T about its centre of mass, on to its supports as a
// rigid plate does to the bolts that hold it: moved by u and rotated by b, it presses support i, of stiffness
// w_i (the share of its load that this one bears), at d_i from their weighted centre, by w_i (u + b × d_i)
// and turns it by w_i r_i² b, with r_i² the spread of the points by which it stands there. Equilibrium makes
// u = F and J b = T, T about that centre, with J = Σ w_i (|d_i|² − d_i d_iᵀ + r_i²).
//
// So a push at the top of a tower reaches its foot with all of its moment, for a box turns the box under it
// by its face; and a rock in a heap turns nothing, since it stands on some points of some others, and lifts
// one while it presses another. What no support holds, a moment about a single point, is lost here: the
// part's own foot says whether it bears that (merge_watching.c).
#include "world/merge_supports.h"

#include "world/world.h"

// m², added to J: what would have to turn about less than that holds no moment.
#define CN_LEAST_SPREAD 1e-10

cnSupport* cnSupports_Get(cnSupports* supports, int row, double lift) {
    cnSupport* least = &supports->of[0];
    for (int i = 0; i < supports->count; ++i) {
        cnSupport* support = &supports->of[i];
        if (support->row == row) {
            support->lift += lift;
            return support;
        }
        least = support->lift < least->lift ? support : least;
    }
    if (supports->count < CN_PART_SUPPORTS) {
        least = &supports->of[supports->count++];
    } else if (lift <= least->lift) {
        return NULL;
    }
    *least = (cnSupport){.row = row, .lift = lift, .first = cnVec3_zero};
    return least;
}

void cnSupport_Add(cnSupport* support, cnVec3 x, double w) {
    if (support != NULL) {
        support->weight += w;
        support->first = cnMulAdd(support->first, w, x);
        support->second += w * cnDot(x, x);
    }
}

void cnSupports_Store(const cnSupports* supports, cnBodyTable* bodies, int part) {
    cnPartHold* hold = &bodies->hold[part];
    cnQuat axes = bodies->rotation[part];
    double lift = 0.0;
    for (int i = 0; i < supports->count; ++i) {
        lift += supports->of[i].lift;
    }
    for (int i = 0; i < supports->count && lift > 0.0; ++i) {
        const cnSupport* support = &supports->of[i];
        double per = support->weight > 0.0 ? 1.0 / support->weight : 0.0;
        cnVec3 point = cnScale(per, support->first);
        bodies->supports[part].rows[i] = support->row;
        hold->shares[i] = (float)(support->lift / lift);
        hold->spreads[i] = (float)cnMax(0.0, 0.5 * (per * support->second - cnDot(point, point)));
        cnToFloats(cnInvRotate(axes, point), hold->points[i]);
    }
}

void cnPassLoad(const cnBodyTable* bodies, cnOutsideLoad* loads, int part) {
    const cnPartHold* hold = &bodies->hold[part];
    const int32_t* rows = bodies->supports[part].rows;
    cnQuat axes = bodies->rotation[part];
    cnVec3 force = loads[part].force, points[CN_PART_SUPPORTS], centre = cnVec3_zero;
    for (int i = 0; i < CN_PART_SUPPORTS; ++i) {
        points[i] = cnRotate(axes, cnFromFloats(hold->points[i]));
        centre = cnMulAdd(centre, hold->shares[i], points[i]);
    }
    cnMat33 stiffness = cnDiagonal(cnVec(CN_LEAST_SPREAD, CN_LEAST_SPREAD, CN_LEAST_SPREAD));
    for (int i = 0; i < CN_PART_SUPPORTS; ++i) {
        double ofFace = hold->shares[i] * hold->spreads[i];
        stiffness = cnAddMat(stiffness, cnSteiner(hold->shares[i], cnSub(points[i], centre)));
        stiffness = cnAddMat(stiffness, cnDiagonal(cnVec(ofFace, ofFace, ofFace)));
    }
    cnVec3 moment = cnSub(loads[part].torque, cnCross(centre, force));
    cnVec3 turn = cnMulMat(cnInverse(stiffness), moment);
    for (int i = 0; i < CN_PART_SUPPORTS; ++i) {
        int lower = rows[i];
        bool isThere = hold->shares[i] > 0.0f && lower >= 0 && lower < bodies->ids.rowCount &&
                       lower != part && bodies->mergedBody[lower] == bodies->mergedBody[part];
        if (isThere) { // and has not left since
            cnVec3 push = cnScale(hold->shares[i], cnAdd(force, cnCross(turn, cnSub(points[i], centre))));
            cnVec3 torque = cnScale(hold->shares[i] * hold->spreads[i], turn);
            cnVec3 arm = cnAdd(cnSub(bodies->centreOfMass[part], bodies->centreOfMass[lower]), points[i]);
            loads[lower].force = cnAdd(loads[lower].force, push);
            loads[lower].torque = cnAdd(loads[lower].torque, cnAdd(torque, cnCross(arm, push)));
            loads[lower].isMeant |= loads[part].isMeant;
        }
    }
}
