#include "world/merge_links.h"

#include "dynamics/joint.h"

#include <math.h>

bool cnIsGround(const cnWorld* world, int body) {
    const cnBodyTable* bodies = &world->bodies;
    if (body < 0) {
        return true;
    }
    uint32_t flags = bodies->flags[body];
    bool isKinematic = (flags & cn_bodyKinematic) != 0;
    bool moves = (flags & (cn_bodyDynamic | cn_bodyMoving)) != 0 ||
                 (isKinematic && !(cnIsZeroVec(bodies->halfStepVelocity[body]) &&
                                   cnIsZeroVec(bodies->halfStepAngularVelocity[body])));
    return !moves && (flags & cn_bodyCarrier) == 0 && (!isKinematic || bodies->carrier[body] < 0);
}

static bool IsConveyor(const cnWorld* world, int geometry) {
    return !cnIsZeroVec(world->geometries.surfaceVelocity[geometry]);
}

bool cnMayPairHold(const cnWorld* world, const cnPair* pair) {
    return (cnGeometryFlagsOf(world, pair) & cn_geometryUnmergeable) == 0 && pair->manifold.pointCount > 0 &&
           !cnPair_IsUnsolved(pair) && (pair->flags & cn_pairCustom) == 0 &&
           !IsConveyor(world, pair->geometry1) && !IsConveyor(world, pair->geometry2);
}

bool cnMayConstraintHold(const cnWorld* world, int constraintRow) {
    const cnConstraintTable* table = &world->constraints;
    const cnConstraint* joint = &table->constraints[constraintRow];
    uint32_t live = cn_constraintLive | cn_constraintEnabled;
    uint32_t gone = cn_constraintBreakable | cn_constraintDisturbed | cn_constraintUnmergeable;
    bool mayDrive = (table->flags[constraintRow] & cn_constraintUnsplittable) != 0;
    return (table->flags[constraintRow] & (live | gone)) == live && table->body1[constraintRow] >= 0 &&
           joint->partner1 < 0 && joint->firstCoupling < 0 && (mayDrive || !cnConstraint_IsDriven(joint));
}

double cnSumNormalForce(const cnPair* pair) {
    double sum = 0.0;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        sum += pair->normalForce[k];
    }
    return sum;
}

// ---- what a link may bear ---------------------------------------------------------------------------------

double cnFrictionOfPair(const cnWorld* world, const cnPair* pair) {
    cnPairProperties material = cnResolvePair(&world->materials, world->proxies.material[pair->proxy1],
                                              world->proxies.material[pair->proxy2]);
    double coefficient = cnMin(material.friction[0], material.friction[1]);
    double load = cnSumNormalForce(pair);
    if (material.frictionModel.type == cn_frictionNone || (pair->flags & cn_pairSlides) != 0) {
        coefficient = 0.0;
    }
    if (material.frictionModel.forceGiven && load > 0.0) {
        double least = cnMin(material.frictionModel.force[0], material.frictionModel.force[1]);
        coefficient = cnMin(coefficient, least / load);
    }
    return coefficient;
}

// How far a contact's force is from the surface of its cone.
static double HoldOfContact(const cnPair* pair, double coefficient) {
    double left = coefficient * cnSumNormalForce(pair) - cnLength(cnToD(pair->frictionForce));
    return cnMax(0.0, left) / sqrt(1.0 + coefficient * coefficient);
}

// A constraint that leaves something free, or is soft, holds nothing; locks and motors at rest hold as much
// as their bounds leave.
static double HoldOfConstraint(const cnWorld* world, int row) {
    const cnConstraint* joint = &world->constraints.constraints[row];
    const cnConstraintKind* kind = cnJoint_KindOf(joint);
    if (cnJoint_IsLine(joint) || kind->heldCount + kind->freeCount < 6) {
        return 0.0;
    }
    bool mayDrive = (world->constraints.flags[row] & cn_constraintUnsplittable) != 0;
    const double softest = 1e-6; // m/N, rad/(N m)
    double hold = INFINITY;
    for (int d = 0; d < 6; ++d) {
        hold = (kind->held >> d & 1) != 0 && joint->dofs[d].compliance > softest ? 0.0 : hold;
    }
    for (int i = 0; i < kind->freeCount; ++i) {
        const cnSecondary* lock = cnConstraint_SecondaryAt(joint, cn_slotLock + i);
        const cnSecondary* motor = cnConstraint_SecondaryAt(joint, cn_slotMotor + i);
        bool isMotor = lock == NULL && motor != NULL && (motor->holds || motor->lockAtZeroSpeed || mayDrive);
        const cnSecondary* holder = lock != NULL ? lock : (isMotor ? motor : NULL);
        if (holder == NULL || holder->row.compliance > softest) {
            return 0.0;
        }
        double force =
            isMotor ? world->constraints.motorForce[row].of[i] : world->constraints.lockForce[row].of[i];
        hold = cnMin(hold, cnMax(0.0, cnMin(holder->row.max - force, force - holder->row.min)));
    }
    return hold;
}

