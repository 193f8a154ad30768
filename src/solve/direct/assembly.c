#include "solve/direct/assembly.h"

#include "base/report/assert.h"
#include "solve/direct/motion/rotation_rates.h"
#include "solve/direct/nodes/contact_nodes.h"
#include "solve/direct/nodes/joint_nodes.h"

// What rotates about its bearings by more than this in a sub-step, rad, is a rotor; below, free rotation is
// more exact, unless the body is the same all round its bearings.
#define CN_ROTOR_ROTATION 0.1
// How much larger than its own the moments of what holds an axis are for the axis to be held firmly.
#define CN_FIRM_HOLDER 10.0
// Least part of a contact's inverse effective mass that its Σ is, for it to be soft; and by how much that may
// fall until it is not.
#define CN_SOFT_SHARE 1e-5
#define CN_SOFT_RANGE 4.0

static bool ReserveOwn(cnDirectIsland* arrays, cnStack* stack, const cnDirectSizes* sizes) {
    bool made = true;
    CN_ISLAND_ARRAYS(CN_ARRAY_RESERVE)
    return made;
}

static bool ReserveShared(cnDirectIsland* arrays, cnStack* stack, const cnSolve* solve) {
    bool made = true;
    CN_SHARED_ARRAYS(CN_ARRAY_RESERVE)
    return made;
}

bool cnDirect_MakeRoom(cnDirectIsland* island, const cnDirectSizes* sizes) {
    cnStack* stack = island->solve->stack;
    island->system.box = &island->solve->direct->boxes[0];
    if (!ReserveOwn(island, stack, sizes) || !ReserveShared(island, stack, island->solve) ||
        !cnLinearSystem_Reserve(&island->system, stack, sizes)) {
        return false;
    }
    cnDirect_PlaceStaticBodies(island);
    return true;
}

void cnDirect_SkipRoom(cnDirectIsland* arrays, const cnDirectSizes* sizes) {
    CN_ISLAND_ARRAYS(CN_ARRAY_SKIP)
    cnLinearSystem_Skip(&arrays->system, sizes);
}

// ---- how bodies rotate ------------------------------------------------------------------------------------

// What a joint tells of how one of its bodies rotates: the hinges that share an axis, or that it is held
// otherwise.
static void RecordAngularRows(cnDirectBody* body, const cnConstraint* joint, const cnAttachment* frame) {
    CN_ASSERT((cnConstraintKinds[joint->type].held >> 3) != 0);
    cnVec3 axis = cnRotate(frame->axes, cnVec(0.0, 0.0, 1.0));
    bool isHinge = cnJoint_HoldsLine(joint);
    bool shares = !body->hasAngularRows || fabs(cnDot(axis, body->rotationModel.axis)) > 1.0 - 1e-9;
    body->hingesOnly = (body->hingesOnly || !body->hasAngularRows) && isHinge && shares;
    body->hasAngularRows = true;
    body->rotationModel.axis = axis;
}

// A body whose hinges share one axis is a rotor if it is the same all round that axis, or if what holds the
// axis is so much heavier that the axis cannot run round the body's angular momentum.
static void FindRotations(cnDirectIsland* island) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        CN_ASSERT(body->row >= 0 && (bodies->flags[body->row] & cn_bodyDynamic) != 0);
        cnVec3 m = bodies->principalInertia[body->row];
        bool isSpherical = (bodies->flags[body->row] & cn_bodySphericalInertia) != 0;
        bool isPlain = !solve->gyroscopic || isSpherical;
        body->freeKind = body->rotationModel.kind = isPlain ? cn_rotationPlain : cn_rotationFree;
        body->symmetry = (cnSymmetry){{1.0, 0.0, 0.0}, 0.0};
        body->inLanes = isPlain || cnFindSymmetry(m, bodies->principalAxes[body->row], &body->symmetry);
        if (!solve->gyroscopic || !body->hingesOnly) {
            continue;
        }
        bool isRound =
            isSpherical ||
            (body->inLanes && fabs(cnDot(body->symmetry.axis, body->rotationModel.axis)) > 1.0 - 1e-9);
        body->axisHeld = isRound || body->holder >= CN_FIRM_HOLDER * m.z;
        body->isRotor = body->axisHeld && !isSpherical; // a ball's momentum does not rotate with it
        body->rotorAngle = isRound ? 0.0 : CN_ROTOR_ROTATION;
        cnDirect_AddTrait(island, cn_islandHasRotors, body->axisHeld);
    }
}

