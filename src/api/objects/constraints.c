// Constraints: the public functions.
#include "api/objects/constraints.h"
#include "api/checks.h"
#include "api/handles.h"
#include "api/objects/secondaries.h"
#include "base/report/format.h"
#include "dynamics/joint.h"
#include "world/adaptive_merging.h"
#include "world/sleep.h"
#include "world/world.h"

#include <stddef.h>
#include <string.h>

#define CN_AUTOMATIC_DAMPING (-1.0)

// ---- checks -----------------------------------------------------------------------------------------------

static cnErrorCode CheckNotZero(double value, const char* call, const char* argument, const char* unit) {
    CN_TRY(cnCheckRange(value, -1e30, 1e30, call, argument, unit));
    return value != 0.0 ? CN_ERROR_NONE
                        : cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is 0, allowed is another number",
                                 argument);
}

enum {
    is_optional = 0,
    is_needed = 1,
};

#define KIND_positive cn_numberPositive
#define KIND_notNegative cn_numberNotNegative
#define KIND_notZero cn_numberNotZero

#define SKIP(...)
#define NUMBER(key, part, need, kind, unit, fallback, text, given)                                           \
    {"def." #key, unit, part, given, offsetof(cnConstraintDef, key), KIND_##kind, is_##need},

const cnNumberParameter cnNumberParameters[] = {CN_CONSTRAINT_PARAMETERS(SKIP, NUMBER)};
const int cnNumberParameterCount = sizeof cnNumberParameters / sizeof cnNumberParameters[0];

static cnErrorCode CheckNumbers(const cnConstraintDef* def, const char* call) {
    for (int i = 0; i < cnNumberParameterCount; ++i) {
        const cnNumberParameter* parameter = &cnNumberParameters[i];
        if ((cnConstraintKinds[def->type].parts & parameter->part) != parameter->part ||
            (def->given & parameter->given) != parameter->given) {
            continue;
        }
        double value;
        memcpy(&value, (const char*)def + parameter->offset, sizeof value);
        CN_TRY(parameter->kind == cn_numberNotZero
                   ? CheckNotZero(value, call, parameter->argument, parameter->unit)
                   : cnCheckRange(value, 0.0, 1e30, call, parameter->argument, parameter->unit));
    }
    return CN_ERROR_NONE;
}

// Names of the types with such a coordinate, with commas between them.
static void ListPartners(bool linear, char* text, size_t size) {
    size_t length = 0;
    for (int type = 0; type < cn_constraintTypeCount && length < size; ++type) {
        if (cnJoint_CoordinateOfKind((cnConstraintType)type, linear) >= 0) {
            length += (size_t)cnFormat(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       cnConstraintKinds[type].word);
        }
    }
}

static cnErrorCode CheckPartner(const cnWorld* world, cnConstraintId id, bool linear, const char* call,
                                const char* argument, int* partner) {
    *partner = cnFindConstraint(world, id, call, argument);
    if (*partner < 0) {
        return cnGetLastError()->code;
    }
    cnConstraintType type = world->constraints.constraints[*partner].type;
    if (cnJoint_CoordinateOfKind(type, linear) < 0) {
        char able[128] = "";
        ListPartners(linear, able, sizeof able);
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is a %s, allowed is one with %s: %s",
                      argument, cnConstraintKinds[type].word, linear ? "a position" : "an angle", able);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckPartners(const cnWorld* world, const cnConstraintDef* def, const char* call,
                                 cnConstraint* joint) {
    bool isRack = cnJoint_Has(joint, cn_hasRadius);
    CN_TRY(CheckPartner(world, def->constraint1, false, call, "def.constraint1", &joint->partner1));
    CN_TRY(CheckPartner(world, def->constraint2, isRack, call, "def.constraint2", &joint->partner2));
    if (joint->partner1 == joint->partner2) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.constraint2",
                      "def.constraint2 is def.constraint1, allowed is another one");
    }
    joint->ratio = isRack ? def->radius : def->ratio;
    return CN_ERROR_NONE;
}

