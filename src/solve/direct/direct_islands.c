// Which islands are solved directly, what they are made of, their step in sub-steps, and what can be read afterwards.
#include "base/report/assert.h"
#include "solve/direct/direct_island.h"
#include "solve/direct/work_budget.h"

#include <string.h>

// What turns about its bearings by more than this in a sub-step, rad, is a rotor; below, the free turn is more exact, unless the body
// is the same all round its bearings.
#define CN_ROTOR_TURN 0.1
// How much larger than its own the moments of what holds an axis are for the axis to be held firmly.
#define CN_FIRM_HOLDER 10.0
// Least part of a contact's effect that its Σ is, for it to be soft; and by how much that may fall until it is not.
#define CN_SOFT_SHARE 1e-5
#define CN_SOFT_RANGE 4.0

void cnDirectPool_Free(cnDirectPool* pool) {
    for (int i = 0; i < pool->slots.count; ++i) {
        cnSparseFactor_Free(&pool->slots.data[i]->factor);
        cnFree(pool->slots.data[i], sizeof(cnDirectSlot));
    }
    cnBoxSolver_Free(&pool->box);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what the array holds
    cnArray_Free(&pool->slots);
}

void cnDirectPool_Release(cnDirectPool* pool) {
    for (int i = 0; i < pool->slots.count; ++i) {
        pool->slots.data[i]->used = false;
    }
}

// ---- making islands -------------------------------------------------------------------------------------------------

// What a joint tells of how one of its bodies turns: the hinges that share an axis, or that it is held otherwise.
static void NoteAngularRows(cnDirectBody* body, const cnConstraint* joint, const cnAttachment* frame) {
    CN_ASSERT((cnConstraintKinds[joint->type].held >> 3) != 0);
    cnVec3 axis = cnRotate(frame->axes, cnVec(0.0, 0.0, 1.0));
    bool isHinge = cnJoint_HoldsLine(joint);
    bool shares = !body->hasAngularRows || fabs(cnDot(axis, body->turn.axis)) > 1.0 - 1e-9;
    body->hingesOnly = (body->hingesOnly || !body->hasAngularRows) && isHinge && shares;
    body->hasAngularRows = true;
    body->turn.axis = axis;
}

// A body whose hinges share one axis is a rotor if it is the same all round that axis, or if what holds the axis is so much heavier that
// the axis cannot run round the body's angular momentum.
static void FindTurns(cnDirectIsland* island) {
    const cnSolve* solve = island->solve;
    const cnBodyTable* bodies = solve->bodies;
    for (int i = 0; i < island->bodyCount; ++i) {
        cnDirectBody* body = &island->bodies[i];
        CN_ASSERT(body->row >= 0 && (bodies->flags[body->row] & cn_bodyDynamic) != 0);
        cnVec3 m = bodies->principalInertia[body->row];
        bool isSpherical = (bodies->flags[body->row] & cn_bodySphericalInertia) != 0;
        bool isPlain = !solve->gyroscopic || isSpherical;
        body->freeTurn = body->turn.kind = isPlain ? cn_turnPlain : cn_turnFree;
        body->symmetry = (cnSymmetry){{1.0, 0.0, 0.0}, 0.0};
        body->inLanes = isPlain || cnFindSymmetry(m, bodies->principalAxes[body->row], &body->symmetry);
        if (!solve->gyroscopic || !body->hingesOnly) {
            continue;
        }
        bool isRound =
            isSpherical || (body->inLanes && fabs(cnDot(body->symmetry.axis, body->turn.axis)) > 1.0 - 1e-9);
        body->axisHeld = isRound || body->holder >= CN_FIRM_HOLDER * m.z;
        body->isRotor = body->axisHeld && !isSpherical; // a ball's momentum does not turn with it
        body->rotorTurn = isRound ? 0.0 : CN_ROTOR_TURN;
        island->hasRotors = island->hasRotors || body->axisHeld;
    }
}

