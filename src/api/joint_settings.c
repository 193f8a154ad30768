// Motors, locks, ranges, friction, cones, twists and screws of constraints, and what constraints did: the public functions.
#include "api/checks.h"
#include "api/constraints.h"
#include "api/handles.h"
#include "dynamics/joint.h"

#define CN_PI 3.14159265358979323846

// ---- settings -------------------------------------------------------------------------------------------------------

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

// Dofs whose settings secondaries begin with.
enum {
    cn_alongAxis = 2,
    cn_aboutSide = 3,
    cn_aboutAxis = 5,
};

// Compliance and damping are the constraint's, of that dof, unless they are given.
typedef struct Softness {
    uint32_t given;
    double compliance, damping;
} Softness;

static cnErrorCode CheckSoftness(const Softness* softness, const char* call) {
    if ((softness->given & cn_secondaryCompliance) != 0) {
        CN_TRY(cnCheckRange(softness->compliance, 0.0, 1e30, call, "compliance", "m/N or rad/(N m)"));
    }
    if ((softness->given & cn_secondaryDamping) != 0) {
        CN_TRY(cnCheckRange(softness->damping, 0.0, 1e30, call, "damping", "s"));
    }
    return CN_ERROR_NONE;
}

static cnRowSettings SettingsOf(const cnConstraint* joint, int dof, const Softness* softness) {
    const cnRowSettings* own = &joint->dofs[dof];
    // that of a damper, which has no stiffness, is none
    double compliance = own->compliance < INFINITY ? own->compliance : CN_DEFAULT_COMPLIANCE;
    return (cnRowSettings){
        .compliance = (softness->given & cn_secondaryCompliance) != 0 ? softness->compliance : compliance,
        .damping = (softness->given & cn_secondaryDamping) != 0 ? softness->damping : own->damping,
        .min = -INFINITY,
        .max = INFINITY,
    };
}

// A new position to hold, other bounds: what the last step did there is no start for the next.
static void Store(cnWorld* world, int row, int slot, const cnSecondary* secondary) {
    cnConstraint* joint = &world->constraints.constraints[row];
    uint32_t bit = 1u << slot, acts = secondary->given && secondary->enabled ? bit : 0;
    if ((joint->acting & bit) != acts) {
        joint->rows[slot] = (cnRowState){0};
        joint->acting ^= bit;
    }
    joint->secondaries[slot - cn_slotMotor] = *secondary;
}

cnErrorCode cnConstraint_SetMotor(cnWorldId worldId, cnConstraintId constraint, int index,
                                  const cnMotor* motor) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    CN_TRY(CheckIndex(joint, index, call));
    cnSecondary secondary = {0};
    if (motor != NULL) {
        CN_TRY(cnCheckRange(motor->speed, -1e30, 1e30, call, "motor.speed", "m/s or rad/s"));
        Softness rigid = {cn_secondaryCompliance | cn_secondaryDamping, 0.0, 0.0};
        secondary = (cnSecondary){.given = true,
                                  .enabled = !motor->disabled,
                                  .lockAtZeroSpeed = motor->lockAtZeroSpeed,
                                  .target = motor->speed,
                                  .row = SettingsOf(joint, cn_alongAxis, &rigid)};
        if ((motor->given & cn_secondaryForce) != 0) {
            CN_TRY(cnCheckInterval(motor->force, call, "motor.force"));
            secondary.row.min = motor->force[0];
            secondary.row.max = motor->force[1];
        }
        // a motor that stands still goes on holding where it does
        const cnSecondary* before = PeekSecondary(world, row, cn_slotMotor + index);
        bool stays = before->holds && motor->speed == 0.0 && motor->lockAtZeroSpeed;
        secondary.holds = stays;
        secondary.limits[0] = stays ? before->limits[0] : 0.0;
        world->constraints.constraints[row].rows[cn_slotMotor + index].active = stays;
    }
    Store(world, row, cn_slotMotor + index, &secondary);
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetLockAt(cnWorldId worldId, cnConstraintId constraint, int index,
                                   const cnLockAt* lockAt) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    CN_TRY(CheckIndex(joint, index, call));
    cnSecondary secondary = {0};
    if (lockAt != NULL) {
        Softness softness = {lockAt->given, lockAt->compliance, lockAt->damping};
        CN_TRY(cnCheckRange(lockAt->position, -1e30, 1e30, call, "lockAt.position", "m or rad"));
        CN_TRY(CheckSoftness(&softness, call));
        secondary =
            (cnSecondary){.given = true,
                          .enabled = !lockAt->disabled,
                          .target = lockAt->position,
                          .row = SettingsOf(joint, cnJoint_DofOfCoordinate(joint->type, index), &softness)};
        if ((lockAt->given & cn_secondaryForce) != 0) {
            CN_TRY(cnCheckInterval(lockAt->force, call, "lockAt.force"));
            secondary.row.min = lockAt->force[0];
            secondary.row.max = lockAt->force[1];
        }
    }
    Store(world, row, cn_slotLock + index, &secondary);
    return CN_ERROR_NONE;
}