static cnErrorCode CheckBodies(const cnWorld* world, const cnConstraintDef* def, const char* call,
                               cnConstraint* joint) {
    joint->body1 = cnFindBody(world, def->body1, call, "def.body1");
    if (joint->body1 < 0) {
        return cnGetLastError()->code;
    }
    if (!CN_IS_NULL(def->body2)) {
        joint->body2 = cnFindBody(world, def->body2, call, "def.body2");
        if (joint->body2 < 0) {
            return cnGetLastError()->code;
        }
    }
    return joint->body1 != joint->body2 ? CN_ERROR_NONE
                                        : cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.body2",
                                                 "def.body2 is def.body1, allowed is another");
}

// ---- frames -----------------------------------------------------------------------------------------------

static cnErrorCode CheckDirection(cnVec3 v, const char* call, const char* argument, cnVec3* unit) {
    CN_TRY(cnCheckVec(v, call, argument));
    double length = cnLength(v);
    if (!(length > 1e-30)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, argument, "%s is zero, allowed is any direction",
                      argument);
    }
    *unit = cnScale(1.0 / length, v);
    return CN_ERROR_NONE;
}

// A world frame with n along the axis and u along the reference.
static cnErrorCode MakeAxes(const cnConstraintDef* def, const char* call, cnQuat* axes) {
    cnVec3 n = {0.0, 0.0, 1.0};
    if ((def->given & cn_constraintAxis) != 0) {
        CN_TRY(CheckDirection(def->axis, call, "def.axis", &n));
    }
    cnVec3 u = cnMinAxis(n);
    if ((def->given & cn_constraintReference) != 0) {
        CN_TRY(CheckDirection(def->reference, call, "def.reference", &u));
        double along = cnDot(u, n);
        if (cnJoint_HoldsCross(def->type) && !(fabs(along) <= 1e-6)) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.reference",
                          "def.reference is not orthogonal to def.axis, allowed is a cosine up to 1e-6");
        }
        if (!(cnLength(cnCross(u, n)) > 1e-9)) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.reference",
                          "def.reference is along def.axis, allowed is another direction");
        }
    }
    u = cnNormalize(cnMulAdd(u, -cnDot(u, n), n));
    *axes = cnNormalizeQuat(cnQuatFromMat((cnMat33){u, cnCross(n, u), n}));
    return CN_ERROR_NONE;
}

// Fixes a world frame in a body, or the world.
static cnAttachment Attach(const cnBodyTable* bodies, int body, cnVec3 point, cnQuat axes) {
    if (body < 0) {
        return (cnAttachment){point, axes};
    }
    cnPose frame = {bodies->position[body], bodies->rotation[body]};
    return (cnAttachment){
        cnInvTransformPoint(frame, point),
        cnNormalizeQuat(cnMulQuat(cnConjugate(bodies->rotation[body]), axes)),
    };
}

static cnErrorCode CheckFrames(const cnWorld* world, const cnConstraintDef* def, const char* call,
                               cnConstraint* joint) {
    const cnBodyTable* bodies = &world->bodies;
    CN_TRY(cnCheckVec(def->anchor, call, "def.anchor"));
    cnVec3 anchor =
        (def->given & cn_constraintAnchor) != 0 ? def->anchor : bodies->centreOfMass[joint->body1];
    cnVec3 anchor2 = anchor;
    cnQuat axes = cnQuat_identity;
    if (cnJoint_Has(joint, cn_hasAnchors)) {
        CN_TRY(cnCheckVec(def->anchor2, call, "def.anchor2"));
        anchor2 = def->anchor2;
        bool isGiven = (def->given & cn_constraintLength) != 0;
        joint->length = isGiven ? def->length : cnLength(cnSub(anchor, anchor2));
    } else {
        CN_TRY(MakeAxes(def, call, &axes));
    }
    joint->frame1 = joint->attached1 = Attach(bodies, joint->body1, anchor, axes);
    joint->frame2 = joint->attached2 = Attach(bodies, joint->body2, anchor2, axes);
    return CN_ERROR_NONE;
}