// Where nothing holds an island and one body is heavier than all others, these do not hold its axis: it turns freely.
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

// The local number of a body in a node's list, added if it is dynamic and is new; −1 if it is not dynamic.
static int PlaceOf(const cnDirectIsland* island, cnDirectNode* node, int bodyRow) {
    if (!cnDirect_Yields(island, bodyRow)) {
        return -1;
    }
    int local = island->localOf[island->solve->solver.indexOfRow[bodyRow]];
    CN_ASSERT(local >= 0 && local < island->bodyCount);
    for (int i = 0; i < node->bodyCount; ++i) {
        if (node->bodies[i] == local) {
            return i;
        }
    }
    CN_ASSERT(node->bodyCount < 4);
    node->bodies[node->bodyCount] = local;
    return node->bodyCount++;
}

static void FinishNode(cnDirectIsland* island, cnDirectNode* node, int rowCount) {
    CN_ASSERT(rowCount >= 1 && rowCount <= cn_mostJointRows);
    CN_ASSERT(node == &island->nodes[island->nodeCount]);
    node->firstRow = island->rowCount;
    node->rowCount = rowCount;
    node->firstNumber = island->numberCount;
    for (int r = 0; r < rowCount; ++r) {
        cnDirectRow* row = &island->rows[island->rowCount + r];
        row->node = island->nodeCount;
        row->violation = row->excess = row->lambda = row->sum = row->warm = 0.0;
        island->state[island->rowCount + r] = cn_rowFree;
    }
    island->rowCount += rowCount;
    island->numberCount += 6 * rowCount * node->bodyCount;
    island->nodeCount += 1;
}

static cnVec3 LocalArm(const cnDirectIsland* island, const cnAttachment* frame, int row) {
    return row >= 0 ? cnSub(frame->point, island->solve->bodies->localCentreOfMass[row]) : cnVec3_zero;
}

