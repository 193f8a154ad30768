#include "world/ccd/linkages.h"

#include "base/containers/disjoint_sets.h"
#include "base/report/assert.h"
#include "dynamics/joint.h"
#include "math/small_rotation.h"

#include <string.h>

// Held degrees of freedom from which on a constraint guides the interpolation before others.
#define CN_GUIDING_DOFS 3
// Rounds of closing loops, and the error at which they are closed, m and rad.
#define CN_LOOP_ROUNDS 40
#define CN_LOOP_TOLERANCE 1e-5
// Above this error, m or rad, the interpolation has no pose with closed joints.
#define CN_LOOP_LIMIT 2e-3
// Where its holders move attachments apart by more than this in a step, a linkage is held apart, m.
#define CN_HOLD_TOLERANCE 1e-4

// ---- finding them -----------------------------------------------------------------------------------------

static bool IsAny(const uint8_t* isSwept, int count) {
    for (int index = 1; index < count; ++index) {
        if (isSwept[index] != 0) {
            return true;
        }
    }
    return false;
}

// Solver index of a side of a joint, 0 for what is not dynamic.
static int IndexOf(const cnSolve* solve, int row) {
    return row >= 0 ? solve->solver.indexOfRow[row] : 0;
}

// The last dynamic body of a joint, 0 for none.
static int AnyIndexOf(const cnSolve* solve, const cnSolverJoint* joint) {
    int any = 0;
    for (int i = 0; i < 4; ++i) {
        int index = IndexOf(solve, joint->rows[i]);
        any = index != 0 ? index : any;
    }
    return any;
}

// Parents of bodies that joints connect, the smaller index above the larger.
static void JoinBodies(const cnSolve* solve, int* parents) {
    cnMakeSets(parents, solve->solver.count);
    for (int j = 0; j < solve->jointCount; ++j) {
        int any = AnyIndexOf(solve, &solve->joints[j]);
        for (int i = 0; i < 4; ++i) {
            int index = IndexOf(solve, solve->joints[j].rows[i]);
            if (index != 0) {
                cnUniteSets(parents, any, index);
            }
        }
    }
}

// Numbers the linkages by their first bodies: `linkageOf` of the roots, -1 of all others.
static void NumberLinkages(cnLinkages* linkages, const uint8_t* isSwept, int* parents, int* linkageOf) {
    const cnSolve* solve = linkages->solve;
    enum {
        none = -1,
        jointed = -2,
        swept = -3
    };
    for (int index = 0; index < solve->solver.count; ++index) {
        linkageOf[index] = none;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        linkageOf[cnFindRoot(parents, AnyIndexOf(solve, &solve->joints[j]))] = jointed;
    }
    for (int index = 1; index < solve->solver.count; ++index) {
        int root = cnFindRoot(parents, index);
        if (isSwept[index] != 0 && linkageOf[root] != none) {
            linkageOf[root] = swept;
        }
    }
    for (int index = 1; index < solve->solver.count; ++index) {
        linkageOf[index] = linkageOf[index] == swept ? linkages->count++ : none;
    }
}

// How many members and joints all of them have, and the largest one.
typedef struct PartCounts {
    int members, joints, mostMembers;
} PartCounts;

static PartCounts CountParts(cnLinkages* linkages, int* parents, const int* linkageOf) {
    const cnSolve* solve = linkages->solve;
    memset(linkages->linkages, 0, (size_t)linkages->count * sizeof *linkages->linkages);
    for (int index = 1; index < solve->solver.count; ++index) {
        int linkage = linkageOf[cnFindRoot(parents, index)];
        if (linkage >= 0) {
            linkages->linkages[linkage].memberCount += 1;
        }
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        int linkage = linkageOf[cnFindRoot(parents, AnyIndexOf(solve, &solve->joints[j]))];
        if (linkage >= 0) {
            linkages->linkages[linkage].jointCount += 1;
        }
    }
    PartCounts counts = {0, 0, 0};
    for (int i = 0; i < linkages->count; ++i) {
        cnLinkage* linkage = &linkages->linkages[i];
        linkage->firstMember = counts.members;
        linkage->firstJoint = counts.joints;
        counts.members += linkage->memberCount;
        counts.joints += linkage->jointCount;
        counts.mostMembers =
            linkage->memberCount > counts.mostMembers ? linkage->memberCount : counts.mostMembers;
        linkage->memberCount = linkage->jointCount = 0;
    }
    return counts;
}

