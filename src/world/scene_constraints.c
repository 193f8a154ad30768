// The sections "constraints" and "mergedBodies" of a scene: checked to the last key, and then refused,
// because this build has neither.
#include "world/scene_load.h"

#include <string.h>

// ---- the types --------------------------------------------------------------------------------------------

// Which keys a type takes besides those of all.
enum {
    cn_hasBodies = 1 << 0,      // bodies
    cn_hasFrame = 1 << 1,       // anchor, axis, reference
    cn_hasAnchors = 1 << 2,     // anchors, length
    cn_hasPartners = 1 << 3,    // constraints
    cn_hasSecondaries = 1 << 4, // motor, lockAt, range, friction
    cn_hasCone = 1 << 5,        // cone, twist
    cn_hasRatio = 1 << 6,
    cn_hasRadius = 1 << 7,
    cn_hasLead = 1 << 8,
    cn_hasScrew = 1 << 9, // screw, as a secondary
    cn_hasStiffness = 1 << 10,
};

typedef struct cnConstraintType {
    const char* word;
    uint32_t has;
    int freeDofs; // that take secondaries: one object each, or a list of two
} cnConstraintType;

enum {
    cnOnFrame = cn_hasBodies | cn_hasFrame
};

static const cnConstraintType cnConstraintTypes[] = {
    {"ball", cnOnFrame | cn_hasCone, 0},
    {"hinge", cnOnFrame | cn_hasSecondaries, 1},
    {"prismatic", cnOnFrame | cn_hasSecondaries, 1},
    {"lock", cnOnFrame, 0},
    {"universal", cnOnFrame | cn_hasSecondaries, 2},
    {"cylindrical", cnOnFrame | cn_hasSecondaries | cn_hasScrew, 2},
    {"distance", cn_hasBodies | cn_hasAnchors | cn_hasSecondaries, 1},
    {"planar", cnOnFrame, 0},
    {"angularLock", cnOnFrame, 0},
    {"spring", cn_hasBodies | cn_hasAnchors | cn_hasSecondaries | cn_hasStiffness, 1},
    {"gear", cn_hasPartners | cn_hasRatio, 0},
    {"screw", cnOnFrame | cn_hasSecondaries | cn_hasLead, 2},
    {"rackPinion", cn_hasPartners | cn_hasRadius, 0},
};

enum {
    cnConstraintTypeCount = sizeof cnConstraintTypes / sizeof cnConstraintTypes[0]
};

static const struct {
    const char* key;
    uint32_t needs; // 0: all types have it
} cnConstraintKeys[] = {
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
    {"bodies", cn_hasBodies},
    {"anchor", cn_hasFrame},
    {"axis", cn_hasFrame},
    {"reference", cn_hasFrame},
    {"anchors", cn_hasAnchors},
    {"length", cn_hasAnchors},
    {"constraints", cn_hasPartners},
    {"motor", cn_hasSecondaries},
    {"lockAt", cn_hasSecondaries},
    {"range", cn_hasSecondaries},
    {"friction", cn_hasSecondaries},
    {"cone", cn_hasCone},
    {"twist", cn_hasCone},
    {"ratio", cn_hasRatio},
    {"radius", cn_hasRadius},
    {"lead", cn_hasLead},
    {"screw", cn_hasScrew},
    {"stiffness", cn_hasStiffness},
};

enum {
    cnConstraintKeyCount = sizeof cnConstraintKeys / sizeof cnConstraintKeys[0]
};

// ---- values -----------------------------------------------------------------------------------------------

static void cnCheckFlag(const cnJson* object, const char* key) {
    cnJson node = cnJson_Get(object, key);
    cnJson_AsBoolean(&node, false);
}

static void cnCheckNumber(const cnJson* object, const char* key, const cnJsonRange* range) {
    cnJson node = cnJson_Get(object, key);
    cnJson_AsNumber(&node, range, 0.0);
}

// A number or null.
static double cnReadBound(const cnJson* node, double none) {
    return cnJson_IsNull(node) ? none : cnJson_AsNumber(node, &cnJson_any, none);
}