// Where nothing holds an island and one body is heavier than all others, these do not hold its axis: it
// rotates freely.
static void FreeTheHeaviest(cnDirectIsland* island) {
    double sum = 0.0;
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].place1 < 0 || island->nodes[n].place2 < 0) {
            return;
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        sum += island->solve->bodies->principalInertia[island->bodies[i].row].z;
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        cnVec3 moments = island->solve->bodies->principalInertia[body->row];
        body->axisHeld = body->axisHeld && moments.x <= sum - moments.z;
        body->isRotor = body->isRotor && body->axisHeld;
    }
}

// ---- nodes ------------------------------------------------------------------------------------------------

// The local number of a body in a node's list, added if it is dynamic and is new; −1 if it is not dynamic.
static int PlaceOf(const cnDirectIsland* island, cnDirectNode* node, int bodyRow) {
    if (!cnDirect_IsDynamic(island, bodyRow)) {
        return -1;
    }
    int local = island->localOf[island->solve->solver.indexOfRow[bodyRow]];
    CN_ASSERT(local >= 0 && local < island->bodyCount);
    for (int i = 0; i < node->block.bodyCount; ++i) {
        if (node->block.bodies[i] == local) {
            return i;
        }
    }
    CN_ASSERT(node->block.bodyCount < 4);
    node->block.bodies[node->block.bodyCount] = local;
    return node->block.bodyCount++;
}

static void FinishNode(cnDirectIsland* island, cnDirectNode* node, int rowCount) {
    CN_ASSERT(rowCount >= 1 && rowCount <= cn_mostJointRows);
    CN_ASSERT(node == &island->nodes[island->nodeCount]);
    node->block.firstRow = island->rowCount;
    node->block.rowCount = rowCount;
    node->block.firstNumber = island->numberCount;
    for (int r = 0; r < rowCount; ++r) {
        cnDirectRow* row = &island->rows[island->rowCount + r];
        row->node = island->nodeCount;
        row->violation = row->excess = row->lambda = row->sum = row->warm = 0.0;
        island->system.sets[island->rowCount + r] = cn_rowFree;
    }
    island->system.soft[island->nodeCount] = false;
    island->rowCount += rowCount;
    island->numberCount += 6 * rowCount * node->block.bodyCount;
    island->nodeCount += 1;
}

// ---- joints -----------------------------------------------------------------------------------------------

static cnVec3 LocalArm(const cnDirectIsland* island, const cnAttachment* frame, int row) {
    return row >= 0 ? cnSub(frame->point, island->solve->bodies->localCentreOfMass[row]) : cnVec3_zero;
}

// What a body has to know of a joint that holds it.
static void RecordJoint(cnDirectIsland* island, const cnDirectNode* node, int side,
                        const cnConstraint* joint) {
    CN_ASSERT((side == 0 || side == 1) && cnNode_IsJoint(node));
    int place = side == 0 ? node->place1 : node->place2;
    if (place < 0) {
        return;
    }
    cnDirectBody* body = &island->bodies[node->block.bodies[place]];
    body->hasArm = body->hasArm || (side == 0 ? node->joint.length1 : node->joint.length2) > 0.0;
    if (node->kind != cn_nodeSecondary && cnConstraintKinds[joint->type].held >> 3 != 0) {
        RecordAngularRows(body, joint, side == 0 ? &joint->frame1 : &joint->frame2);
        int other = side == 0 ? node->place2 : node->place1;
        const cnVec3* moments = island->solve->bodies->principalInertia;
        double holder = other < 0 ? INFINITY : moments[island->bodies[node->block.bodies[other]].row].x;
        body->holder = cnMax(body->holder, holder);
    }
}

