// Motors, locks, ranges, friction, cones, twists and screws of constraints, and what constraints did: the
// public functions.
#include "api/checks.h"
#include "api/handles.h"
#include "api/objects/constraints.h"
#include "api/objects/secondaries.h"
#include "dynamics/joint.h"
#include "world/adaptive_merging.h"
#include "world/sleep.h"

#include <string.h>

// ---- settings ---------------------------------------------------------------------------------------------

static const char* const freeDofTexts[3] = {"none", "0", "0 or 1"};

static cnErrorCode CheckIndex(const cnConstraint* joint, int index, const char* call) {
    const cnConstraintKind* kind = &cnConstraintKinds[joint->type];
    if (index < 0 || index >= kind->freeCount) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "index", "index is %d, allowed for a %s is %s", index,
                      kind->word, freeDofTexts[kind->freeCount]);
    }
    return CN_ERROR_NONE;
}

// The type that has a part of its own.
static cnErrorCode CheckPart(const cnConstraint* joint, uint32_t part, const char* call) {
    if (cnJoint_Has(joint, part)) {
        return CN_ERROR_NONE;
    }
    int owner = 0;
    while (owner < cn_constraintTypeCount - 1 && (cnConstraintKinds[owner].parts & part) == 0) {
        owner += 1;
    }
    return cnFail(CN_ERROR_OUT_OF_RANGE, call, "constraint", "constraint is a %s, allowed is a %s",
                  cnConstraintKinds[joint->type].word, cnConstraintKinds[owner].word);
}

static const cnSecondary* PeekSecondary(const cnWorld* world, int row, int slot) {
    return &world->constraints.constraints[row].secondaries[slot - cn_slotMotor];
}