// [lo, hi], either of which may be null.
static void cnCheckInterval(const cnJson* node) {
    if (!cnJson_CheckCount(node, 2, "[lo, hi], numbers or null")) {
        return;
    }
    cnJson first = cnJson_At(node, 0);
    cnJson second = cnJson_At(node, 1);
    double lowest = cnReadBound(&first, -CN_LARGEST_NUMBER);
    double highest = cnReadBound(&second, CN_LARGEST_NUMBER);
    if (lowest > highest) {
        cnJson_Fail(node, "is [%.9g, %.9g]: the first must not be greater than the second", lowest, highest);
    }
}

// null (none), a size F for [−F, F], or [lo, hi].
static void cnCheckForceBound(const cnJson* object) {
    cnJson node = cnJson_Get(object, "force");
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node)) {
        return;
    }
    if (cJSON_IsArray(node.value)) {
        cnCheckInterval(&node);
    } else {
        cnJson_AsNumber(&node, &cnJson_notNegative, 0.0);
    }
}

// One value, or six in the order of the degrees of freedom; null means the default.
static void cnCheckPerDof(const cnJson* object, const char* key) {
    cnJson node = cnJson_Get(object, key);
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node)) {
        return;
    }
    if (!cJSON_IsArray(node.value)) {
        cnJson_AsNumber(&node, &cnJson_notNegative, 0.0);
        return;
    }
    if (!cnJson_CheckCount(&node, 6, "a number, or a list of six, one per degree of freedom")) {
        return;
    }
    for (cnJson item = cnJson_First(&node, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!cnJson_IsNull(&item)) {
            cnJson_AsNumber(&item, &cnJson_notNegative, 0.0);
        }
    }
}