// ---- creation ---------------------------------------------------------------------------------------------

// The law of a spring, of stiffness 0 that of a damper.
static void SetLaw(double stiffness, double damping, cnConstraint* joint, cnRowSettings* row) {
    bool isDamper = !(stiffness > 0.0);
    row->compliance = isDamper ? INFINITY : 1.0 / stiffness;
    row->damping = isDamper ? CN_AUTOMATIC_DAMPING : damping / stiffness;
    joint->viscosity = isDamper ? damping : 0.0;
}

static cnErrorCode CheckSpring(const cnConstraintDef* def, const char* call, cnConstraint* joint,
                               cnRowSettings* all) {
    CN_TRY(cnCheckRange(def->viscosity, 0.0, 1e30, call, "def.viscosity", "N s/m"));
    SetLaw(def->stiffness, def->viscosity, joint, all);
    return CN_ERROR_NONE;
}

// Rows as `all`, but for what the definition says of each.
static cnErrorCode SetDofs(const cnConstraintDef* def, const char* call, const cnRowSettings* all,
                           cnConstraint* joint) {
    for (int dof = 0; dof < 6; ++dof) {
        const cnDofDef* own = &def->dofs[dof];
        cnRowSettings* row = &joint->dofs[dof];
        char argument[32];
        *row = *all;
        if ((own->given & cn_dofCompliance) != 0) {
            cnFormat(argument, sizeof argument, "def.dofs[%d].compliance", dof);
            CN_TRY(cnCheckRange(own->compliance, 0.0, 1e30, call, argument, "m/N or rad/(N m)"));
            row->compliance = own->compliance;
        }
        if ((own->given & cn_dofDamping) != 0) {
            cnFormat(argument, sizeof argument, "def.dofs[%d].damping", dof);
            CN_TRY(cnCheckRange(own->damping, 0.0, 1e30, call, argument, "s"));
            row->damping = own->damping;
        }
        if ((own->given & cn_dofForceRange) != 0) {
            cnFormat(argument, sizeof argument, "def.dofs[%d].forceRange", dof);
            CN_TRY(cnCheckInterval(own->forceRange, call, argument));
            row->min = own->forceRange[0];
            row->max = own->forceRange[1];
        }
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckDef(const cnWorld* world, const cnConstraintDef* def, const char* call,
                            cnConstraint* joint) {
    if (def == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "def", "def is null");
    }
    if ((int)def->type < 0 || def->type >= cn_constraintTypeCount) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.type", "def.type is %d, allowed is 0 to %d",
                      (int)def->type, cn_constraintTypeCount - 1);
    }
    if ((int)def->solve < 0 || def->solve > cn_solveDirectAndIterative) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "def.solve", "def.solve is %d, allowed is 0 to 2",
                      (int)def->solve);
    }
    CN_TRY(CheckNumbers(def, call));
    cnRowSettings all = {CN_DEFAULT_COMPLIANCE, CN_AUTOMATIC_DAMPING, -INFINITY, INFINITY};
    if ((def->given & cn_constraintCompliance) != 0) {
        CN_TRY(cnCheckRange(def->compliance, 0.0, 1e30, call, "def.compliance", "m/N"));
        all.compliance = def->compliance;
    }
    if ((def->given & cn_constraintDamping) != 0) {
        CN_TRY(cnCheckRange(def->damping, 0.0, 1e30, call, "def.damping", "s"));
        all.damping = def->damping;
    }
    *joint = (cnConstraint){
        .type = def->type,
        .solve = def->solve,
        .body1 = -1,
        .body2 = -1,
        .partner1 = -1,
        .partner2 = -1,
        .firstCoupling = -1,
    };
    if (cnJoint_Has(joint, cn_hasPartners)) {
        CN_TRY(CheckPartners(world, def, call, joint));
    } else {
        CN_TRY(CheckBodies(world, def, call, joint));
        CN_TRY(CheckFrames(world, def, call, joint));
    }
    if (cnJoint_IsScrew(joint)) {
        joint->ratio = def->lead;
    }
    if (cnJoint_IsSpring(joint)) {
        CN_TRY(CheckSpring(def, call, joint, &all));
    }
    CN_TRY(SetDofs(def, call, &all, joint));
    return cnSetSecondaries(joint, def, call);
}