// Of a constraint in its world.
static cnErrorCode Change(cnWorldId worldId, cnConstraintId constraint, cnSecondaryKey key, int index,
                          const void* def, const char* call) {
    CN_FIND_CONSTRAINT(call)
    cnConstraint* joint = &world->constraints.constraints[row];
    uint32_t part = cnSecondary_GetPart(key);
    CN_TRY(part == cn_hasFree ? CheckIndex(joint, index, call) : CheckPart(joint, part, call));
    const cnConstraint before = *joint;
    CN_TRY(cnSetSecondary(joint, key, index, def, call));
    if (world->adaptiveCount > 0 || cnConstraint_Rests(&world->constraints, &world->bodies, row)) {
        // who sets the same in every step lets it sleep, or stay merged
        cnConstraint after = *joint;
        memcpy(after.rows, before.rows, sizeof after.rows);
        if (cnFieldList_AreSame(cnConstraintFields, &before, &after)) {
            *joint = before;
        } else if (!cnIsChangeSmall(world, row, &before, &after)) {
            cnWakeConstraint(world, row);
        }
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetMotor(cnWorldId world, cnConstraintId constraint, int index,
                                  const cnMotor* motor) {
    return Change(world, constraint, cn_key_motor, index, motor, __func__);
}

cnErrorCode cnConstraint_SetLockAt(cnWorldId world, cnConstraintId constraint, int index,
                                   const cnLockAt* lockAt) {
    return Change(world, constraint, cn_key_lockAt, index, lockAt, __func__);
}

cnErrorCode cnConstraint_SetRange(cnWorldId world, cnConstraintId constraint, int index,
                                  const cnRange* range) {
    return Change(world, constraint, cn_key_range, index, range, __func__);
}

cnErrorCode cnConstraint_SetFriction(cnWorldId world, cnConstraintId constraint, int index,
                                     const cnJointFriction* friction) {
    return Change(world, constraint, cn_key_friction, index, friction, __func__);
}

cnErrorCode cnConstraint_SetCone(cnWorldId world, cnConstraintId constraint, const cnRange* cone) {
    return Change(world, constraint, cn_key_cone, 0, cone, __func__);
}

cnErrorCode cnConstraint_SetTwist(cnWorldId world, cnConstraintId constraint, const cnRange* twist) {
    return Change(world, constraint, cn_key_twist, 0, twist, __func__);
}

cnErrorCode cnConstraint_SetScrew(cnWorldId world, cnConstraintId constraint, const cnScrew* screw) {
    return Change(world, constraint, cn_key_screw, 0, screw, __func__);
}

// ---- settings, read back ----------------------------------------------------------------------------------

// Row of the constraint and an index that it has, −1 with an error.
static int FindWithIndex(const cnWorld* world, cnConstraintId constraint, int index, const char* call) {
    int row = cnFindConstraint(world, constraint, call, "constraint");
    bool ok = row >= 0 && CheckIndex(&world->constraints.constraints[row], index, call) == CN_ERROR_NONE;
    return ok ? row : -1;
}

// The secondary of an index, in the slot `first` and after it; null with an error, or where none is given.
static const cnSecondary* FindGiven(cnWorldId worldId, cnConstraintId constraint, int index, int first,
                                    const char* call) {
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    const cnSecondary* secondary = row >= 0 ? PeekSecondary(world, row, first + index) : NULL;
    return secondary != NULL && secondary->given ? secondary : NULL;
}

// The automatic damping is one that is not given.
static uint32_t GivenSoftness(const cnRowSettings* row) {
    return cn_secondaryCompliance | (row->damping >= 0.0 ? (uint32_t)cn_secondaryDamping : 0u);
}

static cnRange ReadRange(const cnWorld* world, int row, int slot) {
    const cnSecondary* range = row >= 0 ? PeekSecondary(world, row, slot) : NULL;
    if (range == NULL || !range->given) {
        return (cnRange){.disabled = true, .given = cn_secondaryLimits, .limits = {-INFINITY, INFINITY}};
    }
    return (cnRange){
        .disabled = !range->enabled,
        .given = cn_secondaryLimits | GivenSoftness(&range->row),
        .limits = {range->limits[0], range->limits[1]},
        .compliance = range->row.compliance,
        .damping = range->row.damping,
    };
}

cnMotor cnConstraint_GetMotor(cnWorldId worldId, cnConstraintId constraint, int index) {
    const cnSecondary* motor = FindGiven(worldId, constraint, index, cn_slotMotor, __func__);
    if (motor == NULL) {
        return (cnMotor){.disabled = true, .given = cn_secondaryForce, .force = {-INFINITY, INFINITY}};
    }
    return (cnMotor){
        .disabled = !motor->enabled,
        .given = cn_secondaryForce,
        .speed = motor->target,
        .force = {motor->row.min, motor->row.max},
        .lockAtZeroSpeed = motor->lockAtZeroSpeed,
    };
}

cnLockAt cnConstraint_GetLockAt(cnWorldId worldId, cnConstraintId constraint, int index) {
    const cnSecondary* lock = FindGiven(worldId, constraint, index, cn_slotLock, __func__);
    if (lock == NULL) {
        return (cnLockAt){.disabled = true, .given = cn_secondaryForce, .force = {-INFINITY, INFINITY}};
    }
    return (cnLockAt){
        .disabled = !lock->enabled,
        .given = cn_secondaryForce | GivenSoftness(&lock->row),
        .position = lock->target,
        .force = {lock->row.min, lock->row.max},
        .compliance = lock->row.compliance,
        .damping = lock->row.damping,
    };
}

cnRange cnConstraint_GetRange(cnWorldId worldId, cnConstraintId constraint, int index) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    return ReadRange(world, row, cn_slotRange + index);
}

// Row of a constraint of a type that has the part, −1 with an error.
static int FindWithPart(const cnWorld* world, cnConstraintId constraint, uint32_t part, const char* call) {
    int row = cnFindConstraint(world, constraint, call, "constraint");
    bool ok = row >= 0 && CheckPart(&world->constraints.constraints[row], part, call) == CN_ERROR_NONE;
    return ok ? row : -1;
}

cnRange cnConstraint_GetCone(cnWorldId worldId, cnConstraintId constraint) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    return ReadRange(world, FindWithPart(world, constraint, cn_hasCone, call), cn_slotCone);
}

cnRange cnConstraint_GetTwist(cnWorldId worldId, cnConstraintId constraint) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    return ReadRange(world, FindWithPart(world, constraint, cn_hasCone, call), cn_slotTwist);
}

cnScrew cnConstraint_GetScrew(cnWorldId worldId, cnConstraintId constraint) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithPart(world, constraint, cn_hasScrew, call);
    const cnSecondary* screw = row >= 0 ? PeekSecondary(world, row, cn_slotScrew) : NULL;
    if (screw == NULL || !screw->given) {
        return (cnScrew){.disabled = true};
    }
    return (cnScrew){
        .disabled = !screw->enabled,
        .given = GivenSoftness(&screw->row),
        .lead = screw->target,
        .compliance = screw->row.compliance,
        .damping = screw->row.damping,
    };
}

