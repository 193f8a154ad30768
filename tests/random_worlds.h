// Random worlds for tests of snapshots: all shapes and joints, materials, sensors, groups, and random
// changes by the user.
//
// All of it follows from one number, so that two worlds made and changed with the same numbers are the same.
#pragma once

#include "base/containers/hash.h"
#include "cairn/cairn.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RANDOM_BODIES 24
#define RANDOM_JOINTS 12
#define RANDOM_MERGED_BODIES 2

typedef struct RandomWorld {
    cnWorldId id;
    uint64_t state;
    cnBodyId bodies[RANDOM_BODIES];
    cnGeometryId geometries[RANDOM_BODIES];
    cnConstraintId joints[RANDOM_JOINTS];
    cnMergedBodyId merged[RANDOM_MERGED_BODIES];
    cnMaterialId materials[3];
    cnShapeId field;
} RandomWorld;

static inline double randomIn(RandomWorld* world, double lower, double upper) {
    world->state = cnMix64(world->state + 0x9e3779b97f4a7c15u);
    return lower + (upper - lower) * ((double)(world->state >> 11) / 9007199254740992.0);
}

static inline int randomInt(RandomWorld* world, int count) {
    return (int)randomIn(world, 0.0, count);
}

static inline cnVec3 randomVec(RandomWorld* world, double size) {
    double x = randomIn(world, -size, size), y = randomIn(world, -size, size),
           z = randomIn(world, -size, size);
    return cnVec(x, y, z);
}

static inline cnQuat randomRotation(RandomWorld* world) {
    cnVec3 v = randomVec(world, 1.0);
    return cnNormalizeQuat((cnQuat){v.x, v.y, v.z, randomIn(world, 0.1, 1.0)});
}

static inline cnShapeId randomShape(RandomWorld* world) {
    static const int32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    cnVec3 points[12];
    double heights[9];
    static const cnShapeType types[] = {cn_sphere,         cn_box,      cn_box,        cn_capsule,
                                        cn_convex,         cn_cylinder, cn_cone,       cn_hollowCone,
                                        cn_hollowCylinder, cn_trimesh,  cn_heightField};
    double size = randomIn(world, 0.2, 0.5);
    cnShapeDef def = {.type = types[randomInt(world, (int)(sizeof types / sizeof types[0]))],
                      .radius = size,
                      .height = 2.0 * size,
                      .halfExtents = {size, 0.8 * size, randomIn(world, 0.3, 1.0) * size},
                      .innerRadius = 0.6 * size,
                      .topRadius = 0.4 * size,
                      .bottomRadius = size};
    def.thickness = def.type == cn_hollowCone ? 0.3 * size : 0.4 * size;
    for (int i = 0; i < 12; ++i) {
        cnVec3 corner = {(i & 1) != 0 ? size : -size, (i & 2) != 0 ? size : -size,
                         (i & 4) != 0 ? size : -size};
        points[i] = def.type == cn_trimesh ? corner : randomVec(world, 1.5 * size);
    }
    for (int i = 0; i < 9; ++i) {
        heights[i] = randomIn(world, 0.2, 0.6);
    }
    def.points = points;
    def.pointCount = def.type == cn_trimesh ? 8 : 12;
    if (def.type == cn_trimesh) {
        def.triangles = box;
        def.triangleCount = 12;
    }
    if (def.type == cn_heightField) {
        def.columnCount = def.rowCount = 3;
        def.sizeX = def.sizeY = 2.0 * size;
        def.heights = heights;
        def.heightCount = 9;
        def.dynamic = true;
    }
    return cnCreateShape(world->id, &def);
}

static inline void addRandomBody(RandomWorld* world, int i) {
    cnBodyDef body = {.position = cnAdd(cnVec(0.0, 0.0, 2.5), randomVec(world, 1.8)),
                      .rotation = randomRotation(world),
                      .velocity = randomVec(world, 2.0),
                      .angularVelocity = randomVec(world, 2.0)};
    int kind = randomInt(world, 12);
    body.motion = kind == 0 ? cn_kinematic : kind == 1 ? cn_static : cn_dynamic;
    if (body.motion == cn_static) {
        body.velocity = body.angularVelocity = cnVec(0.0, 0.0, 0.0);
    }
    world->bodies[i] = cnCreateBody(world->id, &body);
    cnShapeInstance shapes[2] = {{.shape = randomShape(world)}, {.shape = randomShape(world)}};
    shapes[1].position = randomVec(world, 0.3);
    int material = randomInt(world, 4);
    cnGeometryDef def = {.body = world->bodies[i],
                         .shapes = shapes,
                         .shapeCount = randomInt(world, 4) == 0 ? 2 : 1,
                         .material = material < 3 ? world->materials[material] : (cnMaterialId){0},
                         .sensor = randomInt(world, 10) == 0 ? cn_sensorOn : cn_sensorOff};
    world->geometries[i] = cnCreateGeometry(world->id, &def);
    cnReleaseShape(world->id, shapes[0].shape);
    cnReleaseShape(world->id, shapes[1].shape);
    if (randomInt(world, 5) == 0) {
        cnBody_SetFast(world->id, world->bodies[i], true);
    }
}