// Whether a held row is as soft as a spring.
static bool HasSprings(const cnConstraint* joint) {
    uint32_t held = cnConstraintKinds[joint->type].held;
    bool hasSprings = cnJoint_IsSpring(joint);
    for (int dof = 0; dof < 6; ++dof) {
        hasSprings =
            hasSprings || ((held >> dof & 1) != 0 && joint->dofs[dof].compliance > CN_SPRING_COMPLIANCE);
    }
    return hasSprings;
}

// Whether rows hold or bound its angles: its own, or those of gears and racks.
static bool UsesAngles(const cnConstraint* joint) {
    bool uses = cnJoint_IsScrew(joint) || joint->firstCoupling >= 0 ||
                cnConstraint_SecondaryAt(joint, cn_slotScrew) != NULL;
    for (int i = 0; i < 2; ++i) {
        uses = uses || cnConstraint_SecondaryAt(joint, cn_slotLock + i) != NULL ||
               cnConstraint_SecondaryAt(joint, cn_slotRange + i) != NULL;
    }
    return uses;
}

// Plain nodes are found by their type; a ball joint of two bodies can be looked at beside another.
static cnNodeKind KindOf(const cnConstraint* joint, bool isSecondary) {
    if (isSecondary) {
        return cn_nodeSecondary;
    }
    bool isPlain = joint->partner1 < 0 && !cnJoint_IsSpring(joint) && !cnJoint_IsScrew(joint) &&
                   cnConstraint_SecondaryAt(joint, cn_slotScrew) == NULL;
    return !isPlain ? cn_nodeJoint : (cnJoint_IsBallOfBodies(joint) ? cn_nodeBall : cn_nodePlain);
}

static void PlaceSides(const cnDirectIsland* island, cnDirectNode* node, const cnSolverJoint* found) {
    node->joint.hasFixed = node->joint.hasMoving = false;
    for (int i = 0; i < 4; ++i) {
        const int row = found->rows[i];
        node->joint.sides[i] = row;
        node->joint.places[i] = PlaceOf(island, node, row);
        if (row >= 0 && node->joint.places[i] < 0) {
            node->joint.hasFixed = true;
            node->joint.hasMoving = node->joint.hasMoving || cnDirect_IsMoving(island->solve, row);
        }
    }
}

// The held rows of a joint, or its secondary ones. What rows are made with is left as it is.
static void AddJointNode(cnDirectIsland* island, const cnSolverJoint* found, bool isSecondary) {
    const cnConstraint* joint = &island->solve->constraints->constraints[found->constraint];
    const int rowCount = cnJoint_CountRows(joint, isSecondary);
    if (rowCount == 0) {
        return;
    }
    cnDirectNode* node = &island->nodes[island->nodeCount];
    node->kind = KindOf(joint, isSecondary);
    node->source = found->constraint;
    node->block.bodyCount = 0;
    node->joint.impulse = node->joint.angularImpulse = cnVec3_zero;
    PlaceSides(island, node, found);
    // gears pull at no anchors
    node->place1 = joint->partner1 >= 0 ? -1 : node->joint.places[0];
    node->place2 = joint->partner1 >= 0 ? -1 : node->joint.places[1];
    node->joint.hasSprings = !isSecondary && HasSprings(joint);
    node->joint.hasAngles = !isSecondary && cnJoint_HasAngles(joint);
    node->joint.usesAngles = node->joint.hasAngles && UsesAngles(joint);
    node->joint.sways = isSecondary && cnJoint_IsDistance(joint);
    cnDirect_AddTrait(island, cn_islandSways, node->joint.sways);
    node->joint.local1 = LocalArm(island, &joint->frame1, joint->body1);
    node->joint.local2 = LocalArm(island, &joint->frame2, joint->body2);
    node->joint.length1 = cnLength(node->joint.local1);
    node->joint.length2 = cnLength(node->joint.local2);
    node->joint.translations = cnJoint_CountTranslations(joint->type);
    cnDirect_AddTrait(island, cn_islandHasMoving, node->joint.hasMoving);
    cnDirect_AddTrait(island, cn_islandHasLines, cnJoint_IsDistance(joint) || cnDirect_Slides(joint));
    RecordJoint(island, node, 0, joint);
    RecordJoint(island, node, 1, joint);
    FinishNode(island, node, rowCount);
}

