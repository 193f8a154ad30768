// Shapes as the engine keeps them: checked, measured, immutable, indexed by type.
//
// In come definitions (cairn/geometry.h); out go bounds, mass properties, rays and support points here, and
// contacts in collide/. A shape knows no pose, no material and no world. One file per shape holds what
// differs between them; the functions below dispatch.
#pragma once

#include "cairn/geometry.h"
#include "geometry/hull.h"
#include "math/vec3f.h"

typedef struct cnShapeKind cnShapeKind; // geometry/shapes/shape_kinds.h
typedef struct cnTrimesh cnTrimesh;
typedef struct cnHeightField cnHeightField;

// The half profile that a solid of revolution sweeps about y: between two heights, radii that
// change linearly.
typedef struct cnRevolvedProfile {
    double lower, upper;           // m, heights of the two ends
    double outerLower, outerUpper; // m, radii of the wall
    double innerLower, innerUpper; // m, radii of the hole; both 0 without one
} cnRevolvedProfile;

typedef struct cnShape {
    cnShapeType type;
    const cnShapeKind* kind;
    // dimensions, doubles alone and side by side (cnShape_IsSame)
    double radius;             // sphere, capsule; largest outer one of cylinders and cones
    double halfHeight;         // capsule: half the cylinder part; cylinders and cones: half the height
    cnVec3 halfExtents;        // box
    cnVec3 normal;             // plane, unit
    double offset;             // plane
    cnRevolvedProfile profile; // cylinders and cones, hollow or not
    cnVec3 start, end;         // line
    cnHull* hull;              // convex; null otherwise
    cnTrimesh* mesh;           // trimesh; null otherwise
    cnHeightField* field;      // height field; null otherwise
    cnBounds bounds;           // in the shape's frame; a plane's reaches ±1e30
    cnVec3 centre;             // middle of the bounds; a plane's is the point of it next to the origin
    double boundingRadius;     // about the centre; 1e30 for a plane
    double inradius; // half the least width: radius of a ball, inradius of a box, least half width over the
                     // face normals of a hull; 1e30 for a plane
    cnMassProperties mass; // at density 1
    uint64_t content;      // checksum of hull, mesh or field, once somebody asked for it; 0 before
    int holders;           // of a shape that is shared: rows, snapshots of a ring, the last ones of the table
} cnShape;

// Checks the definition and makes the shape. Errors as cnCreateShape; `call` is the public function
// to name in them.
cnErrorCode cnShape_Init(cnShape* shape, const cnShapeDef* def, const char* call);
void cnShape_Free(cnShape* shape);

// Completes a shape of which type and what it is made of are set. False where no kind has the type or the
// shape has no volume.
bool cnShape_Complete(cnShape* shape);

// Without hull, mesh and field: described by its type and dimensions alone.
bool cnShape_IsSimple(const cnShape* shape);
// Of simple shapes: whether they are equal to the bit, and a number that equal ones have in common.
bool cnShape_IsSame(const cnShape* a, const cnShape* b);
uint64_t cnShape_HashDimensions(const cnShape* shape);

// Bounds, centre, radii and mass again, after a change of the shape's surface.
void cnShape_Measure(cnShape* shape);

cnBounds cnShape_ComputeBounds(const cnShape* shape, cnPose pose);

// origin + t·translation, 0 <= t <= 1, in world metres; finished in f64.
cnRayHit cnShape_CastRay(const cnShape* shape, cnPose pose, cnVec3 origin, cnVec3 translation);

// The first place beyond the fraction `after` (negative: from the origin on) where a ray goes into the
// solid or out of it.
cnRayHit cnShape_FindCrossing(const cnShape* shape, cnPose pose, cnVec3 origin, cnVec3 translation,
                              double after);

// The point of a shape's surface next to a point of its frame.
typedef struct cnSurfacePoint {
    cnVec3 point;
    // unit, out of the solid; at edges and corners towards the point asked, whence it is well defined there
    cnVec3 normal;
    double distance;  // m, negative inside the solid
    uint32_t feature; // which face, edge or corner: equal while it is the same one
} cnSurfacePoint;

// False where the surface is farther away than `reach` (outside or inside), or where the kind has no
// surface (lines).
bool cnShape_FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out);

// The point next to a point on all that bounds what the shape holds: sides and bottom of terrains and height
// fields with the rest. What holds nothing, open meshes and lines, is a sheet or a wire with distances >= 0,
// and its normal points from it to the point asked.
void cnShape_FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out);

// Bytes the shape holds beside the struct.
size_t cnShape_GetBytes(const cnShape* shape);