static cnErrorCode CheckRangeDef(const cnConstraint* joint, int dof, const cnRange* range, const char* call,
                                 cnSecondary* secondary) {
    *secondary = (cnSecondary){0};
    if (range == NULL) {
        return CN_ERROR_NONE;
    }
    Softness softness = {range->given, range->compliance, range->damping};
    CN_TRY(CheckSoftness(&softness, call));
    bool limited = (range->given & cn_secondaryLimits) != 0;
    if (limited) {
        CN_TRY(cnCheckInterval(range->limits, call, "limits"));
    }
    *secondary = (cnSecondary){
        .given = true,
        .enabled = !range->disabled,
        .limits = {limited ? range->limits[0] : -INFINITY, limited ? range->limits[1] : INFINITY},
        .row = SettingsOf(joint, dof, &softness),
    };
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetRange(cnWorldId worldId, cnConstraintId constraint, int index,
                                  const cnRange* range) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    cnSecondary secondary;
    CN_TRY(CheckIndex(joint, index, call));
    CN_TRY(CheckRangeDef(joint, cnJoint_DofOfCoordinate(joint->type, index), range, call, &secondary));
    Store(world, row, cn_slotRange + index, &secondary);
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetCone(cnWorldId worldId, cnConstraintId constraint, const cnRange* cone) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    cnSecondary secondary;
    CN_TRY(CheckPart(joint, cn_hasCone, call));
    CN_TRY(CheckRangeDef(joint, cn_aboutSide, cone, call, &secondary));
    if (cone != NULL) {
        CN_TRY(cnCheckRange(secondary.limits[1], 0.0, CN_PI, call, "limits", "rad"));
        secondary.limits[0] = -INFINITY;
    }
    Store(world, row, cn_slotCone, &secondary);
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetTwist(cnWorldId worldId, cnConstraintId constraint, const cnRange* twist) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    cnSecondary secondary;
    CN_TRY(CheckPart(joint, cn_hasCone, call));
    CN_TRY(CheckRangeDef(joint, cn_aboutAxis, twist, call, &secondary));
    Store(world, row, cn_slotTwist, &secondary);
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetFriction(cnWorldId worldId, cnConstraintId constraint, int index,
                                     const cnJointFriction* friction) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    CN_TRY(CheckIndex(joint, index, call));
    cnSecondary secondary = {0};
    if (friction != NULL) {
        CN_TRY(cnCheckRange(friction->coefficient, 0.0, 1e30, call, "friction.coefficient", ""));
        double radius = (friction->given & cn_secondaryRadius) != 0 ? friction->radius : 1.0;
        CN_TRY(cnCheckRange(radius, 1e-30, 1e30, call, "friction.radius", "m"));
        CN_TRY(cnCheckRange(friction->force, 0.0, 1e30, call, "friction.force", "N or N m"));
        Softness rigid = {cn_secondaryCompliance | cn_secondaryDamping, 0.0, 0.0};
        secondary = (cnSecondary){.given = true,
                                  .enabled = !friction->disabled,
                                  .boundGiven = (friction->given & cn_secondaryForce) != 0,
                                  .coefficient = friction->coefficient,
                                  .radius = radius,
                                  .row = SettingsOf(joint, cn_alongAxis, &rigid)};
        secondary.row.max = friction->force;
    }
    Store(world, row, cn_slotFriction + index, &secondary);
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetScrew(cnWorldId worldId, cnConstraintId constraint, const cnScrew* screw) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    const cnConstraint* joint = &world->constraints.constraints[row];
    CN_TRY(CheckPart(joint, cn_hasScrew, call));
    cnSecondary secondary = {0};
    if (screw != NULL) {
        Softness softness = {screw->given, screw->compliance, screw->damping};
        CN_TRY(CheckSoftness(&softness, call));
        CN_TRY(cnCheckRange(screw->lead, -1e30, 1e30, call, "screw.lead", "m/rad"));
        secondary = (cnSecondary){.given = true,
                                  .enabled = !screw->disabled,
                                  .target = screw->lead,
                                  .row = SettingsOf(joint, cn_alongAxis, &softness)};
    }
    Store(world, row, cn_slotScrew, &secondary);
    return CN_ERROR_NONE;
}