// What a body has to know of a joint that holds it.
static void NoteJoint(cnDirectIsland* island, const cnDirectNode* node, int side, const cnConstraint* joint) {
    CN_ASSERT((side == 0 || side == 1) && node->constraint >= 0);
    int place = side == 0 ? node->place1 : node->place2;
    if (place < 0) {
        return;
    }
    cnDirectBody* body = &island->bodies[node->bodies[place]];
    body->hasArm = body->hasArm || (side == 0 ? node->length1 : node->length2) > 0.0;
    if (!node->secondary && cnConstraintKinds[joint->type].held >> 3 != 0) {
        NoteAngularRows(body, joint, side == 0 ? &joint->frame1 : &joint->frame2);
        int other = side == 0 ? node->place2 : node->place1;
        const cnVec3* moments = island->solve->bodies->principalInertia;
        double holder = other < 0 ? INFINITY : moments[island->bodies[node->bodies[other]].row].x;
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

static void AddJoint(cnDirectIsland* island, const cnSolverJoint* found) {
    CN_ASSERT(found->constraint >= 0 &&
              (island->solve->constraints->flags[found->constraint] & cn_constraintEnabled) != 0);
    const cnConstraint* joint = &island->solve->constraints->constraints[found->constraint];
    for (int part = 0; part < 2; ++part) {
        bool secondary = part == 1;
        int rowCount = cnJoint_CountRows(joint, secondary);
        if (rowCount == 0) {
            continue;
        }
        cnDirectNode* node = &island->nodes[island->nodeCount];
        // what contacts need, and what rows are made with, is left as it is
        node->constraint = found->constraint;
        node->contact = node->normals = -1;
        node->secondary = secondary;
        node->hasFixed = false;
        node->soft = false;
        node->bodyCount = 0;
        node->impulse = node->angularImpulse = cnVec3_zero;
        for (int i = 0; i < 4; ++i) {
            node->sides[i] = found->rows[i];
            node->places[i] = PlaceOf(island, node, found->rows[i]);
            node->hasFixed = node->hasFixed || (found->rows[i] >= 0 && node->places[i] < 0);
        }
        island->hasFixed = island->hasFixed || node->hasFixed;
        // gears pull at no anchors
        node->place1 = joint->partner1 >= 0 ? -1 : node->places[0];
        node->place2 = joint->partner1 >= 0 ? -1 : node->places[1];
        node->plain = !secondary && joint->partner1 < 0 && !cnJoint_IsSpring(joint) &&
                      !cnJoint_IsScrew(joint) && cnConstraint_SecondaryAt(joint, cn_slotScrew) == NULL;
        node->inLanes = node->plain && cnJoint_IsBallOfBodies(joint);
        node->hasSprings = !secondary && HasSprings(joint);
        node->hasAngles = !secondary && cnJoint_HasAngles(joint);
        node->usesAngles = node->hasAngles && UsesAngles(joint);
        island->hasLines =
            island->hasLines || (cnJoint_IsLine(joint) && !cnJoint_IsSpring(joint)) || cnDirect_Slides(joint);
        node->local1 = LocalArm(island, &joint->frame1, joint->body1);
        node->local2 = LocalArm(island, &joint->frame2, joint->body2);
        node->length1 = cnLength(node->local1);
        node->length2 = cnLength(node->local2);
        node->translations = cnJoint_CountTranslations(joint->type);
        NoteJoint(island, node, 0, joint);
        NoteJoint(island, node, 1, joint);
        FinishNode(island, node, rowCount);
    }
}

static cnDirectNode* StartContactNode(cnDirectIsland* island, int contact, int normals, int rowCount) {
    CN_ASSERT(contact >= 0 && contact < island->solve->contactCount);
    CN_ASSERT(normals >= -1 && normals < island->nodeCount);
    const cnPair* pair = &island->solve->pairs->pairs.data[island->solve->contacts[contact].pair];
    cnDirectNode* node = &island->nodes[island->nodeCount];
    *node = (cnDirectNode){
        .constraint = -1, .contact = contact, .normals = normals, .points = pair->manifold.pointCount};
    node->place1 = PlaceOf(island, node, pair->body1);
    node->place2 = PlaceOf(island, node, pair->body2);
    FinishNode(island, node, rowCount);
    return node;
}

// Whether every point's Σ is a sizeable part of its effect G M⁻¹ Gᵀ: then the contact may go into the mass blocks, which halves the system of
// a pile (sparse_factor.h). A pair that is soft stays so down to a part of the limit: each change means a new order. Sub-steps only raise Σ.
static bool IsSoftContact(const cnSolve* solve, int index) {
    CN_ASSERT(index >= 0 && index < solve->contactCount);
    const cnSolverContact* contact = &solve->contacts[index];
    cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    double sigma =
        cnSpookSigma(1.0 / material.youngsModulus, cnSpookGamma(material.damping, solve->h), solve->h);
    double limit = (pair->flags & cn_pairSoft) != 0 ? CN_SOFT_SHARE / CN_SOFT_RANGE : CN_SOFT_SHARE;
    bool isSoft = true;
    cnVec3 normal = cnToD(pair->manifold.normal);
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 j1 = cnCross(cnToD(pair->arm1[i]), normal), j2 = cnCross(cnToD(pair->arm2[i]), normal);
        double effect = cnRowEffect(&solve->solver.inverse[contact->body1],
                                    &solve->solver.inverse[contact->body2], normal, j1, j2);
        isSoft = isSoft && sigma > limit * effect;
    }
    pair->flags = (pair->flags & ~(uint32_t)cn_pairSoft) | (isSoft ? (uint32_t)cn_pairSoft : 0);
    return isSoft;
}

// Begins with the sets of the last step: what pressed presses.
static void AddNormals(cnDirectIsland* island, int contact) {
    const cnPair* pair = &island->solve->pairs->pairs.data[island->solve->contacts[contact].pair];
    cnDirectNode* node = StartContactNode(island, contact, -1, pair->manifold.pointCount);
    node->soft = IsSoftContact(island->solve, contact);
    for (int i = 0; i < node->points; ++i) {
        island->state[node->firstRow + i] = pair->impulse[i] > 0.0f ? cn_rowFree : cn_rowAtLower;
    }
    island->hasContacts = true;
}

static void AddFriction(cnDirectIsland* island, int normals) {
    CN_ASSERT(normals >= 0 && normals < island->nodeCount);
    CN_ASSERT(island->nodes[normals].contact >= 0 && island->nodes[normals].normals < 0);
    const cnSolve* solve = island->solve;
    int contact = island->nodes[normals].contact;
    const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[contact].pair];
    cnPairProperties material = cnResolvePair(solve->materials, solve->proxies->material[pair->proxy1],
                                              solve->proxies->material[pair->proxy2]);
    if (material.frictionModel != cn_frictionNone) {
        cnDirect_StartFriction(island, StartContactNode(island, contact, normals, 3));
    }
}

