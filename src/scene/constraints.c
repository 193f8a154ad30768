// The section "constraints" of a scene, and the parts of constraints that actions set, too.
#include "scene/load.h"

#include "dynamics/joint.h"

#include <string.h>

// ---- the types --------------------------------------------------------------------------------------------

// Which keys a type takes besides those of all.
enum {
    hasBodies = 1 << 0,      // bodies
    hasFrame = 1 << 1,       // anchor, axis, reference
    hasAnchors = 1 << 2,     // anchors, length
    hasPartners = 1 << 3,    // constraints
    hasSecondaries = 1 << 4, // motor, lockAt, range, friction
    hasCone = 1 << 5,        // cone, twist
    hasRatio = 1 << 6,
    hasRadius = 1 << 7,
    hasLead = 1 << 8,
    hasScrew = 1 << 9, // screw, as a secondary
    hasStiffness = 1 << 10,
    onFrame = hasBodies | hasFrame,
};

static const uint32_t typeKeys[CN_CONSTRAINT_TYPES] = {
    [cn_constraintBall] = onFrame | hasCone,
    [cn_constraintHinge] = onFrame | hasSecondaries,
    [cn_constraintPrismatic] = onFrame | hasSecondaries,
    [cn_constraintLock] = onFrame,
    [cn_constraintUniversal] = onFrame | hasSecondaries,
    [cn_constraintCylindrical] = onFrame | hasSecondaries | hasScrew,
    [cn_constraintDistance] = hasBodies | hasAnchors | hasSecondaries,
    [cn_constraintPlanar] = onFrame,
    [cn_constraintAngularLock] = onFrame,
    [cn_constraintSpring] = hasBodies | hasAnchors | hasSecondaries | hasStiffness,
    [cn_constraintGear] = hasPartners | hasRatio,
    [cn_constraintScrew] = onFrame | hasSecondaries | hasLead,
    [cn_constraintRackPinion] = hasPartners | hasRadius,
};

static const struct {
    const char* key;
    uint32_t needs; // 0: all types have it
} constraintKeys[] = {
    {"name", 0},
    {"type", 0},
    {"compliance", 0},
    {"damping", 0},
    {"forceRange", 0},
    {"solve", 0},
    {"enabled", 0},
    {"computeForces", 0},
    {"collideConnected", 0},
    {"breakForce", 0},
    {"breakTorque", 0},
    {"bodies", hasBodies},
    {"anchor", hasFrame},
    {"axis", hasFrame},
    {"reference", hasFrame},
    {"anchors", hasAnchors},
    {"length", hasAnchors},
    {"constraints", hasPartners},
    {"motor", hasSecondaries},
    {"lockAt", hasSecondaries},
    {"range", hasSecondaries},
    {"friction", hasSecondaries},
    {"cone", hasCone},
    {"twist", hasCone},
    {"ratio", hasRatio},
    {"radius", hasRadius},
    {"lead", hasLead},
    {"screw", hasScrew},
    {"stiffness", hasStiffness},
};

enum {
    constraintKeyCount = sizeof constraintKeys / sizeof constraintKeys[0]
};

// ---- values -----------------------------------------------------------------------------------------------

static bool ReadFlag(const cnJson* object, const char* key, bool fallback) {
    cnJson node = cnJson_Get(object, key);
    return cnJson_AsBoolean(&node, fallback);
}

static double ReadNumber(const cnJson* object, const char* key, const cnJsonRange* range) {
    cnJson node = cnJson_Get(object, key);
    return cnJson_AsNumber(&node, range, 0.0);
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

// One value, or six in the order of the degrees of freedom; null means the default. NaN where nothing is given.
static void ReadPerDof(const cnJson* object, const char* key, double values[6]) {
    cnJson node = cnJson_Get(object, key);
    for (int dof = 0; dof < 6; ++dof) {
        values[dof] = NAN;
    }
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node)) {
        return;
    }
    if (!cJSON_IsArray(node.value)) {
        double all = cnJson_AsNumber(&node, &cnJson_notNegative, 0.0);
        for (int dof = 0; dof < 6; ++dof) {
            values[dof] = all;
        }
        return;
    }
    if (!cnJson_CheckCount(&node, 6, "a number, or a list of six, one per degree of freedom")) {
        return;
    }
    for (cnJson item = cnJson_First(&node, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!cnJson_IsNull(&item)) {
            values[item.index] = cnJson_AsNumber(&item, &cnJson_notNegative, 0.0);
        }
    }
}