static cnJointView ViewOf(const cnWorld* world) {
    return (cnJointView){&world->bodies, world->bodies.centreOfMass, world->bodies.rotation};
}

// The flag spares every step a look at them.
static void SetBreakLimits(cnConstraintTable* table, int row, double force, double torque) {
    table->constraints[row].breakForce = force;
    table->constraints[row].breakTorque = torque;
    table->flags[row] &= ~(uint32_t)cn_constraintBreakable;
    table->flags[row] |= force > 0.0 || torque > 0.0 ? cn_constraintBreakable : 0u;
}

// Coordinates as they stand, and couplings that hold in this pose.
static void BeginCoordinates(cnWorld* world, int row) {
    cnConstraintTable* table = &world->constraints;
    cnConstraint* joint = &table->constraints[row];
    cnJointView view = ViewOf(world);
    table->coordinate[row] = table->speed[row] = (cnConstraintPair){{0.0, 0.0}};
    if (cnJoint_Has(joint, cn_hasPartners)) {
        cnHeldRow held[6];
        cnJointFrames frames;
        cnJoint_FindHeld(table, joint, &view, held, &frames);
        joint->offset = held[0].violation;
        return;
    }
    cnJointFrames frames = cnJoint_Place(joint, &view);
    for (int i = 0; i < cnConstraintKinds[joint->type].freeCount; ++i) {
        cnGradient gradient;
        cnJoint_FindCoordinate(joint, &frames, i, &table->coordinate[row].of[i], &gradient);
    }
}

cnConstraintId cnCreateConstraint(cnWorldId worldId, const cnConstraintDef* def) {
    const char* call = __func__;
    cnConstraintId none = {0};
    cnWorld* world = cnFindWorld(worldId, call);
    cnConstraint joint = {0};
    if (world == NULL || CheckDef(world, def, call, &joint) != CN_ERROR_NONE) {
        return none;
    }
    cnConstraintTable* table = &world->constraints;
    bool hasRoom = cnTable_Reserve(table, &cnConstraintColumns, table->ids.rowCount + 1) &&
                   cnArray_Reserve(&world->broken, table->capacity);
    int row = cnAcquireRow(world, &table->ids, hasRoom, "constraints", call);
    if (row < 0) {
        return none;
    }
    cnConstraintId constraint = {cnIdPool_ValueOf(&table->ids, row)};
    table->constraints[row] = joint;
    table->handle[row] = constraint.value;
    table->flags[row] = cn_constraintLive | cn_constraintFresh | (def->disabled ? 0u : cn_constraintEnabled) |
                        (def->collideConnected ? cn_constraintCollides : 0u) |
                        (def->unmergeable ? cn_constraintUnmergeable : 0u) |
                        (def->unsplittable ? cn_constraintUnsplittable : 0u);
    SetBreakLimits(table, row, def->breakForce, def->breakTorque);
    table->type[row] = (int32_t)def->type;
    table->body1[row] = joint.body1;
    table->body2[row] = joint.body2;
    cnConstraint_ClearForces(table, row);
    table->gap[row] = table->misalignment[row] = 0.0;
    cnConstraint_Link(table, &world->bodies, row);
    cnConstraint_Redirect(table, &world->bodies, row);
    BeginCoordinates(world, row);
    cnWakeConstraint(world, row);
    cnSwitchContacts(world, row);
    cnWorld_PublishTables(world);
    return constraint;
}

