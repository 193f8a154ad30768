// A flat C surface over Box3D for the yardstick: one world at a time, bodies by index, poses in one array.

#include "box3d/box3d.h"
#include "box3d/collision.h"

#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#define API EMSCRIPTEN_KEEPALIVE

static b3WorldId world;
static b3BodyId* bodies;
static int bodyCount, bodyCapacity;

typedef struct {
    void* data;
    void (*destroy)(void*);
} Owned;
static Owned* owned;
static int ownedCount;

static void destroyHull(void* p) {
    b3DestroyHull(p);
}
static void destroyMesh(void* p) {
    b3DestroyMesh(p);
}
static void destroyField(void* p) {
    b3DestroyHeightField(p);
}

static void own(void* data, void (*destroy)(void*)) {
    owned = realloc(owned, (ownedCount + 1) * sizeof(Owned));
    owned[ownedCount++] = (Owned){data, destroy};
}

API void y_world(float gx, float gy, float gz, int sleep, int workers) {
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = (b3Vec3){gx, gy, gz};
    def.enableSleep = sleep;
    def.workerCount = workers;
    world = b3CreateWorld(&def);
    bodyCount = 0;
}

// v: position, rotation (x, y, z, w), linear velocity, angular velocity
API int y_body(int isStatic, const float* v) {
    b3BodyDef def = b3DefaultBodyDef();
    def.type = isStatic ? b3_staticBody : b3_dynamicBody;
    def.position = (b3Pos){v[0], v[1], v[2]};
    def.rotation = (b3Quat){{v[3], v[4], v[5]}, v[6]};
    def.linearVelocity = (b3Vec3){v[7], v[8], v[9]};
    def.angularVelocity = (b3Vec3){v[10], v[11], v[12]};
    if (bodyCount == bodyCapacity) {
        bodyCapacity = bodyCapacity ? 2 * bodyCapacity : 1024;
        bodies = realloc(bodies, bodyCapacity * sizeof(b3BodyId));
    }
    bodies[bodyCount] = b3CreateBody(world, &def);
    return bodyCount++;
}

// m: density, friction, restitution, collide
static b3ShapeDef shapeDef(const float* m) {
    b3ShapeDef def = b3DefaultShapeDef();
    def.density = m[0];
    def.baseMaterial.friction = m[1];
    def.baseMaterial.restitution = m[2];
    if (m[3] == 0)
        def.filter.maskBits = 0;
    return def;
}

API void y_box(int body, const float* m, float x, float y, float z) {
    b3ShapeDef def = shapeDef(m);
    b3BoxHull hull = b3MakeBoxHull(x, y, z);
    b3CreateHullShape(bodies[body], &def, &hull.base);
}

API void y_sphere(int body, const float* m, float radius) {
    b3ShapeDef def = shapeDef(m);
    b3Sphere sphere = {{0, 0, 0}, radius};
    b3CreateSphereShape(bodies[body], &def, &sphere);
}

API void y_capsule(int body, const float* m, float radius, float half) {
    b3ShapeDef def = shapeDef(m);
    b3Capsule capsule = {{0, -half, 0}, {0, half, 0}, radius};
    b3CreateCapsuleShape(bodies[body], &def, &capsule);
}

API void y_hull(int body, const float* m, const float* points, int count) {
    b3ShapeDef def = shapeDef(m);
    b3HullData* hull = b3CreateHull((const b3Vec3*)points, count, count);
    b3CreateHullShape(bodies[body], &def, hull);
    b3DestroyHull(hull); // the shape holds a copy
}

API void y_mesh(int body, const float* m, float* vertices, int vertexCount, int* indices, int triangleCount) {
    b3ShapeDef def = shapeDef(m);
    b3MeshDef meshDef = {.vertices = (b3Vec3*)vertices,
                         .vertexCount = vertexCount,
                         .indices = indices,
                         .triangleCount = triangleCount,
                         .identifyEdges = true};
    b3MeshData* mesh = b3CreateMesh(&meshDef, NULL, 0);
    b3CreateMeshShape(bodies[body], &def, mesh, b3Vec3_one);
    own(mesh, destroyMesh);
}

API void y_field(int body, const float* m, float* heights, int countX, int countZ, float cell, float low,
                 float high) {
    b3ShapeDef def = shapeDef(m);
    uint8_t* materials = calloc((countX - 1) * (countZ - 1), 1);
    b3HeightFieldDef fieldDef = {.heights = heights,
                                 .materialIndices = materials,
                                 .scale = {cell, 1, cell},
                                 .countX = countX,
                                 .countZ = countZ,
                                 .globalMinimumHeight = low,
                                 .globalMaximumHeight = high};
    b3HeightFieldData* field = b3CreateHeightField(&fieldDef);
    b3CreateHeightFieldShape(bodies[body], &def, field);
    free(materials);
    own(field, destroyField);
}

API void y_mass(int body, float mass) {
    b3MassData data = b3Body_GetMassData(bodies[body]);
    float s = mass / data.mass;
    data.mass = mass;
    data.inertia.cx = b3MulSV(s, data.inertia.cx);
    data.inertia.cy = b3MulSV(s, data.inertia.cy);
    data.inertia.cz = b3MulSV(s, data.inertia.cz);
    b3Body_SetMassData(bodies[body], data);
}

API void y_ball(int a, int b, float ax, float ay, float az, float bx, float by, float bz) {
    b3SphericalJointDef def = b3DefaultSphericalJointDef();
    def.base.bodyIdA = bodies[a];
    def.base.bodyIdB = bodies[b];
    def.base.localFrameA.p = (b3Vec3){ax, ay, az};
    def.base.localFrameB.p = (b3Vec3){bx, by, bz};
    b3CreateSphericalJoint(world, &def);
}

API void y_step(float dt, int subSteps) {
    b3World_Step(world, dt, subSteps);
}

// thirteen floats a body, in order of creation
API void y_read(float* out) {
    for (int i = 0; i < bodyCount; ++i, out += 13) {
        if (!b3Body_IsValid(bodies[i]))
            continue;
        b3Pos p = b3Body_GetPosition(bodies[i]);
        b3Quat q = b3Body_GetRotation(bodies[i]);
        b3Vec3 v = b3Body_GetLinearVelocity(bodies[i]);
        b3Vec3 w = b3Body_GetAngularVelocity(bodies[i]);
        float row[13] = {p.x, p.y, p.z, q.v.x, q.v.y, q.v.z, q.s, v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(out, row, sizeof row);
    }
}

API void y_remove(int body) {
    b3DestroyBody(bodies[body]);
}

API int y_contacts(void) {
    return b3World_GetCounters(world).contactCount;
}

API void y_free(void) {
    b3DestroyWorld(world);
    for (int i = 0; i < ownedCount; ++i)
        owned[i].destroy(owned[i].data);
    ownedCount = 0;
    bodyCount = 0;
}