static void ListParts(cnLinkages* linkages, int* parents, const int* linkageOf) {
    const cnSolve* solve = linkages->solve;
    const cnBodyTable* bodies = solve->bodies;
    linkages->memberOfIndex[0] = -1;
    for (int index = 1; index < solve->solver.count; ++index) {
        int number = linkageOf[cnFindRoot(parents, index)];
        linkages->memberOfIndex[index] = -1;
        if (number < 0) {
            continue;
        }
        cnLinkage* linkage = &linkages->linkages[number];
        int row = solve->solver.rows[index];
        int member = linkage->firstMember + linkage->memberCount++;
        linkages->memberOfIndex[index] = member;
        linkages->rows[member] = row;
        linkages->members[member] = (cnLinkageMember){
            .linkage = number,
            .velocity = bodies->halfStepVelocity[row],
            .spin = cnInvRotate(bodies->rotation[row], bodies->halfStepAngularVelocity[row]),
        };
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        int number = linkageOf[cnFindRoot(parents, AnyIndexOf(solve, &solve->joints[j]))];
        if (number >= 0) {
            cnLinkage* linkage = &linkages->linkages[number];
            linkages->joints[linkage->firstJoint + linkage->jointCount++] = j;
        }
    }
}

bool cnLinkages_Find(cnLinkages* linkages, const cnSolve* solve, const uint8_t* isSwept) {
    *linkages = (cnLinkages){.solve = solve};
    if (!IsAny(isSwept, solve->solver.count)) {
        return true;
    }

    // which bodies belong together
    int bodyCount = solve->solver.count;
    linkages->memberOfIndex = CN_PUSH(solve->stack, int, bodyCount, "linkage members of bodies");
    int* parents = CN_PUSH(solve->stack, int, bodyCount, "linkage parents");
    int* linkageOf = CN_PUSH(solve->stack, int, bodyCount, "linkages of bodies");
    if (linkages->memberOfIndex == NULL || parents == NULL || linkageOf == NULL) {
        return false;
    }
    JoinBodies(solve, parents);
    NumberLinkages(linkages, isSwept, parents, linkageOf);

    // lists of them
    linkages->linkages = CN_PUSH(solve->stack, cnLinkage, linkages->count + 1, "linkages");
    if (linkages->linkages == NULL) {
        return false;
    }
    PartCounts counts = CountParts(linkages, parents, linkageOf);
    linkages->members = CN_PUSH(solve->stack, cnLinkageMember, counts.members + 1, "linkage members");
    linkages->rows = CN_PUSH(solve->stack, int, counts.members + 1, "linkage rows");
    linkages->paths = CN_PUSH(solve->stack, cnRelativePath, counts.mostMembers + 1, "linkage paths");
    linkages->joints = CN_PUSH(solve->stack, int, counts.joints + 1, "linkage joints");
    linkages->centres = CN_PUSH(solve->stack, cnVec3, solve->bodies->ids.rowCount, "linkage centres");
    linkages->rotations = CN_PUSH(solve->stack, cnQuat, solve->bodies->ids.rowCount, "linkage rotations");
    linkages->startGaps = CN_PUSH(solve->stack, double, 6 * (counts.joints + 1), "linkage start gaps");
    linkages->endGaps = CN_PUSH(solve->stack, double, 6 * (counts.joints + 1), "linkage end gaps");
    if (linkages->centres == NULL || linkages->rotations == NULL || linkages->startGaps == NULL ||
        linkages->endGaps == NULL || linkages->members == NULL || linkages->rows == NULL ||
        linkages->paths == NULL || linkages->joints == NULL) {
        return false;
    }
    ListParts(linkages, parents, linkageOf);
    return true;
}

int cnLinkages_MemberOf(const cnLinkages* linkages, int row) {
    return row >= 0 && linkages->memberOfIndex != NULL
               ? linkages->memberOfIndex[linkages->solve->solver.indexOfRow[row]]
               : -1;
}

// ---- poses ------------------------------------------------------------------------------------------------