static cnDirectSlot* FindSlot(cnDirectPool* pool, int root, int hint) {
    CN_ASSERT(hint >= 0);
    for (int i = 0; i < pool->slots.count; ++i) {
        int at = (hint + i) % pool->slots.count;
        if (!pool->slots.data[at]->used && pool->slots.data[at]->root == root) {
            return pool->slots.data[at];
        }
    }
    for (int i = 0; i < pool->slots.count; ++i) {
        if (!pool->slots.data[i]->used) {
            return pool->slots.data[i];
        }
    }
    cnDirectSlot* fresh = cnAllocate(sizeof *fresh);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what the array holds
    if (fresh != NULL && !cnArray_Push(&pool->slots, fresh)) {
        cnFree(fresh, sizeof *fresh);
        fresh = NULL;
    }
    return fresh;
}

// Numbers of a topology for the factor.
static cnOrderResult SetTopology(cnDirectIsland* island, double flopLimit) {
    int bodies = 0;
    for (int n = 0; n < island->systemNodes; ++n) {
        const cnDirectNode* node = &island->nodes[n];
        CN_ASSERT(node->bodyCount >= 1 && node->bodyCount <= 4);
        island->rowStart[n] = node->firstRow;
        island->soft[n] = node->soft;
        island->bodyStart[n] = bodies;
        for (int i = 0; i < node->bodyCount; ++i) {
            island->nodeBodies[bodies++] = node->bodies[i];
        }
    }
    island->rowStart[island->systemNodes] = island->systemRows;
    island->bodyStart[island->systemNodes] = bodies;
    cnBlockTopology topology = {
        .bodyCount = island->bodyCount,
        .constraintCount = island->systemNodes,
        .rowStart = island->rowStart,
        .bodyStart = island->bodyStart,
        .bodies = island->nodeBodies,
        .soft = island->soft,
    };
    return cnSparseFactor_SetTopology(island->factor, &topology, flopLimit);
}

// ---- what can be read -----------------------------------------------------------------------------------------------

static double ScrewLead(const cnConstraint* joint) {
    return joint->secondaries[cn_slotScrew - cn_slotMotor].target;
}

static void AddForces(const cnDirectIsland* island, const cnDirectNode* node) {
    cnConstraintTable* table = island->solve->constraints;
    int c = node->constraint;
    const cnConstraint* joint = &table->constraints[c];
    double perStep = 1.0 / island->solve->h;
    table->force[c] = cnMulAdd(table->force[c], perStep, node->impulse);
    table->torque[c] = cnMulAdd(table->torque[c], perStep, node->angularImpulse);
    for (int i = 0; i < node->rowCount; ++i) {
        const cnDirectRow* row = &island->rows[node->firstRow + i];
        double force = perStep * row->sum;
        int slot = row->slot;
        if (node->plain) {
            table->dofForce[c].of[slot] += force;
            continue;
        }
        bool isScrew = slot == cn_slotScrew || (cnJoint_IsScrew(joint) && slot == cn_slotDof + 2);
        if (isScrew) {
            // along the axis λ, about it what is left of the moment
            table->dofForce[c].of[2] += force;
            table->dofForce[c].of[5] -= force * (slot == cn_slotScrew ? ScrewLead(joint) : joint->ratio);
        } else if (slot < 6) {
            table->dofForce[c].of[slot] += force;
        } else if (slot < cn_slotScrew) {
            int index = (slot - cn_slotMotor) % 2;
            cnConstraintPair* const columns[4] = {&table->motorForce[c], &table->lockForce[c],
                                                  &table->rangeForce[c], &table->frictionForce[c]};
            columns[(slot - cn_slotMotor) / 2]->of[index] += force;
            int dof = cnJoint_DofOfCoordinate(joint->type, index);
            table->dofForce[c].of[dof] += force;
        } else {
            table->rangeForce[c].of[slot - cn_slotCone] += force;
        }
    }
}