// ---- lists ------------------------------------------------------------------------------------------------

// The merged body of this flag that holds both, or one of them on the ground; −1.
static int OwnerOf(const cnWorld* world, int body1, int body2, uint32_t flag) {
    int merged1 = cnAdaptiveOf(world, body1), merged2 = cnAdaptiveOf(world, body2);
    int merged = merged1 >= 0 ? merged1 : merged2;
    if (merged < 0 || (world->mergedBodies.flags[merged] & flag) == 0) {
        return -1;
    }
    bool isGrounded = (world->mergedBodies.flags[merged] & cn_mergedGrounded) != 0;
    int other = merged1 >= 0 ? body2 : body1;
    bool isHeld = merged1 == merged2 || (isGrounded && cnIsGround(world, other));
    return isHeld ? merged : -1;
}

// With the part first.
static void OrderLink(const cnWorld* world, cnMergeLink* link) {
    if (cnAdaptiveOf(world, link->body1) < 0) {
        link->body1 = link->body2;
        link->body2 = -1;
        link->normal = cnNeg(link->normal);
        link->force = cnNeg(link->force);
        link->torque = cnNeg(link->torque);
    } else if (cnAdaptiveOf(world, link->body2) < 0) {
        link->body2 = -1;
    }
}

cnTurnedPair cnTurnPair(const cnWorld* world, const cnPair* pair) {
    bool isFirst = pair->body1 >= 0;
    int row = isFirst ? pair->body1 : pair->body2;
    cnQuat made = isFirst ? pair->built1.rotation : pair->built2.rotation;
    return (cnTurnedPair){
        .centre = world->bodies.centreOfMass[row],
        .turn = cnNormalizeQuat(cnMulQuat(world->bodies.rotation[row], cnConjugate(made))),
        .arms = isFirst ? pair->arm1 : pair->arm2,
    };
}

cnMergeLink cnLinkOfPair(const cnWorld* world, int index) {
    const cnPair* pair = cnPairTable_Get(&world->pairs, index);
    cnTurnedPair turned = cnTurnPair(world, pair);
    double sum = cnSumNormalForce(pair);
    cnVec3 arm = cnVec3_zero;
    for (int k = 0; k < pair->manifold.pointCount; ++k) {
        double share = sum > 0.0 ? pair->normalForce[k] / sum : 1.0 / pair->manifold.pointCount;
        arm = cnMulAdd(arm, share, cnToD(turned.arms[k]));
    }
    cnVec3 force = cnMulAdd(cnToD(pair->frictionForce), sum, cnToD(pair->manifold.normal));
    cnMergeLink link = {
        .body1 = world->proxies.body[pair->proxy1],
        .body2 = world->proxies.body[pair->proxy2],
        .pair = index,
        .constraint = -1,
        .point = cnAdd(turned.centre, cnRotate(turned.turn, arm)),
        .normal = cnRotate(turned.turn, cnToD(pair->manifold.normal)),
        .force = cnRotate(turned.turn, force),
        .friction = cnFrictionOfPair(world, pair),
    };
    link.hold = HoldOfContact(pair, link.friction);
    OrderLink(world, &link);
    return link;
}

cnMergeLink cnLinkOfConstraint(const cnWorld* world, int row) {
    const cnConstraintTable* table = &world->constraints;
    int body = table->body1[row];
    cnPose frame = {world->bodies.position[body], world->bodies.rotation[body]};
    cnMergeLink link = {
        .body1 = body,
        .body2 = table->body2[row],
        .pair = -1,
        .constraint = row,
        .point = cnTransformPoint(frame, table->constraints[row].attached1.point),
        .force = table->force[row],
        .torque = table->torque[row],
        .hold = HoldOfConstraint(world, row),
    };
    OrderLink(world, &link);
    return link;
}

cnMergeLink* cnListMergeLinks(cnWorld* world, uint32_t flag, int* count) {
    const cnPairTable* pairs = &world->pairs;
    int most = pairs->pairs.count + world->constraints.ids.rowCount;
    cnMergeLink* links = CN_PUSH(&world->stack, cnMergeLink, most + 1, "links of merged bodies");
    *count = 0;
    for (int i = 0; links != NULL && i < pairs->pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(pairs, i);
        if (OwnerOf(world, world->proxies.body[pair->proxy1], world->proxies.body[pair->proxy2], flag) >= 0 &&
            cnMayPairHold(world, pair)) {
            links[(*count)++] = cnLinkOfPair(world, i);
        }
    }
    for (int row = 0; links != NULL && row < world->constraints.ids.rowCount; ++row) {
        if (cnMayConstraintHold(world, row) &&
            OwnerOf(world, world->constraints.body1[row], world->constraints.body2[row], flag) >= 0) {
            links[(*count)++] = cnLinkOfConstraint(world, row);
        }
    }
    return links;
}