cnErrorCode cnDestroyConstraint(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT(__func__)
    cnRemoveConstraint(world, row);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnConstraint_IsValid(cnWorldId worldId, cnConstraintId constraint) {
    const cnWorld* world = cnLookUpWorld(worldId);
    return world != NULL && cnIdPool_Find(&world->constraints.ids, constraint.value) >= 0;
}

cnConstraintType cnConstraint_GetType(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, cn_constraintBall)
    return world->constraints.constraints[row].type;
}

static cnErrorCode CheckWhich(int which, const char* call) {
    return which == 1 || which == 2 ? CN_ERROR_NONE
                                    : cnFail(CN_ERROR_OUT_OF_RANGE, call, "which",
                                             "which is %d, allowed is 1 (first body) or 2", which);
}

cnBodyId cnConstraint_GetBody(cnWorldId worldId, cnConstraintId constraint, int which) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, (cnBodyId){0})
    if (CheckWhich(which, call) != CN_ERROR_NONE) {
        return (cnBodyId){0};
    }
    const cnConstraintTable* table = &world->constraints;
    return cnBodyIdOf(world, which == 1 ? table->body1[row] : table->body2[row]);
}

cnConstraintId cnConstraint_GetPartner(cnWorldId worldId, cnConstraintId constraint, int which) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, (cnConstraintId){0})
    if (CheckWhich(which, call) != CN_ERROR_NONE) {
        return (cnConstraintId){0};
    }
    const cnConstraint* joint = &world->constraints.constraints[row];
    int partner = which == 1 ? joint->partner1 : joint->partner2;
    return (cnConstraintId){partner >= 0 ? world->constraints.handle[partner] : 0};
}

cnPose cnConstraint_GetFrame(cnWorldId worldId, cnConstraintId constraint, int which) {
    const char* call = __func__;
    cnPose none = {cnVec3_zero, cnQuat_identity};
    CN_FIND_CONSTRAINT_OR(call, none)
    const cnConstraint* joint = &world->constraints.constraints[row];
    if (CheckWhich(which, call) != CN_ERROR_NONE || cnJoint_Has(joint, cn_hasPartners)) {
        return none;
    }
    cnJointView view = ViewOf(world);
    cnJointFrames frames = cnJoint_Place(joint, &view);
    return which == 1 ? (cnPose){frames.point1, frames.rotation1} : (cnPose){frames.point2, frames.rotation2};
}

double cnConstraint_GetRatio(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, 0.0)
    return world->constraints.constraints[row].ratio;
}

cnErrorCode cnConstraint_SetTarget(cnWorldId worldId, cnConstraintId constraint, cnVec3 target) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    CN_TRY(cnCheckVec(target, call, "target"));
    cnConstraint* joint = &world->constraints.constraints[row];
    if (joint->body1 < 0 || world->constraints.body2[row] >= 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "constraint",
                      "constraint has no attachment in the world: its second body must be the world");
    }
    cnVec3 before = joint->attached2.point;
    if (before.x == target.x && before.y == target.y && before.z == target.z) {
        return CN_ERROR_NONE;
    }
    cnWakeConstraint(world, row);
    joint->attached2.point = joint->frame2.point = target;
    joint->lastStep = 0.0; // the gap that it had is not on the way to this one
    joint->startsAtRest = false;
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetEnabled(cnWorldId worldId, cnConstraintId constraint, bool enabled) {
    CN_FIND_CONSTRAINT(__func__)
    cnSetConstraintEnabled(world, row, enabled);
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetMergeable(cnWorldId worldId, cnConstraintId constraint, bool mergeable) {
    CN_FIND_CONSTRAINT(__func__)
    bool was = (world->constraints.flags[row] & cn_constraintUnmergeable) == 0;
    cnSetFlag(&world->constraints.flags[row], cn_constraintUnmergeable, !mergeable);
    if (was && !mergeable) {
        cnDisturbConstraint(world, row);
    }
    return CN_ERROR_NONE;
}

bool cnConstraint_IsMergeable(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, false)
    return (world->constraints.flags[row] & cn_constraintUnmergeable) == 0;
}