// ---- all of them ----------------------------------------------------------------------------------------------------

bool cnDirect_FindMembers(const cnSolve* solve, int count, int memberCount, const int* islands, size_t stride,
                          cnMembers* members) {
    CN_ASSERT(count >= 0 && memberCount >= 0 && stride >= sizeof(int));
    members->first = CN_PUSH(solve->stack, int, count + 1, "first members of islands");
    members->next = CN_PUSH(solve->stack, int, memberCount + 1, "members of islands");
    if (members->first == NULL || members->next == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        members->first[i] = -1;
    }
    for (int i = memberCount - 1; i >= 0; --i) {
        int island = *(const int*)((const char*)islands + (size_t)i * stride);
        CN_ASSERT(island >= -1 && island < count);
        if (island >= 0) {
            members->next[i] = members->first[island];
            members->first[island] = i;
        }
    }
    return true;
}

static bool FindContents(const cnSolve* solve, cnContents* contents) {
    const cnSolverJoint* joints = solve->joints;
    const cnSolverContact* contacts = solve->contacts;
    int count = solve->islandCount;
    return cnDirect_FindMembers(solve, count, solve->solver.count, solve->solver.island, sizeof(int),
                                &contents->bodies) &&
           cnDirect_FindMembers(solve, count, solve->jointCount, &joints->island, sizeof *joints,
                                &contents->joints) &&
           cnDirect_FindMembers(solve, count, solve->contactCount, &contacts->island, sizeof *contacts,
                                &contents->contacts);
}

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
        solve->solver.moved[index] = !island->ofImpacts;
    }
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

// Contacts are soft together: a wall with soft contacts between stiff ones makes fifty times the fill (joint_piles).
static void AgreeOnSoftness(cnDirectIsland* island) {
    bool allSoft = true;
    for (int n = 0; n < island->nodeCount; ++n) {
        allSoft = allSoft && (island->nodes[n].soft || island->nodes[n].contact < 0);
    }
    for (int n = 0; n < island->nodeCount; ++n) {
        island->nodes[n].soft = island->nodes[n].soft && allSoft;
    }
}

static void AddNodes(cnDirectIsland* island, const cnContents* contents, int number) {
    const cnSolve* solve = island->solve;
    AddJoints(island, &contents->joints, number, false);
    for (int c = contents->contacts.first[number]; c >= 0; c = contents->contacts.next[c]) {
        AddNormals(island, c);
    }
    AgreeOnSoftness(island);
    int nodes = island->nodeCount, rows = island->rowCount;
    for (int n = 0; n < nodes; ++n) {
        if (island->nodes[n].contact >= 0) {
            AddFriction(island, n);
        }
    }
    AddJoints(island, &contents->joints, number, true);
    bool isGroup = island->grouped || island->ofImpacts;
    island->split = !isGroup && solve->islands[number].solver == cn_islandSplit;
    bool isPart = (island->split || island->grouped) && !island->ofImpacts;
    island->systemNodes = isPart ? nodes : island->nodeCount;
    island->systemRows = isPart ? rows : island->rowCount;
    CN_ASSERT(island->systemNodes <= island->nodeCount && island->systemRows <= island->rowCount);
    island->sweeps = island->hasContacts || island->systemRows < island->rowCount || island->rowCount == 0;
}