static void AddJoint(cnDirectIsland* island, const cnSolverJoint* found) {
    CN_ASSERT(found->constraint >= 0 &&
              (island->solve->constraints->flags[found->constraint] & cn_constraintEnabled) != 0);
    AddJointNode(island, found, false);
    AddJointNode(island, found, true);
}

// Joints that are solved within the factorisation, or those that are swept.
static void AddJoints(cnDirectIsland* island, const cnMembers* members, int number, bool swept) {
    const cnSolve* solve = island->solve;
    for (int j = members->first[number]; j >= 0; j = members->next[j]) {
        const cnSolverJoint* joint = &solve->joints[j];
        if ((solve->constraints->constraints[joint->constraint].solve == cn_solveIterative) == swept) {
            AddJoint(island, joint);
        }
    }
}

// ---- contacts ---------------------------------------------------------------------------------------------

static cnDirectNode* AddContactNode(cnDirectIsland* island, cnNodeKind kind, int contact, int rowCount) {
    CN_ASSERT(contact >= 0 && contact < island->solve->contactCount);
    const cnPair* pair = cnPairTable_Get(island->solve->pairs, island->solve->contacts[contact].pair);
    cnDirectNode* node = &island->nodes[island->nodeCount];
    *node = (cnDirectNode){.kind = kind, .source = contact};
    node->place1 = PlaceOf(island, node, pair->body1);
    node->place2 = PlaceOf(island, node, pair->body2);
    FinishNode(island, node, rowCount);
    return node;
}

// Whether every point's Σ is a sizeable part of its inverse effective mass G M⁻¹ Gᵀ: then the contact may go
// into the mass blocks, which halves the system of a pile (sparse_factor.h). A pair that is soft stays so
// down to a part of the limit: each change means a new order. Sub-steps only raise Σ.
static bool IsSoftContact(const cnDirectIsland* island, int index) {
    const cnSolve* solve = island->solve;
    const cnSolverContact* contact = &solve->contacts[index];
    const cnContactRows* rows = cnSolve_GetRows(solve, index);
    cnPair* pair = rows->pair;
    double sigma = cnContactRows_GetSoftness(rows, solve->h).sigma;
    double limit = (pair->flags & cn_pairSoft) != 0 ? CN_SOFT_SHARE / CN_SOFT_RANGE : CN_SOFT_SHARE;
    bool isSoft = true;
    for (int i = 0; i < rows->pointCount; ++i) {
        isSoft = isSoft && sigma > limit * cnPair_GetInverseEffectiveMass(rows->pair, solve, contact, i);
    }
    pair->flags = (pair->flags & ~(uint32_t)cn_pairSoft) | (isSoft ? (uint32_t)cn_pairSoft : 0);
    return isSoft;
}

// Begins with the sets of the last step: what pressed presses.
static void AddNormals(cnDirectIsland* island, int contact) {
    const cnPair* pair = cnPairTable_Get(island->solve->pairs, island->solve->contacts[contact].pair);
    const int points = pair->manifold.pointCount;
    cnDirectNode* node = AddContactNode(island, cn_nodeContactNormals, contact, points);
    node->normals = (cnNormalsNode){pair->flags, pair->correctionLimit};
    island->system.soft[island->nodeCount - 1] = IsSoftContact(island, contact);
    for (int i = 0; i < points; ++i) {
        island->system.sets[node->block.firstRow + i] = pair->impulse[i] > 0.0f ? cn_rowFree : cn_rowAtLower;
    }
    island->traits |= cn_islandHasContacts;
}

// Contacts are soft together: a wall with soft contacts between stiff ones makes fifty times the fill
// (joint_piles).
static void AgreeOnSoftness(cnDirectIsland* island) {
    uint8_t* soft = island->system.soft;
    bool allSoft = true;
    for (int n = 0; n < island->nodeCount; ++n) {
        allSoft = allSoft && (soft[n] || cnNode_IsJoint(&island->nodes[n]));
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        soft[n] = soft[n] && allSoft;
    }
}