// One [lo, hi] for all, or six of them.
static void ReadForceRange(const cnJson* object, double ranges[6][2]) {
    cnJson node = cnJson_Get(object, "forceRange");
    for (int dof = 0; dof < 6; ++dof) {
        ranges[dof][0] = -INFINITY;
        ranges[dof][1] = INFINITY;
    }
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node)) {
        return;
    }
    if (cJSON_GetArraySize(node.value) != 6) {
        ReadInterval(&node, ranges[0]);
        for (int dof = 1; dof < 6; ++dof) {
            memcpy(ranges[dof], ranges[0], sizeof ranges[0]);
        }
        return;
    }
    for (cnJson item = cnJson_First(&node, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!cnJson_IsNull(&item)) {
            ReadInterval(&item, ranges[item.index]);
        }
    }
}

// ---- secondaries ------------------------------------------------------------------------------------------

bool cnReadSecondary(const cnJson* node, const char* key, cnSecondaryPatch* patch) {
    static const char* const motorKeys[] = {"speed", "force", "lockAtZeroSpeed", "enabled"};
    static const char* const lockKeys[] = {"position", "force", "compliance", "damping", "enabled"};
    static const char* const rangeKeys[] = {"limits", "compliance", "damping", "enabled"};
    static const char* const coneKeys[] = {"limit", "compliance", "damping", "enabled"};
    static const char* const frictionKeys[] = {"coefficient", "radius", "force", "enabled"};
    static const char* const screwKeys[] = {"lead", "compliance", "damping", "enabled"};
    *patch = (cnSecondaryPatch){.given = true};
    bool isRight = strcmp(key, "motor") == 0      ? CN_CHECK_KEYS(node, motorKeys, "a motor")
                   : strcmp(key, "lockAt") == 0   ? CN_CHECK_KEYS(node, lockKeys, "a lock")
                   : strcmp(key, "friction") == 0 ? CN_CHECK_KEYS(node, frictionKeys, "a friction")
                   : strcmp(key, "cone") == 0     ? CN_CHECK_KEYS(node, coneKeys, "a cone")
                   : strcmp(key, "screw") == 0    ? CN_CHECK_KEYS(node, screwKeys, "a screw")
                                                  : CN_CHECK_KEYS(node, rangeKeys, "a range");
    if (!isRight) {
        return false;
    }
    const struct {
        const char* key;
        const cnJsonRange* range;
        double* value;
        uint32_t bit;
    } numbers[] = {
        {"speed", &cnJson_any, &patch->target, cn_patchTarget},
        {"position", &cnJson_any, &patch->target, cn_patchTarget},
        {"lead", &cnJson_any, &patch->target, cn_patchTarget},
        {"coefficient", &cnJson_notNegative, &patch->coefficient, cn_patchCoefficient},
        {"radius", &cnJson_positive, &patch->radius, cn_patchRadius},
        {"limit", &cnJson_notNegative, &patch->limits[1], cn_patchLimits},
        {"compliance", &cnJson_notNegative, &patch->compliance, cn_patchCompliance},
        {"damping", &cnJson_notNegative, &patch->damping, cn_patchDamping},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        cnJson value = cnJson_Get(node, numbers[i].key);
        if (cnJson_IsGiven(&value) && !cnJson_IsNull(&value)) {
            *numbers[i].value = cnJson_AsNumber(&value, numbers[i].range, 0.0);
            patch->has |= numbers[i].bit;
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

cnErrorCode cnApplySecondary(cnWorldId world, cnConstraintId constraint, cnSecondaryKey key, int index,
                             const cnSecondaryPatch* patch) {
    if (key == cn_keyMotor) {
        cnMotor motor = cnConstraint_GetMotor(world, constraint, index);
        motor.disabled = patch->disabled;
        motor.given = GivenBits(patch, motor.given);
        PatchNumber(patch, cn_patchTarget, patch->target, &motor.speed);
        PatchPair(patch, cn_patchForce, patch->force, motor.force);
        motor.lockAtZeroSpeed =
            (patch->has & cn_patchLockAtZeroSpeed) != 0 ? patch->lockAtZeroSpeed : motor.lockAtZeroSpeed;
        return cnConstraint_SetMotor(world, constraint, index, &motor);
    }
    if (key == cn_keyLockAt) {
        cnLockAt lock = cnConstraint_GetLockAt(world, constraint, index);
        lock.disabled = patch->disabled;
        lock.given = GivenBits(patch, lock.given);
        PatchNumber(patch, cn_patchTarget, patch->target, &lock.position);
        PatchPair(patch, cn_patchForce, patch->force, lock.force);
        PatchNumber(patch, cn_patchCompliance, patch->compliance, &lock.compliance);
        PatchNumber(patch, cn_patchDamping, patch->damping, &lock.damping);
        return cnConstraint_SetLockAt(world, constraint, index, &lock);
    }
    if (key == cn_keyFriction) {
        cnJointFriction friction = cnConstraint_GetFriction(world, constraint, index);
        friction.disabled = patch->disabled;
        friction.given = GivenBits(patch, friction.given);
        PatchNumber(patch, cn_patchCoefficient, patch->coefficient, &friction.coefficient);
        PatchNumber(patch, cn_patchRadius, patch->radius, &friction.radius);
        PatchNumber(patch, cn_patchForce, patch->force[1], &friction.force);
        return cnConstraint_SetFriction(world, constraint, index, &friction);
    }
    cnRange range = cnConstraint_GetRange(world, constraint, index);
    range.disabled = patch->disabled;
    range.given = GivenBits(patch, range.given);
    PatchPair(patch, cn_patchLimits, patch->limits, range.limits);
    PatchNumber(patch, cn_patchCompliance, patch->compliance, &range.compliance);
    PatchNumber(patch, cn_patchDamping, patch->damping, &range.damping);
    return cnConstraint_SetRange(world, constraint, index, &range);
}

const char* const cnSecondaryKeys[cn_secondaryKeyCount] = {"motor", "lockAt", "range", "friction"};

void cnReadSecondaries(const cnJson* value, cnSecondaryKey key, int freeCount, cnSecondaryPatch patches[2]) {
    patches[0] = patches[1] = (cnSecondaryPatch){0};
    if (freeCount == 1) {
        cnReadSecondary(value, cnSecondaryKeys[key], &patches[0]);
    } else if (cnJson_CheckCount(value, 2, "a list of two, one per free degree of freedom")) {
        for (cnJson item = cnJson_First(value, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
            if (!cnJson_IsNull(&item)) {
                cnReadSecondary(&item, cnSecondaryKeys[key], &patches[item.index]);
            }
        }
    }
}

// An object, or a list of two where two degrees of freedom are free.
static void LoadSecondaries(cnSceneLoader* loader, const cnJson* node, cnConstraintType type,
                            cnConstraintId constraint) {
    int freeCount = cnConstraintKinds[type].freeCount;
    for (int key = 0; key < cn_secondaryKeyCount && (typeKeys[type] & hasSecondaries) != 0; ++key) {
        cnJson value = cnJson_Get(node, cnSecondaryKeys[key]);
        cnSecondaryPatch patches[2];
        if (!cnJson_IsGiven(&value)) {
            continue;
        }
        cnReadSecondaries(&value, (cnSecondaryKey)key, freeCount, patches);
        for (int i = 0; i < 2 && cnLoader_Builds(loader); ++i) {
            if (patches[i].given) {
                cnErrorCode code =
                    cnApplySecondary(loader->scene->world, constraint, (cnSecondaryKey)key, i, &patches[i]);
                cnLoader_Accept(&value, code == CN_ERROR_NONE);
            }
        }
    }
}

// Cone and twist of a ball, the screw of a cylindrical.
static void LoadOthers(cnSceneLoader* loader, const cnJson* node, cnConstraintId constraint) {
    static const char* const keys[] = {"cone", "twist", "screw"};
    for (int i = 0; i < 3; ++i) {
        cnJson value = cnJson_Get(node, keys[i]);
        cnSecondaryPatch patch;
        if (!cnJson_IsGiven(&value) || !cnReadSecondary(&value, keys[i], &patch) ||
            !cnLoader_Builds(loader)) {
            continue;
        }
        cnWorldId world = loader->scene->world;
        uint32_t given = GivenBits(&patch, 0);
        cnRange range = {
            patch.disabled, given, {patch.limits[0], patch.limits[1]}, patch.compliance, patch.damping};
        cnScrew screw = {patch.disabled, given, patch.target, patch.compliance, patch.damping};
        cnErrorCode code = i == 0   ? cnConstraint_SetCone(world, constraint, &range)
                           : i == 1 ? cnConstraint_SetTwist(world, constraint, &range)
                                    : cnConstraint_SetScrew(world, constraint, &screw);
        cnLoader_Accept(&value, code == CN_ERROR_NONE);
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
    if (def->type == cn_constraintUniversal && !(fabs(cnDot(n, u)) <= 1e-6)) {
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
    cnJson length = cnJson_Get(node, "length");
    def->length = cnJson_AsNumber(&length, &cnJson_notNegative, 0.0);
    def->given |= cnJson_IsGiven(&length) ? (uint32_t)cn_constraintLength : 0u;
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

static double ReadNotZero(const cnJson* node, const char* key) {
    cnJson value = cnJson_Need(node, key);
    double number = cnJson_AsNumber(&value, &cnJson_any, 1.0);
    if (number == 0.0) {
        cnJson_Fail(&value, "is 0: must be another number");
    }
    return number;
}

// ---- one constraint ---------------------------------------------------------------------------------------

static cnConstraintType ReadType(const cnJson* node) {
    const char* words[CN_CONSTRAINT_TYPES];
    for (int i = 0; i < CN_CONSTRAINT_TYPES; ++i) {
        words[i] = cnConstraintKinds[i].word;
    }
    cnJson type = cnJson_Need(node, "type");
    return (cnConstraintType)CN_AS_CHOICE(&type, words, 0);
}

// Rows that differ from the others.
static void SetRows(cnSceneLoader* loader, const cnJson* node, cnConstraintId constraint,
                    const double compliance[6], const double damping[6], double (*forceRange)[2]) {
    cnWorldId world = loader->scene->world;
    cnErrorCode code = CN_ERROR_NONE;
    for (int dof = 0; dof < 6 && code == CN_ERROR_NONE; ++dof) {
        code = cnConstraint_SetForceRange(world, constraint, dof, forceRange[dof][0], forceRange[dof][1]);
        if (code == CN_ERROR_NONE && compliance[dof] >= 0.0) {
            code = cnConstraint_SetCompliance(world, constraint, dof, compliance[dof]);
        }
        if (code == CN_ERROR_NONE && damping[dof] >= 0.0) {
            code = cnConstraint_SetDamping(world, constraint, dof, damping[dof]);
        }
    }
    cnLoader_Accept(node, code == CN_ERROR_NONE);
}

static void LoadConstraint(cnSceneLoader* loader, const cnJson* node) {
    static const char* const solves[] = {
        [cn_solveDirect] = "direct",
        [cn_solveIterative] = "iterative",
        [cn_solveDirectAndIterative] = "directAndIterative",
    };

    // its keys
    cnConstraintDef def = {.type = ReadType(node)};
    uint32_t has = typeKeys[def.type];
    const char* keys[constraintKeyCount];
    int keyCount = 0;
    for (int i = 0; i < constraintKeyCount; ++i) {
        if (constraintKeys[i].needs == 0 || (constraintKeys[i].needs & has) != 0) {
            keys[keyCount++] = constraintKeys[i].key;
        }
    }
    if (!cnJson_IsFine(node) || !cnJson_CheckKeys(node, keys, keyCount, cnConstraintKinds[def.type].word)) {
        return;
    }

    // what all have
    double compliance[6], damping[6], forceRange[6][2];
    cnJson solve = cnJson_Get(node, "solve");
    def.solve = (cnConstraintSolve)CN_AS_CHOICE(&solve, solves, cn_solveDirect);
    ReadPerDof(node, "compliance", compliance);
    ReadPerDof(node, "damping", damping);
    ReadForceRange(node, forceRange);
    def.disabled = !ReadFlag(node, "enabled", true);
    ReadFlag(node, "computeForces", false); // forces are there always
    def.collideConnected = ReadFlag(node, "collideConnected", false);
    def.breakForce = ReadNumber(node, "breakForce", &cnJson_positive);
    def.breakTorque = ReadNumber(node, "breakTorque", &cnJson_positive);

    // what the type has
    if ((has & hasBodies) != 0) {
        ReadBodies(loader, node, &def);
    }
    if ((has & hasFrame) != 0) {
        ReadFrame(node, &def);
    }
    if ((has & hasAnchors) != 0) {
        ReadAnchors(node, &def);
    }
    if ((has & hasPartners) != 0) {
        ReadPartners(loader, node, &def);
    }
    def.ratio = (has & hasRatio) != 0 ? ReadNotZero(node, "ratio") : 0.0;
    def.radius = (has & hasRadius) != 0 ? ReadNotZero(node, "radius") : 0.0;
    def.lead = (has & hasLead) != 0 ? ReadNotZero(node, "lead") : 0.0;
    def.stiffness = ReadNumber(node, "stiffness", &cnJson_notNegative);
    if (def.type == cn_constraintSpring) {
        // its damping is N s/m; without a stiffness its compliance counts, and without that it only damps
        def.viscosity = damping[0] >= 0.0 ? damping[0] : 0.0;
        if (!cnJson_Has(node, "stiffness") && compliance[0] > 0.0) {
            def.stiffness = 1.0 / compliance[0];
        }
        for (int dof = 0; dof < 6; ++dof) {
            compliance[dof] = damping[dof] = NAN;
        }
    }

    cnConstraintId constraint = {0};
    if (cnLoader_Builds(loader)) {
        constraint = cnCreateConstraint(loader->scene->world, &def);
        loader->scene->constraints.data[node->index] = constraint;
        if (cnLoader_Accept(node, !CN_IS_NULL(constraint))) {
            SetRows(loader, node, constraint, compliance, damping, forceRange);
        }
    }
    LoadSecondaries(loader, node, def.type, constraint);
    LoadOthers(loader, node, constraint);
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
            bool joins = (typeKeys[ReadType(&item)] & hasPartners) != 0;
            if (joins == (round == 1)) {
                LoadConstraint(loader, &item);
            }
        }
    }
}
