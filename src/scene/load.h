// From a scene file to a world, section by section.
//
// Sections read with json/json.h and make objects through the public functions. All names are collected
// before, so that any section can refer to any other. As soon as the file wants something that this build
// lacks, no more objects are made, and the rest is only checked.
#pragma once

#include "scene/json/json.h"
#include "scene/scene.h"

// What later sections ask about a body.
typedef struct cnBodyFacts {
    cnMotion motion;
    bool hasMass;          // of its own or from geometries
    bool becomesKinematic; // by an action
} cnBodyFacts;

// A mesh of the section "meshes", for the shapes that name it.
typedef struct cnSceneMesh {
    CN_ARRAY(cnVec3) points;
    CN_ARRAY(int32_t) triangles; // three vertex numbers each
} cnSceneMesh;

typedef struct cnSceneLoader {
    cnScene* scene;
    cnSceneReport report;
    int threads;
    const cnAssetSource* assets; // null: there are no files
    CN_ARRAY(cnMaterialId) materials;
    CN_ARRAY(cnBodyFacts) bodies;
    CN_ARRAY(bool) isHeightField;        // by row of geometry
    CN_ARRAY(cnShapeInstance) instances; // of the geometry being read
    cnShapeId heightField;               // the first of the geometry being read; null without one
    CN_ARRAY(cnVec3) points;             // of the shape being read
    CN_ARRAY(cnSceneMesh) meshes;        // by row of "meshes"
    CN_ARRAY(double) heights;            // of the shape being read
} cnSceneLoader;

// True while objects are made.
static inline bool cnLoader_Builds(const cnSceneLoader* loader) {
    return loader->report.code == CN_ERROR_NONE && !loader->report.isNotYet;
}

// Turns a failed call of the engine into an error at the node, or at that key of it which the engine's
// argument names. Answers `succeeded`.
bool cnLoader_Accept(const cnJson* node, bool succeeded);

bool cnLoader_FailMemory(const cnJson* node);

// Row of what the node names, -1 and an error where nothing has the name.
int cnLoader_FindNamed(cnSceneLoader* loader, const cnJson* node, cnNameKind kind);

// Two different names of a kind, as [a, b].
bool cnLoader_FindTwo(cnSceneLoader* loader, const cnJson* list, cnNameKind kind, int rows[2]);

// What is in the file that the node names, until the next one is read; false and an error at the node where
// there is none or it is wrong. assets.c
bool cnLoader_ReadMesh(cnSceneLoader* loader, const cnJson* node, cnMeshData* mesh);
bool cnLoader_ReadHeights(cnSceneLoader* loader, const cnJson* node, cnHeightData* grid);

// Sections, each with the node that holds it.
void cnLoadMaterials(cnSceneLoader* loader, const cnJson* list);        // materials.c
void cnLoadContactMaterials(cnSceneLoader* loader, const cnJson* list); // materials.c
void cnLoadFreeGeometries(cnSceneLoader* loader, const cnJson* list);   // bodies.c
void cnLoadBodies(cnSceneLoader* loader, const cnJson* list);           // bodies.c
void cnLoadCollisionPairs(cnSceneLoader* loader, const cnJson* list);   // bodies.c
void cnLoadMeshes(cnSceneLoader* loader, const cnJson* list);           // meshes.c
void cnLoadConstraints(cnSceneLoader* loader, const cnJson* list);      // constraints.c
void cnLoadMergedBodies(cnSceneLoader* loader, const cnJson* list);     // merged.c
void cnLoadObservers(cnSceneLoader* loader, const cnJson* list);        // observers.c
void cnLoadActions(cnSceneLoader* loader, const cnJson* list);          // actions.c

// Of geometries and of actions on them. bodies.c
cnSensorMode cnReadSensor(const cnJson* node);

// `mergeSplit` of a body, geometry or constraint, if it has one. bodies.c
void cnReadMergeSplit(const cnJson* node, bool* unmergeable, bool* unsplittable);

// Parts of constraints that actions set, too. constraints.c
extern const char* const cnSecondaryKeys[cn_secondaryKeyCount]; // "motor", "lockAt", …

// Of a motor, lock, range, friction, cone, twist or screw: what is given. False with an error.
bool cnReadSecondary(const cnJson* node, cnSecondaryKey secondary, cnSecondaryPatch* patch);

// One for each free degree of freedom: an object, or a list of two where there are two, null for none.
void cnReadSecondaries(const cnJson* value, cnSecondaryKey key, int freeCount, cnSecondaryPatch patches[2]);

// Reads one { "type", … }. The definition's points and heights lie in the loader until the next call.
// `givesMass` tells whether the solid has a volume. False where it cannot be made: on an error, or when this
// build lacks the shape. shapes.c
bool cnReadShape(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def, bool* givesMass,
                 bool* isHeightField);

// The mesh that a node names; null and an error where nothing has the name. meshes.c
const cnSceneMesh* cnLoader_FindMesh(cnSceneLoader* loader, const cnJson* node);
void cnLoader_FreeMeshes(cnSceneLoader* loader);