static void AddFriction(cnDirectIsland* island, int normals) {
    CN_ASSERT(normals >= 0 && normals < island->nodeCount);
    CN_ASSERT(island->nodes[normals].kind == cn_nodeContactNormals);
    const int contact = island->nodes[normals].source;
    const cnContactFriction* friction = &cnSolve_GetRows(island->solve, contact)->friction;
    if (cnFriction_HasRows(friction)) {
        cnDirectNode* node = AddContactNode(island, cn_nodeFriction, contact, cnFriction_CountRows(friction));
        node->friction.normals = normals;
        cnDirect_StartFriction(island, node);
    }
}

// ---- islands ----------------------------------------------------------------------------------------------

// The bodies of an island, as they stand at the start of the step.
static void AddBodies(cnDirectIsland* island, const cnMembers* members, int number) {
    cnSolve* solve = island->solve;
    for (int index = members->first[number]; index >= 0; index = members->next[index]) {
        CN_ASSERT(solve->solver.rows[index] >= 0);
        int row = solve->solver.rows[index];
        island->localOf[index] = island->bodyCount;
        cnDirectBody* body = &island->bodies[island->bodyCount++];
        body->index = index;
        body->row = row;
        body->isRotor = body->axisHeld = body->hasArm = body->hasAngularRows = body->hingesOnly = false;
        body->holder = 0.0;
        solve->solver.moved[index] = island->kind != cn_directImpacts;
    }
}

// Answers how many of them, the first, are factorised.
static int AddNodes(cnDirectIsland* island, const cnContents* contents, int number) {
    AddJoints(island, &contents->joints, number, false);
    for (int c = contents->contacts.first[number]; c >= 0; c = contents->contacts.next[c]) {
        AddNormals(island, c);
    }
    AgreeOnSoftness(island);
    const int nodes = island->nodeCount;
    for (int n = 0; n < nodes; ++n) {
        if (!cnNode_IsJoint(&island->nodes[n])) {
            AddFriction(island, n);
        }
    }
    AddJoints(island, &contents->joints, number, true);
    const bool isPart = island->kind == cn_directSplit || island->kind == cn_directGroup;
    return isPart ? nodes : island->nodeCount;
}

static void BuildSystem(cnDirectIsland* island, int factorisedNodes) {
    cnLinearSystem* system = &island->system;
    cnLinearSystem_Clear(system, island->bodyCount);
    for (int n = 0; n < factorisedNodes; ++n) {
        cnLinearSystem_AddBlock(system, &island->nodes[n].block);
    }
    system->keepsInverses = cnDirect_Has(island, cn_islandHasContacts) ||
                            system->rowCount < island->rowCount || island->rowCount == 0;
}

cnSparseFactor* cnDirect_TakeFactor(const cnSolve* solve, const cnContents* contents, int number,
                                    cnDirectKind kind, int hint) {
    CN_ASSERT(contents->bodies.first[number] >= 0);
    const int row = solve->solver.rows[contents->bodies.first[number]];
    return cnFactorPool_Take(solve->direct, kind == cn_directImpacts ? ~row : row, hint);
}

cnOrderResult cnDirect_Assemble(cnDirectIsland* island, const cnContents* contents, int number,
                                cnSparseFactor* factor, double flopLimit) {
    CN_ASSERT(number >= 0);
    island->bodyCount = island->nodeCount = island->rowCount = island->numberCount = 0;
    island->traits = 0;
    island->stepping.substeps = island->stepping.repeats = 0;
    island->ledger = (cnEnergyLedger){0};
    AddBodies(island, &contents->bodies, number);
    CN_ASSERT(island->bodyCount >= 1);
    const int factorisedNodes = AddNodes(island, contents, number);
    FindRotations(island);
    FreeTheHeaviest(island);
    island->system.factor = factor;
    BuildSystem(island, factorisedNodes);
    return cnLinearSystem_SetTopology(&island->system, flopLimit);
}