cnVec3 cnRotationVectorOf(cnQuat rotation) {
    double sign = rotation.w < 0.0 ? -1.0 : 1.0;
    cnVec3 axis = {sign * rotation.x, sign * rotation.y, sign * rotation.z};
    double sine = cnLength(axis);
    return sine > 0.0 ? cnScale(2.0 * cnAtan2(sine, sign * rotation.w) / sine, axis) : cnVec3_zero;
}

cnPose cnLinkages_StartPose(const cnSolve* solve, int row) {
    if (row < 0) {
        return (cnPose){cnVec3_zero, cnQuat_identity};
    }
    return (cnPose){solve->bodies->previousPosition[row], solve->bodies->previousRotation[row]};
}

cnPose cnLinkages_EndPose(const cnSolve* solve, int row) {
    if (row < 0) {
        return (cnPose){cnVec3_zero, cnQuat_identity};
    }
    return (cnPose){solve->bodies->position[row], solve->bodies->rotation[row]};
}

static cnVec3 InterpolatePoint(cnVec3 start, cnVec3 end, double time) {
    return cnAdd(cnScale(1.0 - time, start), cnScale(time, end));
}

// A body by itself: its centre of mass moves straight, at a constant rate of rotation.
static cnPose InterpolateBody(const cnSolve* solve, int row, double time) {
    cnPose start = cnLinkages_StartPose(solve, row), end = cnLinkages_EndPose(solve, row);
    if (row < 0) {
        return start;
    }
    cnVec3 centre = solve->bodies->localCentreOfMass[row];
    cnVec3 between = InterpolatePoint(cnTransformPoint(start, centre), cnTransformPoint(end, centre), time);
    cnQuat rotation = cnNormalizeQuat(
        cnMulQuat(cnQuatFromRotationVector(cnScale(
                      time, cnRotationVectorOf(cnMulQuat(end.rotation, cnConjugate(start.rotation))))),
                  start.rotation));
    return (cnPose){cnSub(between, cnRotate(rotation, centre)), rotation};
}

// ---- interpolation ----------------------------------------------------------------------------------------

// Constraints of two points, which say nothing of directions.
static bool IsLine(const cnConstraint* joint) {
    return cnJoint_Has(joint, cn_joinsPoints);
}

// Of the other body of a joint, seen from one.
static void FindPath(const cnSolve* solve, const cnConstraint* joint, int from, cnRelativePath* path) {
    bool isFirst = joint->body1 != from;
    int row = isFirst ? joint->body1 : joint->body2;
    path->joint = joint;
    path->from = from;
    path->fromPoint = isFirst ? joint->frame2.point : joint->frame1.point;
    path->point = isFirst ? joint->frame1.point : joint->frame2.point;
    cnPose fromStart = cnLinkages_StartPose(solve, from), fromEnd = cnLinkages_EndPose(solve, from);
    cnPose start = cnLinkages_StartPose(solve, row), end = cnLinkages_EndPose(solve, row);
    cnQuat axesStart = IsLine(joint) ? cnQuat_identity : fromStart.rotation;
    cnQuat axesEnd = IsLine(joint) ? cnQuat_identity : fromEnd.rotation;
    cnVec3 betweenStart =
        cnSub(cnTransformPoint(start, path->point), cnTransformPoint(fromStart, path->fromPoint));
    cnVec3 betweenEnd = cnSub(cnTransformPoint(end, path->point), cnTransformPoint(fromEnd, path->fromPoint));
    path->gapStart = cnInvRotate(axesStart, betweenStart);
    path->gapEnd = cnInvRotate(axesEnd, betweenEnd);
    path->rotationStart = cnMulQuat(cnConjugate(axesStart), start.rotation);
    cnQuat rotationEnd = cnMulQuat(cnConjugate(axesEnd), end.rotation);
    path->turn = cnRotationVectorOf(cnMulQuat(cnConjugate(path->rotationStart), rotationEnd));
}

