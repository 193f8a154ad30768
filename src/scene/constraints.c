// The section "constraints" of a scene, and the parts of constraints that actions set, too.
#include "scene/load.h"

#include "api/objects/constraints.h"
#include "base/report/assert.h"
#include "base/report/format.h"

#include <stddef.h>
#include <string.h>

// ---- keys -------------------------------------------------------------------------------------------------

// Keys of constraints, and the parts that bring them.
#define KEY(key, part, ...) {#key, part},
static const struct {
    const char* key;
    uint32_t part; // 0: all types have it
} constraintKeys[] = {CN_CONSTRAINT_PARAMETERS(KEY, KEY)};
#undef KEY

enum {
    constraintKeyCount = sizeof constraintKeys / sizeof constraintKeys[0]
};

// Of parameters that are one number, by cnNumberKind.
static const cnJsonRange* const numberRanges[] = {
    [cn_numberPositive] = &cnJson_positive,
    [cn_numberNotNegative] = &cnJson_notNegative,
    [cn_numberNotZero] = &cnJson_any,
};

static bool Has(cnConstraintType type, uint32_t part) {
    return (cnConstraintKinds[type].parts & part) == part;
}

static void ReadNumbers(const cnJson* node, cnConstraintDef* def) {
    for (int i = 0; i < cnNumberParameterCount; ++i) {
        const cnNumberParameter* number = &cnNumberParameters[i];
        const char* key = cnNumberParameter_GetKey(number);
        if (!Has(def->type, number->part)) {
            continue;
        }
        cnJson value = number->isNeeded ? cnJson_Need(node, key) : cnJson_Get(node, key);
        double read = cnJson_AsNumber(&value, numberRanges[number->kind], 0.0);
        if (number->kind == cn_numberNotZero && read == 0.0) {
            cnJson_Fail(&value, "is 0: must be another number");
        }
        memcpy((char*)def + number->offset, &read, sizeof read);
        def->given |= cnJson_IsGiven(&value) ? number->given : 0u;
    }
}

// ---- values -----------------------------------------------------------------------------------------------

static bool ReadFlag(const cnJson* object, const char* key, bool fallback) {
    cnJson node = cnJson_Get(object, key);
    return cnJson_AsBoolean(&node, fallback);
}

// [lo, hi], either of which may be null: none.
static void ReadInterval(const cnJson* node, double interval[2]) {
    if (!cnJson_CheckCount(node, 2, "[lo, hi], numbers or null")) {
        return;
    }
    for (int i = 0; i < 2; ++i) {
        cnJson item = cnJson_At(node, i);
        double none = i == 0 ? -INFINITY : INFINITY;
        interval[i] = cnJson_IsNull(&item) ? none : cnJson_AsNumber(&item, &cnJson_any, none);
    }
    if (interval[0] > interval[1]) {
        cnJson_Fail(node, "is [%.9g, %.9g]: the first must not be greater than the second", interval[0],
                    interval[1]);
    }
}

// null (none), a size F for [−F, F], or [lo, hi].
static bool ReadForceBound(const cnJson* object, double force[2]) {
    cnJson node = cnJson_Get(object, "force");
    force[0] = -INFINITY;
    force[1] = INFINITY;
    if (!cnJson_IsGiven(&node)) {
        return false;
    }
    if (cJSON_IsArray(node.value)) {
        ReadInterval(&node, force);
    } else if (!cnJson_IsNull(&node)) {
        force[1] = cnJson_AsNumber(&node, &cnJson_notNegative, 0.0);
        force[0] = -force[1];
    }
    return true;
}

// One value for all, or six in the order of the degrees of freedom; null means the default. `offset` and
// `bit` are those of the setting in cnDofDef.
static void ReadPerDof(const cnJson* object, const char* key, size_t offset, uint32_t bit,
                       cnConstraintDef* def) {
    cnJson node = cnJson_Get(object, key);
    bool isList = cJSON_IsArray(node.value);
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node) ||
        (isList && !cnJson_CheckCount(&node, 6, "a number, or a list of six, one per degree of freedom"))) {
        return;
    }
    for (int dof = 0; dof < 6; ++dof) {
        cnJson item = isList ? cnJson_At(&node, dof) : node;
        if (!cnJson_IsNull(&item)) {
            double value = cnJson_AsNumber(&item, &cnJson_notNegative, 0.0);
            memcpy((char*)&def->dofs[dof] + offset, &value, sizeof value);
            def->dofs[dof].given |= bit;
        }
    }
}

