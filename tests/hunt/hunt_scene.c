// What there is in a scene that is judged.
#include "hunt.h"

#include <stdlib.h>
#include <string.h>

// ---- the file ---------------------------------------------------------------------------------------------

static double NumberOf(const cJSON* object, const char* key, double otherwise) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static const char* TextOf(const cJSON* object, const char* key) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static cnVec3 VectorOf(const cJSON* item) {
    cnVec3 v = {0};
    if (cJSON_GetArraySize(item) == 3) {
        v = (cnVec3){cJSON_GetArrayItem(item, 0)->valuedouble, cJSON_GetArrayItem(item, 1)->valuedouble,
                     cJSON_GetArrayItem(item, 2)->valuedouble};
    }
    return v;
}

// The largest extent of a shape, m.
static double SizeOfShape(const cJSON* shape) {
    double radius = fmax(NumberOf(shape, "radius", 0.0),
                         fmax(NumberOf(shape, "topRadius", 0.0), NumberOf(shape, "bottomRadius", 0.0)));
    double height = NumberOf(shape, "height", 0.0);
    if (strcmp(TextOf(shape, "type"), "capsule") == 0) {
        return height + 2.0 * radius;
    }
    cnVec3 half = VectorOf(cJSON_GetObjectItemCaseSensitive(shape, "halfExtents"));
    double size = fmax(2.0 * fmax(radius, fmax(half.x, fmax(half.y, half.z))), height);
    const cJSON* point = NULL;
    cJSON_ArrayForEach(point, cJSON_GetObjectItemCaseSensitive(shape, "points")) {
        size = fmax(size, 2.0 * cnLength(VectorOf(point)));
    }
    return size;
}

static double SizeOfGeometry(const cJSON* geometry) {
    double size = SizeOfShape(cJSON_GetObjectItemCaseSensitive(geometry, "shape"));
    const cJSON* instance = NULL;
    cJSON_ArrayForEach(instance, cJSON_GetObjectItemCaseSensitive(geometry, "shapes")) {
        double reach = cnLength(VectorOf(cJSON_GetObjectItemCaseSensitive(instance, "position")));
        size = fmax(size, reach + SizeOfShape(cJSON_GetObjectItemCaseSensitive(instance, "shape")));
    }
    return size;
}

static double SizeOfBody(const cJSON* body) {
    double size = 0.0;
    const cJSON* geometry = NULL;
    cJSON_ArrayForEach(geometry, cJSON_GetObjectItemCaseSensitive(body, "geometries")) {
        double reach = cnLength(VectorOf(cJSON_GetObjectItemCaseSensitive(geometry, "position")));
        size = fmax(size, reach + SizeOfGeometry(geometry));
    }
    return size;
}

// Planes, height fields, meshes and wide boxes that lie flat; walls are none.
static bool IsGround(const cJSON* geometry) {
    const cJSON* shape = cJSON_GetObjectItemCaseSensitive(geometry, "shape");
    const char* type = TextOf(shape, "type");
    cnVec3 half = VectorOf(cJSON_GetObjectItemCaseSensitive(shape, "halfExtents"));
    return strcmp(type, "plane") == 0 || strcmp(type, "heightField") == 0 || strcmp(type, "trimesh") == 0 ||
           (fmax(half.x, half.y) >= 5.0 && fmin(half.x, half.y) > half.z && half.z <= 1.0);
}

// ---- what there is ----------------------------------------------------------------------------------------

double cnHunt_GroundAt(const Hunt* hunt, cnVec3 point) {
    const double reach = 2000.0;
    cnRayResult hits[32];
    cnVec3 origin = cnMulAdd(point, reach - cnHunt_HeightOf(hunt, point), hunt->up);
    const cnQueryFilter filter = {.bodies = cn_queryStatic};
    int count = cnWorld_CastRayAll(hunt->world, origin, cnScale(-2.0 * reach, hunt->up), &filter, hits, 32);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < hunt->groundCount; ++k) {
            if (hits[i].geometry.value == hunt->grounds[k]) {
                return cnHunt_HeightOf(hunt, hits[i].point);
            }
        }
    }
    return NAN;
}