cnOrderResult cnDirect_Assemble(cnDirectIsland* island, const cnContents* contents, int number, int hint,
                                double flopLimit) {
    CN_ASSERT(number >= 0 && hint >= 0);
    cnSolve* solve = island->solve;
    island->bodyCount = island->nodeCount = island->rowCount = island->numberCount = 0;
    island->hasContacts = island->hasExactCones = false;
    island->hasRotors = island->hasLimits = island->hasFixed = island->hasLines = false;
    island->ok = true;
    island->pivots = 0;
    AddBodies(island, &contents->bodies, number);
    CN_ASSERT(island->bodyCount >= 1);
    AddNodes(island, contents, number);
    FindTurns(island);
    FreeTheHeaviest(island);
    int root = island->ofImpacts ? ~island->bodies[0].row : island->bodies[0].row;
    cnDirectSlot* slot = FindSlot(solve->direct, root, hint);
    if (slot == NULL) {
        return cn_orderNoMemory;
    }
    slot->used = true;
    slot->root = root;
    island->factor = &slot->factor;
    island->overBudget = island->failed = false;
    island->statistics = (cnIslandStatistics){0};
    island->raised = 0.0;
    island->energy = (cnIslandEnergy){0};
    cnOrderResult result = SetTopology(island, flopLimit);
    island->flopsBefore = island->factor->statistics.flops;
    return result;
}

void cnDirect_ReportStatistics(const cnDirectIsland* island) {
    cnSolve* solve = island->solve;
    int number = solve->solver.island[island->bodies[0].index];
    CN_ASSERT(number >= 0 && number < solve->islandCount);
    cnIslandStatistics* sum = &solve->islands[number].statistics;
    const cnIslandStatistics* own = &island->statistics;
    const cnFactorStatistics* factor = &island->factor->statistics;
    sum->solver = island->grouped ? cn_islandGrouped : (island->split ? cn_islandSplit : cn_islandDirect);
    sum->substeps = island->grouped ? solve->substeps : own->substeps;
    sum->rows += island->systemRows;
    sum->nonZeros += factor->nonZeros;
    sum->predictedFlops += factor->predictedFlops;
    sum->flops += factor->flops - island->flopsBefore;
    sum->rounds += own->rounds;
    sum->pivots += own->pivots;
    sum->fallbacks += own->fallbacks;
    sum->residual = cnMax(sum->residual, own->residual);
    sum->repeats += own->repeats;
    sum->raised += island->raised;
}

void cnDirect_Report(const cnDirectIsland* island) {
    for (int n = 0; n < island->nodeCount; ++n) {
        if (island->nodes[n].constraint >= 0) {
            AddForces(island, &island->nodes[n]);
        } else {
            cnDirect_StoreContact(island, &island->nodes[n]);
        }
    }
}

void cnDirect_Fail(const cnDirectIsland* island) {
    CN_ASSERT(island->bodyCount >= 1);
    const cnBodyTable* bodies = island->solve->bodies;
    int fastest = island->bodies[0].index;
    double max = -1.0;
    for (int i = 0; i < island->bodyCount; ++i) {
        int row = island->bodies[i].row;
        double energy = cnBody_GetKineticEnergy(bodies, row) / bodies->mass[row];
        if (!(energy <= max)) {
            max = energy;
            fastest = island->bodies[i].index;
        }
    }
    island->solve->solver.failed[fastest] = 1;
}