// One [lo, hi] for all, or six of them.
static void ReadForceRange(const cnJson* object, cnConstraintDef* def) {
    cnJson node = cnJson_Get(object, "forceRange");
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node)) {
        return;
    }
    bool isList = cJSON_GetArraySize(node.value) == 6;
    for (int dof = 0; dof < 6; ++dof) {
        cnJson item = isList ? cnJson_At(&node, dof) : node;
        if (!cnJson_IsNull(&item)) {
            ReadInterval(&item, def->dofs[dof].forceRange);
            def->dofs[dof].given |= cn_dofForceRange;
        }
    }
}

// The damping of a spring is N s/m; without a stiffness its compliance counts, and without
// that it only damps.
static void ReadSpring(const cnJson* node, cnConstraintDef* def) {
    const cnDofDef* row = &def->dofs[0];
    def->viscosity = (row->given & cn_dofDamping) != 0 ? row->damping : 0.0;
    if (!cnJson_Has(node, "stiffness") && row->compliance > 0.0) {
        def->stiffness = 1.0 / row->compliance;
    }
    for (int dof = 0; dof < 6; ++dof) {
        def->dofs[dof].given &= cn_dofForceRange;
    }
}

// ---- secondaries ------------------------------------------------------------------------------------------

#define KEY(Name, key, ...) #key,
const char* const cnSecondaryKeys[cn_secondaryKeyCount] = {CN_SECONDARIES(KEY)};
#undef KEY

// Where a key of a secondary is read to, and how.
typedef struct PatchKey {
    cnSecondaryKey secondary;
    const char* key;
    const cnJsonRange* range; // of one number; null: another kind of value
    uint32_t offset, bit;     // of the number, in a patch
} PatchKey;

#define RANGE_positive &cnJson_positive
#define RANGE_notNegative &cnJson_notNegative
#define RANGE_number &cnJson_any
#define RANGE_interval NULL
#define RANGE_force NULL
#define RANGE_flag NULL

#define PATCH(field, bit) offsetof(cnSecondaryPatch, field), bit
#define PATCH_speed PATCH(target, cn_patchTarget)
#define PATCH_position PATCH(target, cn_patchTarget)
#define PATCH_lead PATCH(target, cn_patchTarget)
#define PATCH_coefficient PATCH(coefficient, cn_patchCoefficient)
#define PATCH_radius PATCH(radius, cn_patchRadius)
#define PATCH_limit PATCH(limits[1], cn_patchLimits)
#define PATCH_limits PATCH(limits, cn_patchLimits)
#define PATCH_compliance PATCH(compliance, cn_patchCompliance)
#define PATCH_damping PATCH(damping, cn_patchDamping)
#define PATCH_force PATCH(force, cn_patchForce)
#define PATCH_lockAtZeroSpeed PATCH(lockAtZeroSpeed, cn_patchLockAtZeroSpeed)
#define PATCH_enabled PATCH(disabled, 0)

#define PARAMETER(owner, key, kind, ...) {cn_key_##owner, #key, RANGE_##kind, PATCH_##key},
static const PatchKey patchKeys[] = {CN_SECONDARY_PARAMETERS(PARAMETER)};
#undef PARAMETER

enum {
    patchKeyCount = sizeof patchKeys / sizeof patchKeys[0]
};