static bool FindGrounds(Hunt* hunt) {
    const uint32_t* handles = findColumn(hunt->world, cn_tableGeometries, "handle");
    int rows = cnWorld_GetTableRows(hunt->world, cn_tableGeometries);
    hunt->grounds = calloc((size_t)rows + 1, sizeof *hunt->grounds);
    if (hunt->grounds == NULL) {
        return false;
    }
    const cJSON* geometry = NULL;
    cJSON_ArrayForEach(geometry, cJSON_GetObjectItemCaseSensitive(hunt->file, "geometries")) {
        cnGeometryId id = cnScene_FindGeometry(hunt->scene, TextOf(geometry, "name"));
        if (IsGround(geometry) && !CN_IS_NULL(id)) {
            hunt->grounds[hunt->groundCount++] = id.value;
        }
    }
    // of static bodies, by their rows
    const cJSON* body = NULL;
    int index = 0;
    cJSON_ArrayForEach(body, cJSON_GetObjectItemCaseSensitive(hunt->file, "bodies")) {
        cnBodyId id = hunt->bodies[index++].id;
        const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(body, "geometries"), 0);
        for (int row = 0; row < rows && first != NULL && IsGround(first); ++row) {
            cnGeometryId candidate = {handles[row]};
            if (strcmp(TextOf(body, "motion"), "static") == 0 && cnGeometry_IsValid(hunt->world, candidate) &&
                CN_SAME_ID(cnGeometry_GetBody(hunt->world, candidate), id)) {
                hunt->grounds[hunt->groundCount++] = candidate.value;
                break;
            }
        }
    }
    return true;
}

static bool FindBodies(Hunt* hunt) {
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(hunt->file, "bodies");
    hunt->bodyCount = cJSON_GetArraySize(list);
    hunt->bodies = calloc((size_t)hunt->bodyCount + 1, sizeof *hunt->bodies);
    const uint32_t* handles = findColumn(hunt->world, cn_tableBodies, "handle");
    if (hunt->bodies == NULL || cnWorld_GetTableRows(hunt->world, cn_tableBodies) != hunt->bodyCount) {
        return false;
    }
    for (int i = 0; i < hunt->bodyCount; ++i) {
        HuntBody* body = &hunt->bodies[i];
        const cJSON* item = cJSON_GetArrayItem(list, i);
        body->id = (cnBodyId){handles[i]};
        body->name = TextOf(item, "name");
        body->isDynamic = cnBody_GetMotion(hunt->world, body->id) == cn_dynamic;
        body->isSwept = cnBody_IsFast(hunt->world, body->id);
        body->mass = cnBody_GetMass(hunt->world, body->id);
        body->size = SizeOfBody(item);
        body->start = body->centre = cnBody_GetCentreOfMass(hunt->world, body->id);
        body->velocity = cnBody_GetVelocity(hunt->world, body->id);
        body->angularVelocity = cnBody_GetAngularVelocity(hunt->world, body->id);
        hunt->mass += body->isDynamic ? body->mass : 0.0;
    }
    return true;
}

static int IndexOfBody(const Hunt* hunt, cnBodyId id) {
    for (int i = 0; !CN_IS_NULL(id) && i < hunt->bodyCount; ++i) {
        if (CN_SAME_ID(hunt->bodies[i].id, id)) {
            return i;
        }
    }
    return -1;
}

bool cnHunt_IsDynamic(const Hunt* hunt, int body) {
    return body >= 0 && hunt->bodies[body].isDynamic;
}

// Largest compliances and whether force bounds keep any of its rows from being held.
static void ReadRows(const Hunt* hunt, HuntJoint* joint) {
    cnWorldId world = hunt->world;
    bool isCoupling = joint->type == cn_constraintGear || joint->type == cn_constraintRackPinion;
    joint->isJudged = joint->type != cn_constraintSpring;
    joint->damping = 0.0;
    int dofs = isCoupling || joint->type == cn_constraintDistance ? 1 : 6;
    for (int dof = 0; dof < dofs; ++dof) {
        double compliance = cnConstraint_GetCompliance(world, joint->id, dof);
        bool isAngle = dof >= 3 || joint->type == cn_constraintGear;
        double* largest = isAngle ? &joint->angular : &joint->linear;
        *largest = fmax(*largest, compliance);
        joint->damping = fmax(joint->damping, cnConstraint_GetDamping(world, joint->id, dof));
        if (isfinite(cnConstraint_GetMinForce(world, joint->id, dof)) ||
            isfinite(cnConstraint_GetMaxForce(world, joint->id, dof))) {
            joint->isJudged = false;
        }
    }
}