// Pose at a time of a body that goes along a path, seen from one whose pose at that time is known.
static cnPose FollowPath(const cnRelativePath* path, cnPose fromPose, double time) {
    cnVec3 gap = InterpolatePoint(path->gapStart, path->gapEnd, time);
    cnQuat axes = fromPose.rotation;
    if (IsLine(path->joint)) {
        double length = (1.0 - time) * cnLength(path->gapStart) + time * cnLength(path->gapEnd);
        gap = cnLengthSquared(gap) > 0.0 ? cnScale(length, cnNormalize(gap)) : gap;
        axes = cnQuat_identity;
    }
    cnQuat turned = cnNormalizeQuat(cnMulQuat(path->rotationStart, cnRotationBy(cnScale(time, path->turn))));
    cnQuat rotation = cnNormalizeQuat(cnMulQuat(axes, turned));
    cnVec3 attachment = cnAdd(cnTransformPoint(fromPose, path->fromPoint), cnRotate(axes, gap));
    return (cnPose){cnSub(attachment, cnRotate(rotation, path->point)), rotation};
}

// A linkage whose members get their paths, one after the other.
typedef struct Ordering {
    cnLinkages* linkages;
    const cnLinkage* linkage;
    int found, followed; // of the paths
} Ordering;

// The next member's path, which a joint may fill.
static cnRelativePath* AddPath(Ordering* ordering, int member) {
    cnRelativePath* path = &ordering->linkages->paths[ordering->found++];
    *path = (cnRelativePath){.member = member, .fromMember = -1, .from = -1};
    ordering->linkages->members[member].isPlaced = true;
    return path;
}

static bool IsGuide(const cnConstraint* joint) {
    return cnConstraintKinds[joint->type].heldCount >= CN_GUIDING_DOFS;
}

// The body at one side of a joint follows the one at the other side (a holder or a member) if that has a
// place, and it has none.
static bool AddPathFromSide(Ordering* ordering, const cnConstraint* joint, int from, int to) {
    cnLinkages* linkages = ordering->linkages;
    int fromMember = cnLinkages_MemberOf(linkages, from), member = cnLinkages_MemberOf(linkages, to);
    bool isPlaced = fromMember < 0 || linkages->members[fromMember].isPlaced;
    if (member < 0 || linkages->members[member].isPlaced || !isPlaced) {
        return false;
    }
    cnRelativePath* path = AddPath(ordering, member);
    path->fromMember = fromMember;
    FindPath(linkages->solve, joint, from, path);
    return true;
}

static bool AddPathAcross(Ordering* ordering, const cnConstraint* joint) {
    return joint->partner1 < 0 && (AddPathFromSide(ordering, joint, joint->body1, joint->body2) ||
                                   AddPathFromSide(ordering, joint, joint->body2, joint->body1));
}

static const cnConstraint* JointOf(const cnLinkages* linkages, const cnLinkage* linkage, int i) {
    const cnSolve* solve = linkages->solve;
    int joint = linkages->joints[linkage->firstJoint + i];
    return &solve->constraints->constraints[solve->joints[joint].constraint];
}

static bool IsHolding(const cnLinkages* linkages, const cnConstraint* joint) {
    return joint->partner1 < 0 && (cnLinkages_MemberOf(linkages, joint->body1) < 0 ||
                                   cnLinkages_MemberOf(linkages, joint->body2) < 0);
}

// Along guides, from all members that have a path.
static void AddPathsAlongGuides(Ordering* ordering) {
    const cnLinkages* linkages = ordering->linkages;
    const cnConstraintTable* table = linkages->solve->constraints;
    uint32_t acts = cn_constraintLive | cn_constraintEnabled;
    while (ordering->followed < ordering->found) {
        int row = linkages->rows[linkages->paths[ordering->followed++].member];
        for (int c = linkages->solve->bodies->firstConstraint[row]; c >= 0;
             c = cnConstraint_NextOf(table, c, row)) {
            const cnConstraint* joint = &table->constraints[c];
            if ((table->flags[c] & acts) == acts && IsGuide(joint) && !IsHolding(linkages, joint)) {
                AddPathAcross(ordering, joint);
            }
        }
    }
}