// Gives cn_orderTooDear where the island has a budget and it does not suffice.
static cnOrderResult SolveOne(cnDirectIsland* island, const cnContents* contents, int number, int hint) {
    CN_ASSERT(cnIsland_IsFactorised(&island->solve->islands[number]));
    double limit = cnSolve_FactorBudget(island->solve, number);
    cnOrderResult result = cnDirect_Assemble(island, contents, number, hint, limit);
    if (result != cn_orderFound) {
        return result;
    }
    double predicted = island->factor->statistics.predictedFlops;
    island->flopLimit = cnSolve_StepBudget(island->solve, contents, number, predicted);
    if (!cnDirect_RunStep(island) || !island->ok) {
        return cn_orderNoMemory;
    }
    island->solve->jointWork -= island->statistics.substeps * cnDirect_SubstepWork(island);
    if (island->overBudget) {
        return cn_orderTooDear;
    }
    cnSolve_KeepWork(island->solve, contents, number, island->factor->statistics.flops - island->flopsBefore);
    cnDirect_ReportStatistics(island);
    if (island->failed) { // it stays where it was, less the body at fault
        cnDirect_Fail(island);
        return cn_orderFound;
    }
    cnDirect_Report(island);
    return cn_orderFound;
}

static int CountYielding(const cnSolve* solve, const int* rows, int count) {
    int yielding = 0;
    for (int i = 0; i < count; ++i) {
        yielding += rows[i] >= 0 && solve->solver.indexOfRow[rows[i]] != 0;
    }
    return yielding;
}

cnDirectSizes cnDirect_MeasureIsland(const cnSolve* solve, const cnContents* contents, int number) {
    cnDirectSizes sizes = {0};
    for (int i = contents->bodies.first[number]; i >= 0; i = contents->bodies.next[i]) {
        sizes.bodies += 1;
    }
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        const cnSolverJoint* joint = &solve->joints[j];
        const cnConstraint* constraint = &solve->constraints->constraints[joint->constraint];
        int rows = cnJoint_CountRows(constraint, false) + cnJoint_CountRows(constraint, true);
        sizes.nodes += 2;
        sizes.rows += rows;
        sizes.numbers += 6 * rows * CountYielding(solve, joint->rows, 4);
    }
    for (int c = contents->contacts.first[number]; c >= 0; c = contents->contacts.next[c]) {
        const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[c].pair];
        int rows = pair->manifold.pointCount + 3;
        sizes.nodes += 2;
        sizes.rows += rows;
        sizes.numbers += 6 * rows * CountYielding(solve, (const int[2]){pair->body1, pair->body2}, 2);
    }
    return sizes;
}

static int Larger(int a, int b) {
    return a > b ? a : b;
}