int cnHunt_CountCoordinates(cnConstraintType type) {
    switch (type) {
    case cn_constraintHinge:
    case cn_constraintPrismatic:
    case cn_constraintDistance:
    case cn_constraintSpring:
        return 1;
    case cn_constraintCylindrical:
    case cn_constraintScrew:
    case cn_constraintUniversal:
        return 2;
    default:
        return 0;
    }
}

double cnHunt_BeyondRange(const cnRange* range, double value) {
    if (range->disabled || (range->given & cn_secondaryLimits) == 0) {
        return 0.0;
    }
    return fmax(0.0, fmax(range->limits[0] - value, value - range->limits[1]));
}

// Of a secondary constraint without one of its own.
static double OwnCompliance(const HuntJoint* joint, int index) {
    bool hasAngles = joint->type == cn_constraintHinge || joint->type == cn_constraintUniversal;
    bool isSecond = joint->type == cn_constraintCylindrical || joint->type == cn_constraintScrew;
    return hasAngles || (isSecond && index == 1) ? joint->angular : joint->linear;
}

double cnHunt_RangeCompliance(const HuntJoint* joint, const cnRange* range, int index) {
    return (range->given & cn_secondaryCompliance) != 0 ? range->compliance : OwnCompliance(joint, index);
}

double cnHunt_LockCompliance(const HuntJoint* joint, const cnLockAt* lock, int index) {
    return (lock->given & cn_secondaryCompliance) != 0 ? lock->compliance : OwnCompliance(joint, index);
}

static void StartSecondaries(const Hunt* hunt, HuntJoint* joint) {
    for (int i = 0; i < cnHunt_CountCoordinates(joint->type); ++i) {
        joint->lockTarget[i] = cnConstraint_GetLockAt(hunt->world, joint->id, i).position;
        cnRange range = cnConstraint_GetRange(hunt->world, joint->id, i);
        double beyond = cnHunt_BeyondRange(&range, cnConstraint_GetCoordinate(hunt->world, joint->id, i));
        double compliance = cnHunt_RangeCompliance(joint, &range, i);
        if (beyond > 1e-4 && compliance <= HUNT_SOFT_COMPLIANCE) {
            joint->rangeSource[i] = 0.5 * beyond * beyond / fmax(compliance, 1e-12);
        }
    }
}

static bool FindJoints(Hunt* hunt) {
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(hunt->file, "constraints");
    hunt->jointCount = cJSON_GetArraySize(list);
    hunt->joints = calloc((size_t)hunt->jointCount + 1, sizeof *hunt->joints);
    const uint32_t* handles = findColumn(hunt->world, cn_tableConstraints, "handle");
    if (hunt->joints == NULL || cnWorld_GetTableRows(hunt->world, cn_tableConstraints) != hunt->jointCount) {
        return false;
    }
    for (int i = 0; i < hunt->jointCount; ++i) {
        HuntJoint* joint = &hunt->joints[i];
        const cJSON* item = cJSON_GetArrayItem(list, i);
        joint->id = (cnConstraintId){handles[i]};
        joint->name = TextOf(item, "name");
        joint->type = cnConstraint_GetType(hunt->world, joint->id);
        joint->body1 = IndexOfBody(hunt, cnConstraint_GetBody(hunt->world, joint->id, 1));
        joint->body2 = IndexOfBody(hunt, cnConstraint_GetBody(hunt->world, joint->id, 2));
        joint->anchor = cnConstraint_GetFrame(hunt->world, joint->id, 1).position;
        ReadRows(hunt, joint);
        if (joint->type == cn_constraintSpring) {
            joint->stiffness = NumberOf(item, "stiffness", 0.0);
            double distance = cnConstraint_GetCoordinate(hunt->world, joint->id, 0);
            joint->length = NumberOf(item, "length", distance);
        }
        StartSecondaries(hunt, joint);
        double size1 = joint->body1 >= 0 ? hunt->bodies[joint->body1].size : 0.0;
        double size2 = joint->body2 >= 0 ? hunt->bodies[joint->body2].size : 0.0;
        joint->size = size1 > 0.0 && size2 > 0.0 ? fmin(size1, size2) : fmax(size1, size2);
    }
    return true;
}