// One more body, by a constraint that is no guide, or the heaviest of those that are left, by itself. False
// when all have a path.
static bool AddNextPath(Ordering* ordering) {
    const cnLinkages* linkages = ordering->linkages;
    const cnLinkage* linkage = ordering->linkage;
    if (ordering->found == linkage->memberCount) {
        return false;
    }
    for (int i = 0; i < linkage->jointCount; ++i) {
        if (AddPathAcross(ordering, JointOf(linkages, linkage, i))) {
            return true;
        }
    }
    const double* mass = linkages->solve->bodies->mass;
    int heaviest = -1;
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        if (!linkages->members[m].isPlaced &&
            (heaviest < 0 || mass[linkages->rows[m]] > mass[linkages->rows[heaviest]])) {
            heaviest = m;
        }
    }
    AddPath(ordering, heaviest);
    return true;
}

// What holds for all times of the step: along which paths the members are placed, and in which order, and
// where their centres of mass begin and end.
static void FindPaths(cnLinkages* linkages, const cnLinkage* linkage) {
    const cnSolve* solve = linkages->solve;
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        cnLinkageMember* member = &linkages->members[m];
        int row = linkages->rows[m];
        cnVec3 centre = solve->bodies->localCentreOfMass[row];
        member->startCentre = cnTransformPoint(cnLinkages_StartPose(solve, row), centre);
        member->endCentre = cnTransformPoint(cnLinkages_EndPose(solve, row), centre);
        member->isPlaced = false;
    }
    Ordering ordering = {.linkages = linkages, .linkage = linkage};
    for (int i = 0; i < linkage->jointCount; ++i) {
        const cnConstraint* joint = JointOf(linkages, linkage, i);
        if (IsHolding(linkages, joint) && IsGuide(joint)) {
            AddPathAcross(&ordering, joint);
        }
    }
    do {
        AddPathsAlongGuides(&ordering);
    } while (AddNextPath(&ordering));
}

// ---- loops ------------------------------------------------------------------------------------------------

// Poses by row of the members and of what holds them.
static cnJointView ScratchView(const cnLinkages* linkages) {
    return (cnJointView){linkages->solve->bodies, linkages->centres, linkages->rotations};
}

static void PutScratch(cnLinkages* linkages, int row, cnPose pose) {
    if (row >= 0) {
        linkages->centres[row] = cnTransformPoint(pose, linkages->solve->bodies->localCentreOfMass[row]);
        linkages->rotations[row] = pose.rotation;
    }
}

// Of all bodies that a joint has, those that are no members.
static void PutHolders(cnLinkages* linkages, const cnLinkage* linkage, double time) {
    for (int i = 0; i < linkage->jointCount; ++i) {
        const cnSolverJoint* joint = &linkages->solve->joints[linkages->joints[linkage->firstJoint + i]];
        for (int k = 0; k < 4; ++k) {
            if (joint->rows[k] >= 0 && cnLinkages_MemberOf(linkages, joint->rows[k]) < 0) {
                PutScratch(linkages, joint->rows[k], InterpolateBody(linkages->solve, joint->rows[k], time));
            }
        }
    }
}

static double* GapsOf(double* gaps, const cnLinkage* linkage, int i) {
    return gaps + 6 * (size_t)(linkage->firstJoint + i);
}

// Violations at the start and the end of the step, between which those of a time lie.
static void MeasureEnds(cnLinkages* linkages, const cnLinkage* linkage) {
    const cnSolve* solve = linkages->solve;
    const cnJointView end = {solve->bodies, solve->bodies->centreOfMass, solve->bodies->rotation};
    const cnJointView start = ScratchView(linkages);
    PutHolders(linkages, linkage, 0.0);
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        PutScratch(linkages, linkages->rows[m], cnLinkages_StartPose(solve, linkages->rows[m]));
    }
    for (int i = 0; i < linkage->jointCount; ++i) {
        const cnConstraint* joint = JointOf(linkages, linkage, i);
        cnJoint_FindGaps(solve->constraints, joint, &start, GapsOf(linkages->startGaps, linkage, i));
        cnJoint_FindGaps(solve->constraints, joint, &end, GapsOf(linkages->endGaps, linkage, i));
    }
}

// What a moment (world axes) turns a member by as if it weighed 1 kg: all bodies are moved alike,
// whatever they weigh.
static cnVec3 TurnByMoment(const cnLinkages* linkages, int row, cnVec3 moment) {
    const cnBodyTable* bodies = linkages->solve->bodies;
    const cnQuat rotation = linkages->rotations[row];
    const cnVec3 local = cnMulMat(bodies->inverseInertia[row], cnInvRotate(rotation, moment));
    return cnScale(bodies->mass[row], cnRotate(rotation, local));
}