bool cnDirect_MakeRoom(cnDirectIsland* island, const cnDirectSizes* sizes) {
    CN_ASSERT(sizes->bodies >= 0 && sizes->nodes >= 0 && sizes->rows >= 0 && sizes->numbers >= 0);
    const cnSolve* solve = island->solve;
    cnStack* stack = solve->stack;
    int bodies = sizes->bodies, nodes = sizes->nodes, rows = sizes->rows;
    int unknowns = 6 * bodies + rows, rowsOfBodies = solve->bodies->ids.rowCount;
    island->bodies = CN_PUSH(stack, cnDirectBody, bodies, "direct bodies");
    island->nodes = CN_PUSH(stack, cnDirectNode, nodes, "direct nodes");
    island->rows = CN_PUSH(stack, cnDirectRow, rows, "direct rows");
    island->localOf = CN_PUSH(stack, int, solve->solver.count, "direct numbers of bodies");
    island->mass = CN_PUSH(stack, double, 18 * bodies, "direct masses");
    island->jacobian = CN_PUSH(stack, double, sizes->numbers, "direct Jacobian");
    island->sigma = CN_PUSH(stack, double, rows, "direct compliances");
    island->start = CN_PUSH(stack, double, 6 * bodies, "direct velocities");
    island->effect = CN_PUSH(stack, double, rows, "direct effects of rows");
    island->right = CN_PUSH(stack, double, unknowns, "direct right-hand side");
    island->solution = CN_PUSH(stack, double, unknowns, "direct solution");
    island->step = CN_PUSH(stack, double, unknowns, "direct correction");
    island->ahead = CN_PUSH(stack, double, rows, "violations ahead");
    island->lower = CN_PUSH(stack, double, rows, "least multipliers");
    island->upper = CN_PUSH(stack, double, rows, "most multipliers");
    island->before = CN_PUSH(stack, cnRowState, rows, "rows before");
    island->reactions = CN_PUSH(stack, cnReaction, rows, "reactions");
    island->swept = CN_PUSH(stack, double, rows, "swept multipliers");
    island->state = CN_PUSH(stack, uint8_t, rows, "sets of rows");
    island->soft = CN_PUSH(stack, uint8_t, nodes, "soft nodes");
    island->pushed = CN_PUSH(stack, uint8_t, nodes, "pushed nodes");
    island->rowStart = CN_PUSH(stack, int, nodes + 1, "direct row starts");
    island->bodyStart = CN_PUSH(stack, int, nodes + 1, "direct body starts");
    island->nodeBodies = CN_PUSH(stack, int, 4 * nodes, "direct node bodies");
    island->stiffness = CN_PUSH(stack, double, bodies, "stiffness");
    island->inverses = CN_PUSH(stack, cnInverseMass, bodies, "direct inverse masses");
    island->centres = CN_PUSH(stack, cnVec3, rowsOfBodies, "centres");
    island->trialCentres = CN_PUSH(stack, cnVec3, rowsOfBodies, "centres ahead");
    island->rotations = CN_PUSH(stack, cnQuat, rowsOfBodies, "rotations");
    island->trialRotations = CN_PUSH(stack, cnQuat, rowsOfBodies, "rotations ahead");
    const void* const made[] = {
        island->bodies,       island->nodes,     island->rows,           island->localOf,
        island->mass,         island->jacobian,  island->sigma,          island->effect,
        island->right,        island->solution,  island->step,           island->ahead,
        island->lower,        island->upper,     island->swept,          island->state,
        island->rowStart,     island->bodyStart, island->nodeBodies,     island->stiffness,
        island->trialCentres, island->rotations, island->trialRotations, island->centres,
        island->soft,         island->start,     island->before,         island->reactions,
        island->inverses,     island->pushed,
    };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i) {
        if (made[i] == NULL) {
            return false;
        }
    }
    return true;
}

bool cnSolveDirectIslands(cnSolve* solve) {
    bool any = false;
    for (int i = 0; i < solve->islandCount; ++i) {
        any = any || cnIsland_IsFactorised(&solve->islands[i]);
    }
    if (!any) {
        return true;
    }
    cnContents contents;
    cnDirectSizes largest = {0};
    cnDirectIsland island = {.solve = solve};
    if (!FindContents(solve, &contents)) {
        return false;
    }
    for (int number = 0; number < solve->islandCount; ++number) {
        if (cnIsland_IsFactorised(&solve->islands[number])) {
            cnDirectSizes sizes = cnDirect_MeasureIsland(solve, &contents, number);
            largest.bodies = Larger(largest.bodies, sizes.bodies);
            largest.nodes = Larger(largest.nodes, sizes.nodes);
            largest.rows = Larger(largest.rows, sizes.rows);
            largest.numbers = Larger(largest.numbers, sizes.numbers);
        }
    }
    if (!cnDirect_MakeRoom(&island, &largest)) {
        return false;
    }
    int solved = 0, left = 0;
    for (int number = 0; number < solve->islandCount; ++number) {
        left += cnIsland_IsFactorised(&solve->islands[number]);
    }
    for (int number = 0; number < solve->islandCount; ++number) {
        if (cnIsland_IsFactorised(&solve->islands[number])) {
            island.workLimit = cnSolve_ShareWork(solve, left--);
            cnOrderResult result = SolveOne(&island, &contents, number, solved);
            if (result == cn_orderNoMemory) {
                return false;
            }
            if (result == cn_orderTooDear) {
                cnSolve_MakeGrouped(solve, &contents, number);
            }
            solved += result == cn_orderFound;
        }
    }
    solve->statistics.directIslands = solved;
    return true;
}