// The lowest heights that bodies can reach: the ground below them, and what hangs from the world by joints
// that cannot break no lower than the joints between allow.
static void FindLowest(Hunt* hunt) {
    double* level = calloc((size_t)hunt->jointCount + 1, sizeof *level);
    for (int i = 0; i < hunt->jointCount && level != NULL; ++i) {
        HuntJoint* joint = &hunt->joints[i];
        bool holds = joint->type == cn_constraintBall || joint->type == cn_constraintHinge ||
                     joint->type == cn_constraintLock || joint->type == cn_constraintUniversal;
        bool stays = holds && cnConstraint_GetBreakForce(hunt->world, joint->id) == 0.0 &&
                     cnConstraint_GetBreakTorque(hunt->world, joint->id) == 0.0;
        bool isFixed = !cnHunt_IsDynamic(hunt, joint->body1) || !cnHunt_IsDynamic(hunt, joint->body2);
        level[i] = !stays ? NAN : isFixed ? cnHunt_HeightOf(hunt, joint->anchor) : -INFINITY;
    }
    for (int round = 0; round < hunt->jointCount && level != NULL; ++round) {
        bool changed = false;
        for (int i = 0; i < hunt->jointCount; ++i) {
            for (int k = 0; k < hunt->jointCount; ++k) {
                const HuntJoint *from = &hunt->joints[i], *to = &hunt->joints[k];
                bool share = (cnHunt_IsDynamic(hunt, from->body1) &&
                              (from->body1 == to->body1 || from->body1 == to->body2)) ||
                             (cnHunt_IsDynamic(hunt, from->body2) &&
                              (from->body2 == to->body1 || from->body2 == to->body2));
                double reached = level[i] - cnLength(cnSub(from->anchor, to->anchor));
                if (i != k && share && reached > level[k]) {
                    level[k] = reached;
                    changed = true;
                }
            }
        }
        if (!changed) {
            break;
        }
    }
    for (int i = 0; i < hunt->bodyCount; ++i) {
        HuntBody* body = &hunt->bodies[i];
        body->lowest = cnHunt_GroundAt(hunt, body->start);
        for (int k = 0; k < hunt->jointCount && level != NULL; ++k) {
            const HuntJoint* joint = &hunt->joints[k];
            double reached = level[k] - cnLength(cnSub(body->start, joint->anchor));
            if ((joint->body1 == i || joint->body2 == i) && isfinite(reached)) {
                body->lowest = isnan(body->lowest) ? reached : fmax(body->lowest, reached);
            }
        }
        double height = cnHunt_HeightOf(hunt, body->start);
        body->lowest = isnan(body->lowest) ? height : fmin(body->lowest, height);
    }
    free(level);
}

// The highest that any ground is near the scene, so that bodies above need no ray; planes are the
// only endless ones.
static void FindHighestGround(Hunt* hunt) {
    hunt->highestGround = -INFINITY;
    const uint32_t* handles = hunt->grounds;
    for (int i = 0; i < hunt->groundCount; ++i) {
        double level = 0.0;
        const cJSON* geometry = NULL;
        bool isPlane = false;
        cJSON_ArrayForEach(geometry, cJSON_GetObjectItemCaseSensitive(hunt->file, "geometries")) {
            const cJSON* shape = cJSON_GetObjectItemCaseSensitive(geometry, "shape");
            cnVec3 normal = VectorOf(cJSON_GetObjectItemCaseSensitive(shape, "normal"));
            if (cnScene_FindGeometry(hunt->scene, TextOf(geometry, "name")).value == handles[i] &&
                cnDot(normal, hunt->up) > 0.999999) {
                isPlane = true;
                level = NumberOf(shape, "d", 0.0);
            }
        }
        hunt->highestGround = fmax(hunt->highestGround, isPlane ? level : INFINITY);
    }
}

bool cnHunt_Find(Hunt* hunt) {
    cnGravity gravity = cnWorld_GetGravity(hunt->world);
    bool isUniform = gravity.type == cn_gravityDefault || gravity.type == cn_gravityUniform;
    hunt->h = cnWorld_GetTimeStep(hunt->world);
    hunt->gravity = isUniform ? cnLength(gravity.acceleration) : 0.0;
    hunt->up = (cnVec3){0.0, 0.0, 1.0};
    if (hunt->gravity > 0.0) {
        hunt->up = cnScale(-1.0 / hunt->gravity, gravity.acceleration);
    }
    if (!FindBodies(hunt) || !FindGrounds(hunt) || !FindJoints(hunt) || !(hunt->mass > 0.0)) {
        return false;
    }
    FindHighestGround(hunt);
    FindLowest(hunt);
    return true;
}

void cnHunt_Free(Hunt* hunt) {
    free(hunt->bodies);
    free(hunt->joints);
    free(hunt->grounds);
}