// One side of a row: a member, by how much of the row's gradient it moves.
typedef struct RowSide {
    int row;
    double sign;
    cnVec3 linear, moment;
} RowSide;

static double SideWeight(const cnLinkages* linkages, const RowSide* side) {
    if (cnLinkages_MemberOf(linkages, side->row) < 0) {
        return 0.0;
    }
    return cnLengthSquared(side->linear) +
           cnDot(side->moment, TurnByMoment(linkages, side->row, side->moment));
}

static void MoveSide(cnLinkages* linkages, const RowSide* side, double amount) {
    if (cnLinkages_MemberOf(linkages, side->row) < 0) {
        return;
    }
    const double along = side->sign * amount;
    const cnVec3 turn = cnScale(along, TurnByMoment(linkages, side->row, side->moment));
    linkages->centres[side->row] = cnMulAdd(linkages->centres[side->row], along, side->linear);
    linkages->rotations[side->row] =
        cnNormalizeQuat(cnMulQuat(cnQuatFromRotationVector(turn), linkages->rotations[side->row]));
}

// Closes the rows of a joint, all from one measurement. Returns the worst error, m or rad.
static double CloseJoint(cnLinkages* linkages, const cnLinkage* linkage, int i, double time) {
    const cnSolve* solve = linkages->solve;
    const cnConstraint* joint = JointOf(linkages, linkage, i);
    const cnJointView view = ScratchView(linkages);
    const double* start = GapsOf(linkages->startGaps, linkage, i);
    const double* end = GapsOf(linkages->endGaps, linkage, i);
    double worst = 0.0;
    cnHeldRow held[6];
    cnJointFrames frames;
    const int count = cnJoint_FindHeld(solve->constraints, joint, &view, held, &frames);
    for (int r = 0; r < count && joint->partner1 < 0; ++r) {
        const cnGradient gradient = held[r].gradient;
        const RowSide sides[2] = {{joint->body1, 1.0, gradient.linear, gradient.moment1},
                                  {joint->body2, -1.0, gradient.linear, gradient.moment2}};
        const double error = held[r].violation - ((1.0 - time) * start[r] + time * end[r]);
        const double weight = SideWeight(linkages, &sides[0]) + SideWeight(linkages, &sides[1]);
        if (weight > 0.0) {
            MoveSide(linkages, &sides[0], -error / weight);
            MoveSide(linkages, &sides[1], -error / weight);
            worst = cnMax(worst, fabs(error));
        }
    }
    return worst;
}

// Gauss–Seidel rounds over all joints where some are not part of the tree. Returns the worst error that
// is left, m or rad.
static double CloseLoops(cnLinkages* linkages, const cnLinkage* linkage, double time) {
    PutHolders(linkages, linkage, time);
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        PutScratch(linkages, linkages->rows[m], linkages->members[m].pose);
    }
    double error = INFINITY;
    for (int round = 0; round < CN_LOOP_ROUNDS && error > CN_LOOP_TOLERANCE; ++round) {
        error = 0.0;
        for (int i = 0; i < linkage->jointCount; ++i) {
            int next = round % 2 == 0 ? i : linkage->jointCount - 1 - i;
            error = cnMax(error, CloseJoint(linkages, linkage, next, time));
        }
    }
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        int row = linkages->rows[m];
        cnVec3 centre = linkages->solve->bodies->localCentreOfMass[row];
        cnQuat rotation = linkages->rotations[row];
        linkages->members[m].pose =
            (cnPose){cnSub(linkages->centres[row], cnRotate(rotation, centre)), rotation};
    }
    return error;
}

// ---- a linkage at a time ----------------------------------------------------------------------------------