cnErrorCode cnConstraint_SetSplittable(cnWorldId worldId, cnConstraintId constraint, bool splittable) {
    CN_FIND_CONSTRAINT(__func__)
    cnSetFlag(&world->constraints.flags[row], cn_constraintUnsplittable, !splittable);
    return CN_ERROR_NONE;
}

bool cnConstraint_IsSplittable(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, false)
    return (world->constraints.flags[row] & cn_constraintUnsplittable) == 0;
}

int cnWorld_GetBrokenCount(cnWorldId worldId) {
    const cnWorld* world = cnReadWorld(worldId, __func__);
    return world != NULL ? world->broken.count : 0;
}

cnConstraintId cnWorld_GetBrokenConstraint(cnWorldId worldId, int index) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    if (world == NULL) {
        return (cnConstraintId){0};
    }
    cnErrorCode code = cnCheckIndex(index, world->broken.count, call, "index",
                                    "the constraints that broke in the last step");
    return code == CN_ERROR_NONE ? world->broken.data[index] : (cnConstraintId){0};
}

bool cnConstraint_IsEnabled(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, false)
    return (world->constraints.flags[row] & cn_constraintEnabled) != 0;
}

// ---- settings of rows -------------------------------------------------------------------------------------

static cnErrorCode CheckDof(int dof, int min, const char* call) {
    return dof >= min && dof < 6
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_RANGE, call, "dof", "dof is %d, allowed is %d to 5%s", dof, min,
                        min < 0 ? " (-1 for all)" : "");
}

// The rows that a dof stands for: one, or all.
#define CN_FOR_DOFS(d, dof) for (int d = (dof) < 0 ? 0 : (dof), end = (dof) < 0 ? 6 : (dof) + 1; d < end; ++d)

cnErrorCode cnConstraint_SetCompliance(cnWorldId worldId, cnConstraintId constraint, int dof,
                                       double compliance) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    CN_TRY(CheckDof(dof, -1, call));
    CN_TRY(cnCheckRange(compliance, 0.0, 1e30, call, "compliance", "m/N or rad/(N m)"));
    cnWakeConstraint(world, row);
    CN_FOR_DOFS(d, dof) {
        world->constraints.constraints[row].dofs[d].compliance = compliance;
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetDamping(cnWorldId worldId, cnConstraintId constraint, int dof, double damping) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    CN_TRY(CheckDof(dof, -1, call));
    CN_TRY(cnCheckRange(damping, 0.0, 1e30, call, "damping", "s"));
    cnWakeConstraint(world, row);
    CN_FOR_DOFS(d, dof) {
        world->constraints.constraints[row].dofs[d].damping = damping;
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnConstraint_SetForceRange(cnWorldId worldId, cnConstraintId constraint, int dof, double min,
                                       double max) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    CN_TRY(CheckDof(dof, -1, call));
    CN_TRY(cnCheckInterval((const double[2]){min, max}, call, "min"));
    cnWakeConstraint(world, row);
    CN_FOR_DOFS(d, dof) {
        world->constraints.constraints[row].dofs[d].min = min;
        world->constraints.constraints[row].dofs[d].max = max;
    }
    return CN_ERROR_NONE;
}

double cnConstraint_GetCompliance(cnWorldId worldId, cnConstraintId constraint, int dof) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, 0.0)
    return CheckDof(dof, 0, call) == CN_ERROR_NONE ? world->constraints.constraints[row].dofs[dof].compliance
                                                   : 0.0;
}

double cnConstraint_GetMinForce(cnWorldId worldId, cnConstraintId constraint, int dof) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, -INFINITY)
    return CheckDof(dof, 0, call) == CN_ERROR_NONE ? world->constraints.constraints[row].dofs[dof].min
                                                   : -INFINITY;
}

double cnConstraint_GetMaxForce(cnWorldId worldId, cnConstraintId constraint, int dof) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, INFINITY)
    return CheckDof(dof, 0, call) == CN_ERROR_NONE ? world->constraints.constraints[row].dofs[dof].max
                                                   : INFINITY;
}

