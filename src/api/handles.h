// From the handles that public functions take to rows, with an error for those that are null, stale or
// of another world.
#pragma once

#include "world/world.h"

// The row of a new object, −1 with an error. `hasRoom`: its table has room for one more; `kind`: of what.
int cnAcquireRow(cnWorld* world, cnIdPool* ids, bool hasRoom, const char* kind, const char* call);

// A listener that is at work cannot `act` ("step") on its world.
cnErrorCode cnRejectListeners(const cnWorld* world, const char* act, const char* call);

// Rows of live handles, −1 with an error for `argument`. A null world has had its error.
int cnFindBody(const cnWorld* world, cnBodyId body, const char* call, const char* argument);
int cnFindGeometry(const cnWorld* world, cnGeometryId geometry, const char* call, const char* argument);
int cnFindShape(const cnWorld* world, cnShapeId shape, const char* call, const char* argument);
int cnFindConstraint(const cnWorld* world, cnConstraintId constraint, const char* call, const char* argument);
int cnFindMergedBody(const cnWorld* world, cnMergedBodyId mergedBody, const char* call, const char* argument);
int cnFindMergeEdge(const cnWorld* world, cnMergeEdgeId edge, const char* call, const char* argument);