cnJointFriction cnConstraint_GetFriction(cnWorldId worldId, cnConstraintId constraint, int index) {
    const cnSecondary* friction = FindGiven(worldId, constraint, index, cn_slotFriction, __func__);
    if (friction == NULL) {
        return (cnJointFriction){.disabled = true, .given = cn_secondaryRadius, .radius = 1.0};
    }
    return (cnJointFriction){
        .disabled = !friction->enabled,
        .given = cn_secondaryRadius | (friction->boundGiven ? (uint32_t)cn_secondaryForce : 0u),
        .coefficient = friction->coefficient,
        .radius = friction->radius,
        .force = friction->row.max,
    };
}

// ---- what it did ------------------------------------------------------------------------------------------

double cnConstraint_GetCoordinate(cnWorldId worldId, cnConstraintId constraint, int index) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    return row >= 0 ? world->constraints.coordinate[row].of[index] : 0.0;
}

double cnConstraint_GetSpeed(cnWorldId worldId, cnConstraintId constraint, int index) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    return row >= 0 ? world->constraints.speed[row].of[index] : 0.0;
}

// Row of a constraint asked for one of its bodies, −1 with an error.
static int FindWithBody(const cnWorld* world, cnConstraintId constraint, int which, const char* call) {
    int row = cnFindConstraint(world, constraint, call, "constraint");
    if (row >= 0 && which != 1 && which != 2) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "which", "which is %d, allowed is 1 (first body) or 2", which);
        return -1;
    }
    return row;
}

cnVec3 cnConstraint_GetForce(cnWorldId worldId, cnConstraintId constraint, int which) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithBody(world, constraint, which, call);
    return row < 0 ? cnVec3_zero : cnScale(which == 1 ? 1.0 : -1.0, world->constraints.force[row]);
}

cnVec3 cnConstraint_GetTorque(cnWorldId worldId, cnConstraintId constraint, int which,
                              bool aboutCentreOfMass) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    int row = FindWithBody(world, constraint, which, call);
    if (row < 0) {
        return cnVec3_zero;
    }
    const cnConstraintTable* table = &world->constraints;
    const cnConstraint* joint = &table->constraints[row];
    cnJointView view = {&world->bodies, world->bodies.centreOfMass, world->bodies.rotation};
    cnJointFrames frames = cnJoint_Place(joint, &view);
    cnVec3 force = table->force[row], torque = table->torque[row];
    if (which == 2) {
        // the reaction, moved from the first attachment point to the second
        cnVec3 apart = cnSub(frames.point1, frames.point2);
        torque = cnNeg(cnAdd(torque, cnCross(apart, force)));
        force = cnNeg(force);
    }
    return aboutCentreOfMass ? cnAdd(torque, cnCross(which == 1 ? frames.arm1 : frames.arm2, force)) : torque;
}

double cnConstraint_GetDofForce(cnWorldId worldId, cnConstraintId constraint, int dof) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, 0.0)
    if (dof < 0 || dof > 5) {
        cnFail(CN_ERROR_OUT_OF_RANGE, call, "dof", "dof is %d, allowed is 0 to 5", dof);
        return 0.0;
    }
    return world->constraints.dofForce[row].of[dof];
}

cnSecondaryForces cnConstraint_GetSecondaryForces(cnWorldId worldId, cnConstraintId constraint, int index) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, (cnSecondaryForces){0})
    const cnConstraintTable* table = &world->constraints;
    bool isBall = cnJoint_Has(&table->constraints[row], cn_hasCone);
    if (isBall ? index < 0 || index > 1
               : CheckIndex(&table->constraints[row], index, call) != CN_ERROR_NONE) {
        return (cnSecondaryForces){0};
    }
    return (cnSecondaryForces){
        .motor = table->motorForce[row].of[index],
        .lock = table->lockForce[row].of[index],
        .range = table->rangeForce[row].of[index],
        .friction = table->frictionForce[row].of[index],
    };
}

double cnConstraint_GetViolation(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, 0.0)
    return cnMax(world->constraints.gap[row], world->constraints.misalignment[row]);
}