// ---- settings, read back --------------------------------------------------------------------------------------------

// Row of the constraint and an index that it has, −1 with an error.
static int FindWithIndex(const cnWorld* world, cnConstraintId constraint, int index, const char* call) {
    int row = cnFindConstraint(world, constraint, call, "constraint");
    bool ok = row >= 0 && CheckIndex(&world->constraints.constraints[row], index, call) == CN_ERROR_NONE;
    return ok ? row : -1;
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
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    const cnSecondary* motor = row >= 0 ? PeekSecondary(world, row, cn_slotMotor + index) : NULL;
    if (motor == NULL || !motor->given) {
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
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    const cnSecondary* lock = row >= 0 ? PeekSecondary(world, row, cn_slotLock + index) : NULL;
    if (lock == NULL || !lock->given) {
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
    const cnWorld* world = cnFindWorld(worldId, call);
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
    const cnWorld* world = cnFindWorld(worldId, call);
    return ReadRange(world, FindWithPart(world, constraint, cn_hasCone, call), cn_slotCone);
}

cnRange cnConstraint_GetTwist(cnWorldId worldId, cnConstraintId constraint) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    return ReadRange(world, FindWithPart(world, constraint, cn_hasCone, call), cn_slotTwist);
}

cnScrew cnConstraint_GetScrew(cnWorldId worldId, cnConstraintId constraint) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
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
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    const cnSecondary* friction = row >= 0 ? PeekSecondary(world, row, cn_slotFriction + index) : NULL;
    if (friction == NULL || !friction->given) {
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

// ---- what it did ----------------------------------------------------------------------------------------------------

double cnConstraint_GetCoordinate(cnWorldId worldId, cnConstraintId constraint, int index) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
    int row = FindWithIndex(world, constraint, index, call);
    return row >= 0 ? world->constraints.coordinate[row].of[index] : 0.0;
}

double cnConstraint_GetSpeed(cnWorldId worldId, cnConstraintId constraint, int index) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
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
    const cnWorld* world = cnFindWorld(worldId, call);
    int row = FindWithBody(world, constraint, which, call);
    return row < 0 ? cnVec3_zero : cnScale(which == 1 ? 1.0 : -1.0, world->constraints.force[row]);
}

cnVec3 cnConstraint_GetTorque(cnWorldId worldId, cnConstraintId constraint, int which,
                              bool aboutCentreOfMass) {
    const char* call = __func__;
    const cnWorld* world = cnFindWorld(worldId, call);
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
