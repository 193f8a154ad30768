#include "api/objects/secondaries.h"

#include "api/checks.h"
#include "base/report/format.h"
#include "dynamics/joint.h"

#include <stddef.h>
#include <string.h>

#define CN_PI 3.14159265358979323846

// Dofs whose settings secondaries begin with.
enum {
    cn_alongAxis = 2,
    cn_aboutSide = 3,
    cn_aboutAxis = 5,
};

// What errors name: the public function, and the argument whose fields are checked.
typedef struct Source {
    const char* call;
    const char* owner; // "motor", "def.motor[1]"
} Source;

static void NameField(const Source* source, const char* key, char* argument, size_t size) {
    cnFormat(argument, size, "%s.%s", source->owner, key);
}

static cnErrorCode CheckNumber(const Source* source, const char* key, double value, double min, double max,
                               const char* unit) {
    if (value >= min && value <= max) {
        return CN_ERROR_NONE;
    }
    char argument[48];
    NameField(source, key, argument, sizeof argument);
    return cnCheckRange(value, min, max, source->call, argument, unit);
}

static cnErrorCode CheckBounds(const Source* source, const char* key, const double bounds[2]) {
    char argument[48];
    NameField(source, key, argument, sizeof argument);
    return cnCheckInterval(bounds, source->call, argument);
}

// Bounds of a force, unlimited unless given.
static cnErrorCode SetForce(const Source* source, uint32_t given, const double force[2], cnRowSettings* row) {
    if ((given & cn_secondaryForce) != 0) {
        CN_TRY(CheckBounds(source, "force", force));
        row->min = force[0];
        row->max = force[1];
    }
    return CN_ERROR_NONE;
}

// Compliance and damping are the constraint's, of that dof, unless they are given.
typedef struct Softness {
    uint32_t given;
    double compliance, damping;
} Softness;

static const Softness rigid = {cn_secondaryCompliance | cn_secondaryDamping, 0.0, 0.0};