static inline void addRandomJoint(RandomWorld* world, int i) {
    int a = randomInt(world, RANDOM_BODIES), b = randomInt(world, RANDOM_BODIES);
    static const cnConstraintType types[] = {
        cn_constraintBall,      cn_constraintHinge,    cn_constraintPrismatic,  cn_constraintLock,
        cn_constraintUniversal, cn_constraintDistance, cn_constraintPlanar,     cn_constraintCylindrical,
        cn_constraintSpring,    cn_constraintScrew,    cn_constraintAngularLock};
    cnConstraintDef def = {.type = types[randomInt(world, 11)],
                           .body1 = world->bodies[a],
                           .body2 = a != b && randomInt(world, 3) != 0 ? world->bodies[b] : (cnBodyId){0},
                           .stiffness = 100.0,
                           .viscosity = 1.0,
                           .lead = 0.2,
                           .ratio = 2.0,
                           .solve = (cnConstraintSolve)randomInt(world, 3),
                           .breakForce = randomInt(world, 6) == 0 ? 200.0 : 0.0};
    if (i == RANDOM_JOINTS - 1) { // one coupling, where it fits
        def.type = cn_constraintGear;
        def.body1 = def.body2 = (cnBodyId){0};
        def.constraint1 = world->joints[0];
        def.constraint2 = world->joints[1];
    } else if (i < 2) {
        def.type = cn_constraintHinge;
    }
    world->joints[i] = cnCreateConstraint(world->id, &def);
    if (CN_IS_NULL(world->joints[i])) {
        return;
    }
    cnConstraint_SetMotor(world->id, world->joints[i], 0,
                          &(cnMotor){.speed = randomIn(world, -2.0, 2.0),
                                     .given = cn_secondaryForce,
                                     .force = {-20.0, 20.0},
                                     .lockAtZeroSpeed = true,
                                     .disabled = randomInt(world, 2) == 0});
    cnConstraint_SetRange(world->id, world->joints[i], 0,
                          &(cnRange){.given = cn_secondaryLimits, .limits = {-0.5, 0.7}});
    if (randomInt(world, 2) == 0) {
        cnConstraint_SetFriction(world->id, world->joints[i], 0, &(cnJointFriction){.coefficient = 0.2});
    }
}

// Between two bodies, or of a joint.
static inline void addRandomEdge(RandomWorld* world) {
    cnMergeEdgeDef def = {.body1 = world->bodies[randomInt(world, RANDOM_BODIES)],
                          .body2 = world->bodies[randomInt(world, RANDOM_BODIES)]};
    cnConstraintId joint = world->joints[randomInt(world, RANDOM_JOINTS)];
    if (randomInt(world, 3) == 0) {
        def = (cnMergeEdgeDef){.kind = cn_mergeEdgeConstraint, .constraint = joint};
    }
    cnMergedBody_AddEdge(world->id, world->merged[randomInt(world, RANDOM_MERGED_BODIES)], &def);
}

static inline void changeMergedBody(RandomWorld* world) {
    int i = randomInt(world, RANDOM_MERGED_BODIES);
    cnMergedBodyId merged = world->merged[i];
    switch (randomInt(world, 6)) {
    case 0:
        cnMergedBody_SetActive(world->id, merged, randomInt(world, 3) != 0);
        break;
    case 1:
        cnBody_Split(world->id, world->bodies[randomInt(world, RANDOM_BODIES)]);
        break;
    case 2:
        cnMergedBody_AddBody(world->id, merged, world->bodies[randomInt(world, RANDOM_BODIES)]);
        break;
    case 3:
        cnMergedBody_SplitIslands(world->id, merged);
        break;
    case 4:
        cnMergeEdge_Remove(world->id, cnMergedBody_GetEdge(world->id, merged, 0));
        break;
    default:
        addRandomEdge(world);
        break;
    }
}

static inline void addRandomGround(RandomWorld* world) {
    double heights[25];
    for (int i = 0; i < 25; ++i) {
        heights[i] = randomIn(world, -0.3, 0.3);
    }
    cnShapeDef field = {.type = cn_heightField,
                        .columnCount = 5,
                        .rowCount = 5,
                        .sizeX = 12.0,
                        .sizeY = 12.0,
                        .heights = heights,
                        .heightCount = 25};
    cnShapeDef plane = {.type = cn_plane, .normal = {0.0, 0.0, 1.0}, .offset = -0.5};
    world->field = cnCreateShape(world->id, &field);
    cnShapeInstance shapes[2] = {{.shape = cnCreateShape(world->id, &plane)}, {.shape = world->field}};
    cnCreateGeometry(world->id, &(cnGeometryDef){.shapes = shapes, .shapeCount = 2});
}