bool cnReadSecondary(const cnJson* node, cnSecondaryKey secondary, cnSecondaryPatch* patch) {
    // its keys
    char noun[16];
    const char* keys[patchKeyCount];
    int keyCount = 0;
    for (int i = 0; i < patchKeyCount; ++i) {
        if (patchKeys[i].secondary == secondary) {
            keys[keyCount++] = patchKeys[i].key;
        }
    }
    *patch = (cnSecondaryPatch){.given = true};
    cnFormat(noun, sizeof noun, "a %s", cnSecondaryKeys[secondary]);
    if (!cnJson_CheckKeys(node, keys, keyCount, noun)) {
        return false;
    }

    // numbers, and what is made of several
    for (int i = 0; i < patchKeyCount; ++i) {
        const PatchKey* at = &patchKeys[i];
        cnJson value = cnJson_Get(node, at->key);
        bool isOne = at->secondary == secondary && at->range != NULL;
        if (isOne && cnJson_IsGiven(&value) && !cnJson_IsNull(&value)) {
            double number = cnJson_AsNumber(&value, at->range, 0.0);
            memcpy((char*)patch + at->offset, &number, sizeof number);
            patch->has |= at->bit;
        }
    }
    cnJson limits = cnJson_Get(node, "limits");
    if (cnJson_IsGiven(&limits)) {
        ReadInterval(&limits, patch->limits);
        patch->has |= cn_patchLimits;
    }
    patch->has |= ReadForceBound(node, patch->force) ? (uint32_t)cn_patchForce : 0u;
    cnJson lockAtZeroSpeed = cnJson_Get(node, "lockAtZeroSpeed");
    patch->has |= cnJson_IsGiven(&lockAtZeroSpeed) ? (uint32_t)cn_patchLockAtZeroSpeed : 0u;
    patch->lockAtZeroSpeed = cnJson_AsBoolean(&lockAtZeroSpeed, false);
    patch->disabled = !ReadFlag(node, "enabled", true);
    return cnJson_IsFine(node);
}

// Fields of the engine's struct that a patch sets, as its `given` bits.
static uint32_t GivenBits(const cnSecondaryPatch* patch, uint32_t before) {
    static const uint32_t bits[][2] = {
        {cn_patchForce, cn_secondaryForce},     {cn_patchCompliance, cn_secondaryCompliance},
        {cn_patchDamping, cn_secondaryDamping}, {cn_patchLimits, cn_secondaryLimits},
        {cn_patchRadius, cn_secondaryRadius},
    };
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; ++i) {
        before |= (patch->has & bits[i][0]) != 0 ? bits[i][1] : 0u;
    }
    return before;
}

static void PatchNumber(const cnSecondaryPatch* patch, uint32_t bit, double from, double* to) {
    *to = (patch->has & bit) != 0 ? from : *to;
}

static void PatchPair(const cnSecondaryPatch* patch, uint32_t bit, const double from[2], double to[2]) {
    PatchNumber(patch, bit, from[0], &to[0]);
    PatchNumber(patch, bit, from[1], &to[1]);
}

static void PatchMotor(const cnSecondaryPatch* patch, cnMotor* motor) {
    motor->disabled = patch->disabled;
    motor->given = GivenBits(patch, motor->given);
    PatchNumber(patch, cn_patchTarget, patch->target, &motor->speed);
    PatchPair(patch, cn_patchForce, patch->force, motor->force);
    motor->lockAtZeroSpeed =
        (patch->has & cn_patchLockAtZeroSpeed) != 0 ? patch->lockAtZeroSpeed : motor->lockAtZeroSpeed;
}

static void PatchLockAt(const cnSecondaryPatch* patch, cnLockAt* lock) {
    lock->disabled = patch->disabled;
    lock->given = GivenBits(patch, lock->given);
    PatchNumber(patch, cn_patchTarget, patch->target, &lock->position);
    PatchPair(patch, cn_patchForce, patch->force, lock->force);
    PatchNumber(patch, cn_patchCompliance, patch->compliance, &lock->compliance);
    PatchNumber(patch, cn_patchDamping, patch->damping, &lock->damping);
}

static void PatchFriction(const cnSecondaryPatch* patch, cnJointFriction* friction) {
    friction->disabled = patch->disabled;
    friction->given = GivenBits(patch, friction->given);
    PatchNumber(patch, cn_patchCoefficient, patch->coefficient, &friction->coefficient);
    PatchNumber(patch, cn_patchRadius, patch->radius, &friction->radius);
    PatchNumber(patch, cn_patchForce, patch->force[1], &friction->force);
}