static void cnCheckForceRange(const cnJson* object) {
    cnJson node = cnJson_Get(object, "forceRange");
    if (!cnJson_IsGiven(&node) || cnJson_IsNull(&node)) {
        return;
    }
    if (cJSON_GetArraySize(node.value) != 6) {
        cnCheckInterval(&node);
        return;
    }
    for (cnJson item = cnJson_First(&node, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        if (!cnJson_IsNull(&item)) {
            cnCheckInterval(&item);
        }
    }
}

// ---- secondaries ------------------------------------------------------------------------------------------

void cnCheckSecondary(const cnJson* node, const char* key) {
    static const char* const motorKeys[] = {"speed", "force", "lockAtZeroSpeed", "enabled"};
    static const char* const lockKeys[] = {"position", "force", "compliance", "damping", "enabled"};
    static const char* const rangeKeys[] = {"limits", "compliance", "damping", "enabled"};
    static const char* const coneKeys[] = {"limit", "compliance", "damping", "enabled"};
    static const char* const frictionKeys[] = {"coefficient", "radius", "force", "enabled"};
    static const char* const screwKeys[] = {"lead", "compliance", "damping", "enabled"};
    bool isRight = strcmp(key, "motor") == 0      ? CN_CHECK_KEYS(node, motorKeys, "a motor")
                   : strcmp(key, "lockAt") == 0   ? CN_CHECK_KEYS(node, lockKeys, "a lock")
                   : strcmp(key, "friction") == 0 ? CN_CHECK_KEYS(node, frictionKeys, "a friction")
                   : strcmp(key, "cone") == 0     ? CN_CHECK_KEYS(node, coneKeys, "a cone")
                   : strcmp(key, "screw") == 0    ? CN_CHECK_KEYS(node, screwKeys, "a screw")
                                                  : CN_CHECK_KEYS(node, rangeKeys, "a range");
    if (!isRight) {
        return;
    }
    cnCheckNumber(node, "speed", &cnJson_any);
    cnCheckNumber(node, "position", &cnJson_any);
    cnCheckNumber(node, "coefficient", &cnJson_notNegative);
    cnCheckNumber(node, "radius", &cnJson_positive);
    cnCheckNumber(node, "lead", &cnJson_any);
    cnCheckNumber(node, "limit", &cnJson_notNegative);
    cnCheckNumber(node, "compliance", &cnJson_notNegative);
    cnCheckNumber(node, "damping", &cnJson_notNegative);
    cnCheckForceBound(node);
    cnCheckFlag(node, "lockAtZeroSpeed");
    cnCheckFlag(node, "enabled");
    cnJson limits = cnJson_Get(node, "limits");
    if (cnJson_IsGiven(&limits)) {
        cnCheckInterval(&limits);
    }
}

// An object, or a list of two where two degrees of freedom are free.
static void cnCheckSecondaries(const cnJson* node, const cnConstraintType* type) {
    static const char* const keys[] = {"motor", "lockAt", "range", "friction"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && (type->has & cn_hasSecondaries) != 0; ++i) {
        cnJson value = cnJson_Get(node, keys[i]);
        if (!cnJson_IsGiven(&value)) {
            continue;
        }
        if (type->freeDofs == 1) {
            cnCheckSecondary(&value, keys[i]);
        } else if (cnJson_CheckCount(&value, 2, "a list of two, one per free degree of freedom")) {
            for (cnJson item = cnJson_First(&value, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
                if (!cnJson_IsNull(&item)) {
                    cnCheckSecondary(&item, keys[i]);
                }
            }
        }
    }
    static const char* const others[] = {"cone", "twist", "screw"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        cnJson value = cnJson_Get(node, others[i]);
        if (cnJson_IsGiven(&value)) {
            cnCheckSecondary(&value, others[i]);
        }
    }
}

// ---- what is connected, and where -------------------------------------------------------------------------

static void cnCheckBodies(cnSceneLoader* loader, const cnJson* node) {
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
}

static void cnCheckFrame(const cnJson* node, bool isUniversal) {
    cnJson anchorNode = cnJson_Get(node, "anchor");
    cnJson axisNode = cnJson_Get(node, "axis");
    cnJson referenceNode = cnJson_Get(node, "reference");
    cnJson_AsVector(&anchorNode, &cnJson_any, cnVec3_zero);
    cnVec3 axis = cnNormalize(cnJson_AsDirection(&axisNode, cnVec(0.0, 0.0, 1.0)));
    cnVec3 reference = cnNormalize(cnJson_AsDirection(&referenceNode, cnVec(1.0, 0.0, 0.0)));
    if (!cnJson_IsGiven(&referenceNode)) {
        return;
    }
    if (isUniversal && !(fabs(cnDot(axis, reference)) <= 1e-6)) {
        cnJson_Fail(&referenceNode, "is not orthogonal to the axis: must be, within 1e-6");
    } else if (!(cnLength(cnCross(axis, reference)) > 1e-9)) {
        cnJson_Fail(&referenceNode, "is parallel to the axis: must be another direction");
    }
}

static void cnCheckAnchors(const cnJson* node) {
    cnJson anchors = cnJson_Need(node, "anchors");
    if (cnJson_IsFine(node) && cnJson_CheckCount(&anchors, 2, "a list of two world points")) {
        for (cnJson item = cnJson_First(&anchors, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
            cnJson_AsVector(&item, &cnJson_any, cnVec3_zero);
        }
    }
    cnCheckNumber(node, "length", &cnJson_notNegative);
}

static void cnCheckNotZero(const cnJson* node, const char* key) {
    cnJson value = cnJson_Need(node, key);
    if (cnJson_AsNumber(&value, &cnJson_any, 1.0) == 0.0) {
        cnJson_Fail(&value, "is 0: must be another number");
    }
}

static void cnCheckConstraint(cnSceneLoader* loader, const cnJson* node) {
    static const char* const solves[] = {"direct", "iterative", "directAndIterative"};

    // the type
    const char* words[cnConstraintTypeCount];
    for (int i = 0; i < cnConstraintTypeCount; ++i) {
        words[i] = cnConstraintTypes[i].word;
    }
    cnJson typeNode = cnJson_Need(node, "type");
    const cnConstraintType* type = &cnConstraintTypes[CN_AS_CHOICE(&typeNode, words, 0)];

    // its keys
    const char* keys[cnConstraintKeyCount];
    int keyCount = 0;
    for (int i = 0; i < cnConstraintKeyCount; ++i) {
        if (cnConstraintKeys[i].needs == 0 || (cnConstraintKeys[i].needs & type->has) != 0) {
            keys[keyCount++] = cnConstraintKeys[i].key;
        }
    }
    if (!cnJson_IsFine(node) || !cnJson_CheckKeys(node, keys, keyCount, type->word)) {
        return;
    }

    // what all have
    cnJson solve = cnJson_Get(node, "solve");
    CN_AS_CHOICE(&solve, solves, 0);
    cnCheckPerDof(node, "compliance");
    cnCheckPerDof(node, "damping");
    cnCheckForceRange(node);
    cnCheckFlag(node, "enabled");
    cnCheckFlag(node, "computeForces");
    cnCheckFlag(node, "collideConnected");
    cnCheckNumber(node, "breakForce", &cnJson_positive);
    cnCheckNumber(node, "breakTorque", &cnJson_positive);

    // what the type has
    if ((type->has & cn_hasBodies) != 0) {
        cnCheckBodies(loader, node);
    }
    if ((type->has & cn_hasFrame) != 0) {
        cnCheckFrame(node, strcmp(type->word, "universal") == 0);
    }
    if ((type->has & cn_hasAnchors) != 0) {
        cnCheckAnchors(node);
    }
    if ((type->has & cn_hasPartners) != 0) {
        int rows[2];
        cnJson partners = cnJson_Need(node, "constraints");
        if (cnJson_IsFine(node) && cnLoader_FindTwo(loader, &partners, cn_name_constraint, rows) &&
            rows[0] == rows[1]) {
            cnJson_Fail(&partners, "is one constraint twice: must be two different ones");
        }
    }
    if ((type->has & cn_hasRatio) != 0) {
        cnCheckNotZero(node, "ratio");
    }
    if ((type->has & cn_hasRadius) != 0) {
        cnCheckNotZero(node, "radius");
    }
    if ((type->has & cn_hasLead) != 0) {
        cnCheckNotZero(node, "lead");
    }
    cnCheckNumber(node, "stiffness", &cnJson_notNegative);
    cnCheckSecondaries(node, type);
    cnJson_NotYet(node, "constraints of type %s", type->word);
}

void cnLoadConstraints(cnSceneLoader* loader, const cnJson* list) {
    for (cnJson item = cnJson_First(list, "a list of constraints"); cnJson_More(&item); cnJson_Next(&item)) {
        cnCheckConstraint(loader, &item);
    }
}

// ---- merged bodies ----------------------------------------------------------------------------------------

// [a, b] or [a, b, kind] of bodies in the list.
static void cnCheckEdge(cnSceneLoader* loader, const cnJson* node) {
    static const char* const kinds[] = {"empty", "contactGenerator", "geometryContact", "constraint"};
    int count = cJSON_GetArraySize(node->value);
    if (!cJSON_IsArray(node->value) || count < 2 || count > 3) {
        cnJson_FailMust(node, "[a, b] or [a, b, kind]");
        return;
    }
    cnJson first = cnJson_At(node, 0);
    cnJson second = cnJson_At(node, 1);
    int row1 = cnLoader_FindNamed(loader, &first, cn_name_body);
    int row2 = cnLoader_FindNamed(loader, &second, cn_name_body);
    if (row1 == row2) {
        cnJson_Fail(node, "joins a body to itself: must name two different ones");
    }
    if (count == 3) {
        cnJson kind = cnJson_At(node, 2);
        CN_AS_CHOICE(&kind, kinds, 0);
    }
}

void cnLoadMergedBodies(cnSceneLoader* loader, const cnJson* list) {
    static const char* const keys[] = {"name", "bodies", "edges", "active"};
    for (cnJson item = cnJson_First(list, "a list of merged bodies"); cnJson_More(&item);
         cnJson_Next(&item)) {
        if (!CN_CHECK_KEYS(&item, keys, "a merged body")) {
            return;
        }
        cnJson bodies = cnJson_Get(&item, "bodies");
        for (cnJson body = cnJson_First(&bodies, "a list of names of bodies"); cnJson_More(&body);
             cnJson_Next(&body)) {
            cnLoader_FindNamed(loader, &body, cn_name_body);
        }
        cnJson edges = cnJson_Get(&item, "edges");
        for (cnJson edge = cnJson_First(&edges, "a list of edges"); cnJson_More(&edge); cnJson_Next(&edge)) {
            cnCheckEdge(loader, &edge);
        }
        cnCheckFlag(&item, "active");
        cnJson_NotYet(&item, "merged bodies");
    }
}