// Shifts a linkage so that its centre of mass moves straight.
static void CentreLinkage(cnLinkages* linkages, const cnLinkage* linkage, double time) {
    const cnSolve* solve = linkages->solve;
    cnVec3 sum = cnVec3_zero;
    double mass = 0.0;
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        const cnLinkageMember* member = &linkages->members[m];
        int row = linkages->rows[m];
        cnVec3 straight = InterpolatePoint(member->startCentre, member->endCentre, time);
        cnVec3 placed = cnTransformPoint(member->pose, solve->bodies->localCentreOfMass[row]);
        sum = cnMulAdd(sum, solve->bodies->mass[row], cnSub(straight, placed));
        mass += solve->bodies->mass[row];
    }
    cnVec3 shift = cnScale(1.0 / mass, sum);
    for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
        linkages->members[m].pose.position = cnAdd(linkages->members[m].pose.position, shift);
    }
}

// Poses along the paths. Returns by how much joints are open, m or rad.
static double InterpolateJoints(cnLinkages* linkages, const cnLinkage* linkage, double time) {
    for (int i = 0; i < linkage->memberCount; ++i) {
        const cnRelativePath* path = &linkages->paths[i];
        cnPose* pose = &linkages->members[path->member].pose;
        if (path->joint == NULL) {
            *pose = InterpolateBody(linkages->solve, linkages->rows[path->member], time);
        } else if (path->fromMember >= 0) {
            *pose = FollowPath(path, linkages->members[path->fromMember].pose, time);
        } else {
            *pose = FollowPath(path, InterpolateBody(linkages->solve, path->from, time), time);
        }
    }
    return linkage->loops > 0 ? CloseLoops(linkages, linkage, time) : 0.0;
}

// Poses between start and end. Returns by how much joints are open there, m or rad.
static double PlaceMembers(cnLinkages* linkages, const cnLinkage* linkage, double time) {
    double error = 0.0;
    if (linkage->isRigid) {
        for (int m = linkage->firstMember; m < linkage->firstMember + linkage->memberCount; ++m) {
            linkages->members[m].pose = cnLinkages_EndPose(linkages->solve, linkages->rows[m]);
        }
    } else {
        error = InterpolateJoints(linkages, linkage, time);
    }
    if (linkage->hold == cn_holdNone) {
        CentreLinkage(linkages, linkage, time);
    }
    return error;
}

void cnLinkages_Interpolate(cnLinkages* linkages, int number, double time) {
    CN_ASSERT(number >= 0 && number < linkages->count);
    FindPaths(linkages, &linkages->linkages[number]);
    PlaceMembers(linkages, &linkages->linkages[number], time);
}

// ---- what holds them --------------------------------------------------------------------------------------

// Where a point that a body has at the start of the step is at its end.
static cnVec3 MovePoint(const cnSolve* solve, int row, cnVec3 point) {
    return cnTransformPoint(cnLinkages_EndPose(solve, row),
                            cnInvTransformPoint(cnLinkages_StartPose(solve, row), point));
}

// Whether a joint holds a point, and nothing of how its bodies turn.
static bool HoldsPointAlone(const cnConstraint* joint) {
    uint32_t held = cnJoint_KindOf(joint)->held;
    return IsLine(joint) || ((held & cn_alongAll) == cn_alongAll && (held & cn_aboutAll) == 0);
}

// A holder of a joint that the linkage hangs on; gears hold by the holders of their partners.
static void FindHold(cnLinkages* linkages, cnLinkage* linkage) {
    const cnSolve* solve = linkages->solve;
    linkage->hold = cn_holdNone;
    linkage->holder = -1;
    linkage->hangs = false;
    for (int i = 0; i < linkage->jointCount; ++i) {
        const cnConstraint* joint = JointOf(linkages, linkage, i);
        if (!IsHolding(linkages, joint)) {
            continue;
        }
        bool isFirst = cnLinkages_MemberOf(linkages, joint->body1) < 0;
        int holder = isFirst ? joint->body1 : joint->body2;
        cnVec3 point = isFirst ? joint->frame1.point : joint->frame2.point;
        cnVec3 attachment = cnTransformPoint(cnLinkages_StartPose(solve, holder), point);
        if (linkage->hold == cn_holdNone) {
            linkage->hold = cn_holdRigid;
            linkage->holder = holder;
            linkage->hangs = HoldsPointAlone(joint);
            linkage->holdPoint = point;
            continue;
        }
        linkage->hangs = false;
        if (holder != linkage->holder) {
            cnVec3 apart =
                cnSub(MovePoint(solve, holder, attachment), MovePoint(solve, linkage->holder, attachment));
            linkage->hold = cnLength(apart) > CN_HOLD_TOLERANCE ? cn_holdApart : linkage->hold;
        }
    }
}