static void PatchRange(const cnSecondaryPatch* patch, cnRange* range) {
    range->disabled = patch->disabled;
    range->given = GivenBits(patch, range->given);
    PatchPair(patch, cn_patchLimits, patch->limits, range->limits);
    PatchNumber(patch, cn_patchCompliance, patch->compliance, &range->compliance);
    PatchNumber(patch, cn_patchDamping, patch->damping, &range->damping);
}

cnErrorCode cnApplySecondary(cnWorldId world, cnConstraintId constraint, cnSecondaryKey key, int index,
                             const cnSecondaryPatch* patch) {
    if (key == cn_key_motor) {
        cnMotor motor = cnConstraint_GetMotor(world, constraint, index);
        PatchMotor(patch, &motor);
        return cnConstraint_SetMotor(world, constraint, index, &motor);
    }
    if (key == cn_key_lockAt) {
        cnLockAt lock = cnConstraint_GetLockAt(world, constraint, index);
        PatchLockAt(patch, &lock);
        return cnConstraint_SetLockAt(world, constraint, index, &lock);
    }
    if (key == cn_key_friction) {
        cnJointFriction friction = cnConstraint_GetFriction(world, constraint, index);
        PatchFriction(patch, &friction);
        return cnConstraint_SetFriction(world, constraint, index, &friction);
    }
    cnRange range = cnConstraint_GetRange(world, constraint, index);
    PatchRange(patch, &range);
    return cnConstraint_SetRange(world, constraint, index, &range);
}