static cnErrorCode CheckSoftness(const Source* source, const Softness* softness) {
    if ((softness->given & cn_secondaryCompliance) != 0) {
        CN_TRY(CheckNumber(source, "compliance", softness->compliance, 0.0, 1e30, "m/N or rad/(N m)"));
    }
    if ((softness->given & cn_secondaryDamping) != 0) {
        CN_TRY(CheckNumber(source, "damping", softness->damping, 0.0, 1e30, "s"));
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

// ---- a secondary from its struct --------------------------------------------------------------------------
//
// Of a constraint whose type takes it. `secondary` has only `given` and `enabled` before.

static cnErrorCode MakeMotor(const cnConstraint* joint, int index, const void* def, const Source* source,
                             cnSecondary* secondary) {
    const cnMotor* motor = def;
    CN_TRY(CheckNumber(source, "speed", motor->speed, -1e30, 1e30, "m/s or rad/s"));
    secondary->enabled = !motor->disabled;
    secondary->lockAtZeroSpeed = motor->lockAtZeroSpeed;
    secondary->target = motor->speed;
    secondary->row = SettingsOf(joint, cn_alongAxis, &rigid);
    CN_TRY(SetForce(source, motor->given, motor->force, &secondary->row));

    // a motor that stands still goes on holding where it does
    const cnSecondary* before = &joint->secondaries[index];
    secondary->holds = before->holds && motor->speed == 0.0 && motor->lockAtZeroSpeed;
    secondary->limits[0] = secondary->holds ? before->limits[0] : 0.0;
    return CN_ERROR_NONE;
}

static cnErrorCode MakeLockAt(const cnConstraint* joint, int index, const void* def, const Source* source,
                              cnSecondary* secondary) {
    const cnLockAt* lockAt = def;
    Softness softness = {lockAt->given, lockAt->compliance, lockAt->damping};
    CN_TRY(CheckNumber(source, "position", lockAt->position, -1e30, 1e30, "m or rad"));
    CN_TRY(CheckSoftness(source, &softness));
    secondary->enabled = !lockAt->disabled;
    secondary->target = lockAt->position;
    secondary->row = SettingsOf(joint, cnJoint_DofOfCoordinate(joint->type, index), &softness);
    return SetForce(source, lockAt->given, lockAt->force, &secondary->row);
}

static cnErrorCode MakeLimits(const cnConstraint* joint, int dof, const cnRange* range, const Source* source,
                              cnSecondary* secondary) {
    Softness softness = {range->given, range->compliance, range->damping};
    CN_TRY(CheckSoftness(source, &softness));
    bool limited = (range->given & cn_secondaryLimits) != 0;
    if (limited) {
        CN_TRY(CheckBounds(source, "limits", range->limits));
    }
    secondary->enabled = !range->disabled;
    secondary->limits[0] = limited ? range->limits[0] : -INFINITY;
    secondary->limits[1] = limited ? range->limits[1] : INFINITY;
    secondary->row = SettingsOf(joint, dof, &softness);
    return CN_ERROR_NONE;
}

static cnErrorCode MakeRange(const cnConstraint* joint, int index, const void* def, const Source* source,
                             cnSecondary* secondary) {
    return MakeLimits(joint, cnJoint_DofOfCoordinate(joint->type, index), def, source, secondary);
}

static cnErrorCode MakeCone(const cnConstraint* joint, int index, const void* def, const Source* source,
                            cnSecondary* secondary) {
    (void)index;
    CN_TRY(MakeLimits(joint, cn_aboutSide, def, source, secondary));
    CN_TRY(CheckNumber(source, "limits", secondary->limits[1], 0.0, CN_PI, "rad"));
    secondary->limits[0] = -INFINITY;
    return CN_ERROR_NONE;
}

static cnErrorCode MakeTwist(const cnConstraint* joint, int index, const void* def, const Source* source,
                             cnSecondary* secondary) {
    (void)index;
    return MakeLimits(joint, cn_aboutAxis, def, source, secondary);
}

static cnErrorCode MakeFriction(const cnConstraint* joint, int index, const void* def, const Source* source,
                                cnSecondary* secondary) {
    (void)index;
    const cnJointFriction* friction = def;
    double radius = (friction->given & cn_secondaryRadius) != 0 ? friction->radius : 1.0;
    CN_TRY(CheckNumber(source, "coefficient", friction->coefficient, 0.0, 1e30, ""));
    CN_TRY(CheckNumber(source, "radius", radius, 1e-30, 1e30, "m"));
    CN_TRY(CheckNumber(source, "force", friction->force, 0.0, 1e30, "N or N m"));
    secondary->enabled = !friction->disabled;
    secondary->boundGiven = (friction->given & cn_secondaryForce) != 0;
    secondary->coefficient = friction->coefficient;
    secondary->radius = radius;
    secondary->row = SettingsOf(joint, cn_alongAxis, &rigid);
    secondary->row.max = friction->force;
    return CN_ERROR_NONE;
}

static cnErrorCode MakeScrew(const cnConstraint* joint, int index, const void* def, const Source* source,
                             cnSecondary* secondary) {
    (void)index;
    const cnScrew* screw = def;
    Softness softness = {screw->given, screw->compliance, screw->damping};
    CN_TRY(CheckSoftness(source, &softness));
    CN_TRY(CheckNumber(source, "lead", screw->lead, -1e30, 1e30, "m/rad"));
    secondary->enabled = !screw->disabled;
    secondary->target = screw->lead;
    secondary->row = SettingsOf(joint, cn_alongAxis, &softness);
    return CN_ERROR_NONE;
}

// ---- setting them -----------------------------------------------------------------------------------------

typedef struct Kind {
    const char* key;
    int slot;        // of the first free coordinate
    uint32_t part;   // that brings it
    uint32_t offset; // of its pointers in cnConstraintDef
    cnErrorCode (*make)(const cnConstraint* joint, int index, const void* def, const Source* source,
                        cnSecondary* secondary);
} Kind;

#define KIND(Name, key, slot, part)                                                                          \
    [cn_key_##key] = {#key, slot, part, offsetof(cnConstraintDef, key), Make##Name}

static const Kind kinds[] = {
    KIND(Motor, motor, cn_slotMotor, cn_hasFree),  KIND(LockAt, lockAt, cn_slotLock, cn_hasFree),
    KIND(Range, range, cn_slotRange, cn_hasFree),  KIND(Friction, friction, cn_slotFriction, cn_hasFree),
    KIND(Cone, cone, cn_slotCone, cn_hasCone),     KIND(Twist, twist, cn_slotTwist, cn_hasCone),
    KIND(Screw, screw, cn_slotScrew, cn_hasScrew),
};
_Static_assert(sizeof kinds / sizeof kinds[0] == cn_secondaryKeyCount,
               "each secondary constraint has its row");

// What the last step did there is no start for the next, where it did not act or acts no longer.
// Null: takes it away.
static cnErrorCode SetSecondary(cnConstraint* joint, const Kind* kind, int index, const void* def,
                                const Source* source) {
    cnSecondary secondary = {.given = def != NULL};
    if (def != NULL) {
        CN_TRY(kind->make(joint, index, def, source, &secondary));
    }
    int slot = kind->slot + index;
    uint32_t bit = 1u << slot, acts = secondary.given && secondary.enabled ? bit : 0;
    if (kind->slot == cn_slotMotor && def != NULL) {
        joint->rows[slot].active = secondary.holds;
    }
    if ((joint->acting & bit) != acts) {
        joint->rows[slot] = (cnRowState){0};
        joint->acting ^= bit;
    }
    joint->secondaries[slot - cn_slotMotor] = secondary;
    return CN_ERROR_NONE;
}

uint32_t cnSecondary_GetPart(cnSecondaryKey key) {
    return kinds[key].part;
}

cnErrorCode cnSetSecondary(cnConstraint* joint, cnSecondaryKey key, int index, const void* def,
                           const char* call) {
    return SetSecondary(joint, &kinds[key], index, def, &(Source){call, kinds[key].key});
}

cnErrorCode cnSetSecondaries(cnConstraint* joint, const cnConstraintDef* def, const char* call) {
    int freeCount = cnConstraintKinds[joint->type].freeCount;
    for (const Kind* kind = kinds; kind < kinds + cn_secondaryKeyCount; ++kind) {
        bool isFree = kind->part == cn_hasFree;
        int taken = isFree ? freeCount : cnJoint_Has(joint, kind->part);
        for (int i = 0; i < (isFree ? 2 : 1); ++i) {
            const void* given;
            memcpy(&given, (const char*)def + kind->offset + (size_t)i * sizeof given, sizeof given);
            if (given == NULL) {
                continue;
            }
            char owner[32];
            bool isNumbered = isFree && (freeCount == 2 || i > 0);
            cnFormat(owner, sizeof owner, isNumbered ? "def.%s[%d]" : "def.%s", kind->key, i);
            if (i >= taken) {
                return cnFail(CN_ERROR_OUT_OF_RANGE, call, owner, "%s is given, allowed for a %s is null",
                              owner, cnConstraintKinds[joint->type].word);
            }
            CN_TRY(SetSecondary(joint, kind, i, given, &(Source){call, owner}));
        }
    }
    return CN_ERROR_NONE;
}