cnPose cnLinkage_FrameAt(const cnLinkage* linkage, cnPose holder) {
    return linkage->hangs ? (cnPose){cnTransformPoint(holder, linkage->holdPoint), cnQuat_identity} : holder;
}

// A pose that goes along with the holder from a time to the end of the step.
static cnPose CarryToEnd(const cnLinkages* linkages, const cnLinkage* linkage, double time, cnPose pose) {
    if (linkage->hold == cn_holdNone) {
        return pose;
    }
    const cnSolve* solve = linkages->solve;
    const cnCarrier carrier = {
        cnLinkage_FrameAt(linkage, InterpolateBody(solve, linkage->holder, time)),
        cnLinkage_FrameAt(linkage, cnLinkages_EndPose(solve, linkage->holder)),
    };
    return cnCarry(&carrier, pose);
}

// Where a member is swept from.
static void PrepareStart(cnLinkages* linkages, const cnLinkage* linkage, int member) {
    cnPose start = cnLinkages_StartPose(linkages->solve, linkages->rows[member]);
    linkages->members[member].start = CarryToEnd(linkages, linkage, 0.0, start);
}

static cnVec3 DeviationOf(const cnLinkages* linkages, const cnLinkage* linkage, int member, double time) {
    const cnBodyTable* bodies = linkages->solve->bodies;
    int row = linkages->rows[member];
    cnVec3 centre = bodies->localCentreOfMass[row];
    cnPose pose = CarryToEnd(linkages, linkage, time, linkages->members[member].pose);
    cnVec3 straight = InterpolatePoint(cnTransformPoint(linkages->members[member].start, centre),
                                       bodies->centreOfMass[row], time);
    return cnSub(cnTransformPoint(pose, centre), straight);
}

// Joints beyond those of a tree over the members and, as one, what holds them; of parts that gears alone
// couple some are not counted. Universals count, since interpolation leaves their crosses open.
static int CountLoops(const cnLinkages* linkages, const cnLinkage* linkage) {
    int joints = 0;
    for (int i = 0; i < linkage->jointCount; ++i) {
        const cnConstraint* joint = JointOf(linkages, linkage, i);
        joints += joint->partner1 < 0;
        joints += cnJoint_HoldsCross(joint->type);
    }
    return joints - (linkage->memberCount - (linkage->hold == cn_holdNone ? 1 : 0));
}

void cnLinkages_Prepare(cnLinkages* linkages, int number) {
    CN_ASSERT(number >= 0 && number < linkages->count);
    cnLinkage* linkage = &linkages->linkages[number];
    FindHold(linkages, linkage);
    if (linkage->hold == cn_holdApart) {
        return;
    }
    FindPaths(linkages, linkage);
    const int end = linkage->firstMember + linkage->memberCount;
    linkage->loops = CountLoops(linkages, linkage);
    if (linkage->loops > 0) {
        MeasureEnds(linkages, linkage);
    }
    for (int m = linkage->firstMember; m < end; ++m) {
        PrepareStart(linkages, linkage, m);
    }
    for (int i = 1; i < CN_PATH_SEGMENTS && !linkage->isRigid; ++i) {
        double time = (double)i / CN_PATH_SEGMENTS;
        linkage->isRigid = PlaceMembers(linkages, linkage, time) > CN_LOOP_LIMIT;
        for (int m = linkage->firstMember; m < end; ++m) {
            linkages->members[m].deviations[i] = DeviationOf(linkages, linkage, m, time);
        }
    }
    for (int m = linkage->firstMember; m < end; ++m) {
        cnLinkageMember* member = &linkages->members[m];
        for (int i = 1; i < CN_PATH_SEGMENTS && linkage->isRigid; ++i) {
            member->deviations[i] = cnVec3_zero;
        }
        for (int i = 0; i < CN_PATH_SEGMENTS; ++i) {
            cnVec3 part = cnSub(member->deviations[i + 1], member->deviations[i]);
            member->deviationLength += cnLength(part);
            member->maxDeviation = cnMax(member->maxDeviation, cnLength(member->deviations[i]));
        }
    }
}