static inline RandomWorld makeRandomWorld(uint64_t seed, int threads) {
    RandomWorld world = {.state = cnMix64(seed + 1)};
    world.id = cnCreateWorld(
        &(cnWorldDef){.threads = threads,
                      .solver = {.type = seed % 5 == 0 ? cn_solverIterative : cn_solverAuto},
                      .sleep = {.enabled = seed % 3 != 0, .linear = 0.1, .angular = 0.4, .time = 0.2},
                      .mergeSplit = {.enabled = seed % 2 == 0,
                                     .normalSpeed = 0.05,
                                     .tangentialSpeed = 0.05,
                                     .rollingSpeed = 0.05,
                                     .constraintSpeed = 0.05}});
    static const char* const library[] = {"steel", NULL, "rubber"};
    for (int i = 0; i < 3; ++i) {
        cnMaterialDef def = {
            .library = library[i], .given = cn_materialRoughness, .roughness = 0.3 + 0.1 * i};
        world.materials[i] = cnCreateMaterial(world.id, &def);
    }
    cnContactMaterialDef pair = {.material1 = world.materials[0], .material2 = world.materials[1]};
    pair.given = cn_contactRestitution;
    pair.restitution = 0.5;
    cnCreateContactMaterial(world.id, &pair);
    addRandomGround(&world);
    for (int i = 0; i < RANDOM_BODIES; ++i) {
        addRandomBody(&world, i);
    }
    uint32_t group = cnWorld_GetGroup(world.id, "loners");
    for (int i = 0; i < 4; ++i) {
        cnGeometry_AddGroup(world.id, world.geometries[i], group);
    }
    cnWorld_SetGroupPairEnabled(world.id, group, group, false);
    cnWorld_SetGeometryPairEnabled(world.id, world.geometries[5], world.geometries[6], false);
    for (int i = 0; i < RANDOM_JOINTS; ++i) {
        addRandomJoint(&world, i);
    }
    for (int i = 0; i < RANDOM_MERGED_BODIES; ++i) {
        world.merged[i] = cnCreateMergedBody(world.id, &(cnMergedBodyDef){0});
    }
    for (int i = 0; seed % 2 == 0 && i < 6; ++i) {
        addRandomEdge(&world);
    }
    return world;
}

static inline void changeShape(RandomWorld* world, int i) {
    cnShapeId shape = randomShape(world);
    cnGeometry_SetShape(world->id, world->geometries[i], shape);
    cnReleaseShape(world->id, shape);
}

// What a user might do between two steps; calls that do not fit fail and change nothing.
static inline void changeRandomly(RandomWorld* world) {
    int i = randomInt(world, RANDOM_BODIES), joint = randomInt(world, RANDOM_JOINTS);
    switch (randomInt(world, 19)) {
    case 0:
        cnDestroyBody(world->id, world->bodies[i]);
        addRandomBody(world, i);
        break;
    case 1:
        cnBody_SetVelocity(world->id, world->bodies[i], randomVec(world, 4.0));
        break;
    case 2:
        cnBody_ApplyForce(world->id, world->bodies[i], randomVec(world, 100.0));
        break;
    case 3:
        cnDestroyConstraint(world->id, world->joints[joint]);
        addRandomJoint(world, joint);
        break;
    case 4:
        cnHeightField_SetHeight(world->id, world->field, randomInt(world, 5), randomInt(world, 5),
                                randomIn(world, -0.3, 0.3));
        break;
    case 5:
        cnConstraint_SetEnabled(world->id, world->joints[joint], randomInt(world, 2) == 0);
        break;
    case 6:
        cnBody_SetPosition(world->id, world->bodies[i], cnAdd(cnVec(0.0, 0.0, 3.0), randomVec(world, 1.0)));
        break;
    case 7:
        cnGeometry_SetEnabled(world->id, world->geometries[i], randomInt(world, 2) == 0);
        break;
    case 8:
        cnConstraint_SetMotor(world->id, world->joints[joint], 0, &(cnMotor){.lockAtZeroSpeed = true});
        break;
    case 9:
    case 10:
        changeMergedBody(world);
        break;
    case 11:
        cnGeometry_SetMergeable(world->id, world->geometries[i], randomInt(world, 2) == 0);
        cnGeometry_SetSplittable(world->id, world->geometries[i], randomInt(world, 2) == 0);
        break;
    case 12:
        cnConstraint_SetMergeable(world->id, world->joints[joint], randomInt(world, 2) == 0);
        cnConstraint_SetSplittable(world->id, world->joints[joint], randomInt(world, 2) == 0);
        break;
    case 13:
        cnBody_ApplyImpulse(world->id, world->bodies[i], randomVec(world, 100.0), randomVec(world, 10.0));
        break;
    case 14:
        cnBody_SetGravityScale(world->id, world->bodies[i], randomIn(world, -0.5, 1.5));
        break;
    case 15:
        changeShape(world, i);
        break;
    case 16:
        cnConstraint_SetTarget(world->id, world->joints[joint], randomVec(world, 3.0));
        cnBody_MoveTo(world->id, world->bodies[i], randomVec(world, 2.0), randomRotation(world), 0.2,
                      randomInt(world, 2) == 0 ? cn_arrivalStop : cn_arrivalKeepVelocity);
        break;
    default:
        break;
    }
}