cnConstraintSolve cnConstraint_GetSolve(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, cn_solveDirect)
    return world->constraints.constraints[row].solve;
}

double cnConstraint_GetDamping(cnWorldId worldId, cnConstraintId constraint, int dof) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT_OR(call, 0.0)
    return CheckDof(dof, 0, call) == CN_ERROR_NONE ? world->constraints.constraints[row].dofs[dof].damping
                                                   : 0.0;
}

cnErrorCode cnConstraint_SetBreakLimits(cnWorldId worldId, cnConstraintId constraint, double force,
                                        double torque) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    CN_TRY(cnCheckRange(force, 0.0, 1e30, call, "force", "N"));
    CN_TRY(cnCheckRange(torque, 0.0, 1e30, call, "torque", "N m"));
    cnWakeConstraint(world, row);
    SetBreakLimits(&world->constraints, row, force, torque);
    return CN_ERROR_NONE;
}

double cnConstraint_GetBreakForce(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, 0.0)
    return world->constraints.constraints[row].breakForce;
}

double cnConstraint_GetBreakTorque(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, 0.0)
    return world->constraints.constraints[row].breakTorque;
}

bool cnConstraint_IsBroken(cnWorldId worldId, cnConstraintId constraint) {
    CN_FIND_CONSTRAINT_OR(__func__, false)
    return (world->constraints.flags[row] & cn_constraintBroken) != 0;
}

// ---- springs ----------------------------------------------------------------------------------------------

static cnErrorCode CheckLine(const cnConstraint* joint, const char* call) {
    return cnJoint_IsLine(joint) ? CN_ERROR_NONE
                                 : cnFail(CN_ERROR_OUT_OF_RANGE, call, "constraint",
                                          "constraint is a %s, allowed are distance and spring",
                                          cnConstraintKinds[joint->type].word);
}

cnErrorCode cnConstraint_SetSpring(cnWorldId worldId, cnConstraintId constraint, const cnSpring* spring) {
    const char* call = __func__;
    CN_FIND_CONSTRAINT(call)
    if (spring == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "spring", "spring is null");
    }
    cnConstraint* joint = &world->constraints.constraints[row];
    CN_TRY(CheckLine(joint, call));
    double softest = cnJoint_IsSpring(joint) ? 0.0 : 1e-30; // a distance has a stiffness
    CN_TRY(cnCheckRange(spring->stiffness, softest, 1e30, call, "spring.stiffness", "N/m"));
    CN_TRY(cnCheckRange(spring->damping, 0.0, 1e30, call, "spring.damping", "N s/m"));
    CN_TRY(cnCheckRange(spring->length, 0.0, 1e30, call, "spring.length", "m"));
    cnWakeConstraint(world, row);
    SetLaw(spring->stiffness, spring->damping, joint, &joint->dofs[0]);
    joint->length = spring->length;
    joint->lastStep = 0.0; // the gap that it had was to another length
    joint->startsAtRest = false;
    return CN_ERROR_NONE;
}

cnSpring cnConstraint_GetSpring(cnWorldId worldId, cnConstraintId constraint) {
    cnSpring spring = {0};
    CN_FIND_CONSTRAINT_OR(__func__, spring)
    const cnConstraint* joint = &world->constraints.constraints[row];
    if (CheckLine(joint, __func__) != CN_ERROR_NONE) {
        return spring;
    }
    double compliance = joint->dofs[0].compliance, damping = joint->dofs[0].damping;
    bool isDamper = !(compliance < INFINITY);
    spring.stiffness = isDamper ? 0.0 : 1.0 / compliance;
    spring.damping = isDamper ? joint->viscosity : damping < 0.0 ? -1.0 : 0.0;
    if (!isDamper && damping > 0.0) {
        spring.damping = damping / compliance;
    }
    spring.length = joint->length;
    return spring;
}