void cnReadSecondaries(const cnJson* value, cnSecondaryKey key, int freeCount, cnSecondaryPatch patches[2]) {
    patches[0] = patches[1] = (cnSecondaryPatch){0};
    if (freeCount == 1) {
        cnReadSecondary(value, key, &patches[0]);
    } else if (cnJson_CheckCount(value, 2, "a list of two, one per free degree of freedom")) {
        for (cnJson item = cnJson_First(value, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
            if (!cnJson_IsNull(&item)) {
                cnReadSecondary(&item, key, &patches[item.index]);
            }
        }
    }
}

// What a definition points to.
typedef struct Secondaries {
    cnMotor motor[2];
    cnLockAt lockAt[2];
    cnRange range[2], cone, twist;
    cnJointFriction friction[2];
    cnScrew screw;
} Secondaries;

static void AddSecondary(const cnSecondaryPatch* patch, cnSecondaryKey key, int index, Secondaries* all,
                         cnConstraintDef* def) {
    switch (key) {
    case cn_key_motor:
        PatchMotor(patch, &all->motor[index]);
        def->motor[index] = &all->motor[index];
        break;
    case cn_key_lockAt:
        PatchLockAt(patch, &all->lockAt[index]);
        def->lockAt[index] = &all->lockAt[index];
        break;
    case cn_key_range:
        PatchRange(patch, &all->range[index]);
        def->range[index] = &all->range[index];
        break;
    case cn_key_friction:
        PatchFriction(patch, &all->friction[index]);
        def->friction[index] = &all->friction[index];
        break;
    case cn_key_cone:
        PatchRange(patch, &all->cone);
        def->cone = &all->cone;
        break;
    case cn_key_twist:
        PatchRange(patch, &all->twist);
        def->twist = &all->twist;
        break;
    default:
        CN_ASSERT(key == cn_key_screw);
        all->screw =
            (cnScrew){patch->disabled, GivenBits(patch, 0), patch->target, patch->compliance, patch->damping};
        def->screw = &all->screw;
        break;
    }
}

// An object each, or a list of two where two degrees of freedom are free.
static void ReadDefSecondaries(const cnJson* node, Secondaries* all, cnConstraintDef* def) {
    *all = (Secondaries){0};
    for (int key = 0; key < cn_secondaryKeyCount; ++key) {
        cnJson value = cnJson_Get(node, cnSecondaryKeys[key]);
        if (!cnJson_IsGiven(&value)) {
            continue;
        }
        cnSecondaryPatch patches[2];
        bool isFree = key < cn_freeKeyCount;
        cnReadSecondaries(&value, (cnSecondaryKey)key, isFree ? cnConstraintKinds[def->type].freeCount : 1,
                          patches);
        for (int i = 0; i < 2; ++i) {
            if (patches[i].given) {
                AddSecondary(&patches[i], (cnSecondaryKey)key, i, all, def);
            }
        }
    }
}

// ---- what is connected, and where -------------------------------------------------------------------------

static void ReadBodies(cnSceneLoader* loader, const cnJson* node, cnConstraintDef* def) {
    cnJson bodies = cnJson_Need(node, "bodies");
    if (!cnJson_IsFine(node) ||
        !cnJson_CheckCount(&bodies, 2, "a list of two: a body, and another or null for the world")) {
        return;
    }
    cnJson first = cnJson_At(&bodies, 0);
    cnJson second = cnJson_At(&bodies, 1);
    int row1 = cnLoader_FindNamed(loader, &first, cn_name_body);
    int row2 = cnJson_IsNull(&second) ? -1 : cnLoader_FindNamed(loader, &second, cn_name_body);
    if (row1 == row2 && cnJson_IsFine(node)) {
        cnJson_Fail(&bodies, "is one body twice: must be two different ones");
    }
    if (cnLoader_Builds(loader)) {
        def->body1 = loader->scene->bodies.data[row1];
        def->body2 = row2 >= 0 ? loader->scene->bodies.data[row2] : (cnBodyId){0};
    }
}

static void ReadFrame(const cnJson* node, cnConstraintDef* def) {
    cnJson anchor = cnJson_Get(node, "anchor");
    cnJson axis = cnJson_Get(node, "axis");
    cnJson reference = cnJson_Get(node, "reference");
    def->anchor = cnJson_AsVector(&anchor, &cnJson_any, cnVec3_zero);
    def->axis = cnJson_AsDirection(&axis, cnVec(0.0, 0.0, 1.0));
    def->reference = cnJson_AsDirection(&reference, cnVec(1.0, 0.0, 0.0));
    def->given |= cnJson_IsGiven(&anchor) ? (uint32_t)cn_constraintAnchor : 0u;
    def->given |= cnJson_IsGiven(&axis) ? (uint32_t)cn_constraintAxis : 0u;
    def->given |= cnJson_IsGiven(&reference) ? (uint32_t)cn_constraintReference : 0u;
    if (!cnJson_IsGiven(&reference)) {
        return;
    }
    cnVec3 n = cnNormalize(def->axis), u = cnNormalize(def->reference);
    if (cnJoint_HoldsCross(def->type) && !(fabs(cnDot(n, u)) <= 1e-6)) {
        cnJson_Fail(&reference, "is not orthogonal to the axis: must be, within 1e-6");
    } else if (!(cnLength(cnCross(n, u)) > 1e-9)) {
        cnJson_Fail(&reference, "is parallel to the axis: must be another direction");
    }
}

static void ReadAnchors(const cnJson* node, cnConstraintDef* def) {
    cnJson anchors = cnJson_Need(node, "anchors");
    if (cnJson_IsFine(node) && cnJson_CheckCount(&anchors, 2, "a list of two world points")) {
        cnJson first = cnJson_At(&anchors, 0);
        cnJson second = cnJson_At(&anchors, 1);
        def->anchor = cnJson_AsVector(&first, &cnJson_any, cnVec3_zero);
        def->anchor2 = cnJson_AsVector(&second, &cnJson_any, cnVec3_zero);
        def->given |= cn_constraintAnchor;
    }
}

static void ReadPartners(cnSceneLoader* loader, const cnJson* node, cnConstraintDef* def) {
    int rows[2];
    cnJson partners = cnJson_Need(node, "constraints");
    if (!cnJson_IsFine(node) || !cnLoader_FindTwo(loader, &partners, cn_name_constraint, rows)) {
        return;
    }
    if (rows[0] == rows[1]) {
        cnJson_Fail(&partners, "is one constraint twice: must be two different ones");
    }
    if (cnLoader_Builds(loader)) {
        def->constraint1 = loader->scene->constraints.data[rows[0]];
        def->constraint2 = loader->scene->constraints.data[rows[1]];
        for (int i = 0; i < 2; ++i) {
            // a row without a constraint as yet is one that has partners itself: they are made last
            if (CN_IS_NULL(loader->scene->constraints.data[rows[i]])) {
                cnJson item = cnJson_At(&partners, i);
                cnJson_Fail(&item, "is a gear or a rackPinion: must be a constraint with bodies");
            }
        }
    }
}

// ---- one constraint ---------------------------------------------------------------------------------------

static cnConstraintType ReadType(const cnJson* node) {
    const char* words[cn_constraintTypeCount];
    for (int i = 0; i < cn_constraintTypeCount; ++i) {
        words[i] = cnConstraintKinds[i].word;
    }
    cnJson type = cnJson_Need(node, "type");
    return (cnConstraintType)CN_AS_CHOICE(&type, words, 0);
}

static void LoadConstraint(cnSceneLoader* loader, const cnJson* node) {
    static const char* const solves[] = {
        [cn_solveDirect] = "direct",
        [cn_solveIterative] = "iterative",
        [cn_solveDirectAndIterative] = "directAndIterative",
    };

    // its keys
    cnConstraintDef def = {.type = ReadType(node)};
    const char* keys[constraintKeyCount];
    int keyCount = 0;
    for (int i = 0; i < constraintKeyCount; ++i) {
        if (Has(def.type, constraintKeys[i].part)) {
            keys[keyCount++] = constraintKeys[i].key;
        }
    }
    if (!cnJson_IsFine(node) || !cnJson_CheckKeys(node, keys, keyCount, cnConstraintKinds[def.type].word)) {
        return;
    }

    // what all have
    cnJson solve = cnJson_Get(node, "solve");
    def.solve = (cnConstraintSolve)CN_AS_CHOICE(&solve, solves, cn_solveDirect);
    ReadPerDof(node, "compliance", offsetof(cnDofDef, compliance), cn_dofCompliance, &def);
    ReadPerDof(node, "damping", offsetof(cnDofDef, damping), cn_dofDamping, &def);
    ReadForceRange(node, &def);
    def.disabled = !ReadFlag(node, "enabled", true);
    ReadFlag(node, "computeForces", false); // forces are there always
    def.collideConnected = ReadFlag(node, "collideConnected", false);
    cnReadMergeSplit(node, &def.unmergeable, &def.unsplittable);

    // what the type has
    if (Has(def.type, cn_joinsBodies)) {
        ReadBodies(loader, node, &def);
    }
    if (Has(def.type, cn_hasFrames)) {
        ReadFrame(node, &def);
    }
    if (Has(def.type, cn_hasAnchors)) {
        ReadAnchors(node, &def);
    }
    if (Has(def.type, cn_hasPartners)) {
        ReadPartners(loader, node, &def);
    }
    ReadNumbers(node, &def);
    if (Has(def.type, cn_hasStiffness)) {
        ReadSpring(node, &def);
    }

    Secondaries secondaries;
    ReadDefSecondaries(node, &secondaries, &def);

    if (cnLoader_Builds(loader)) {
        cnConstraintId constraint = cnCreateConstraint(loader->scene->world, &def);
        loader->scene->constraints.data[node->index] = constraint;
        cnLoader_Accept(node, !CN_IS_NULL(constraint));
    }
}

void cnLoadConstraints(cnSceneLoader* loader, const cnJson* list) {
    int count = cJSON_GetArraySize(list->value);
    if (!cnArray_Resize(&loader->scene->constraints, count)) {
        cnLoader_FailMemory(list);
        return;
    }
    // gears and racks after what they join
    for (int round = 0; round < 2; ++round) {
        for (cnJson item = cnJson_First(list, "a list of constraints"); cnJson_More(&item);
             cnJson_Next(&item)) {
            bool joins = Has(ReadType(&item), cn_hasPartners);
            if (joins == (round == 1)) {
                LoadConstraint(loader, &item);
            }
        }
    }
}
