// Inside the narrow phase: what the collider families take and give.
//
// The shapes of a pair are put in order (height field, mesh, plane, hollow cone, hollow cylinder, cone,
// cylinder, convex, box, capsule, sphere, line; equals as they come) and called A and B. A
// family works in A's frame in f64: scalar f64 costs what scalar f32 costs, and a small shape on a large one
// needs no care. collide.c rounds the result to f32 about the centre of the smaller shape.
#pragma once

#include "collide/manifolds/local_manifold.h"
#include "collide/narrow/collide_shapes.h"

void cnCollideSphereSphere(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollideCapsuleSphere(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollideBoxSphere(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollideConvexSphere(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollideCapsuleCapsule(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollidePolytopeCapsule(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollideLine(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollidePlane(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollideBoxBox(const cnShapePair* pair, cnLocalManifold* manifold);
void cnCollidePolytopes(const cnShapePair* pair, cnLocalManifold* manifold);

// View of a box or a convex shape.
cnPolytope cnGetPolytope(const cnShape* shape, cnBoxStorage* storage);

// Cylinders and cones against each other and against polytopes, capsules and spheres.
void cnCollideSmooth(const cnShapePair* pair, cnLocalManifold* manifold);

// The part of a triangle that a contact is made with.
typedef enum cnTriangleFeature {
    cn_triangleFace = 0,
    cn_triangleEdge = 1,   // + number of the edge
    cn_triangleCorner = 4, // + number of the corner
    cn_triangleBeside = 7, // the face, but the part of B below it is not the one that looks that way
} cnTriangleFeature;

// A triangle of a mesh, its corners in A's frame, against a convex B. One-sided: the normal never points into
// the triangle's back, and what has sunk below the face is pushed out in front or over an edge or corner,
// whichever is nearest; not over edges where the surface goes on flat or rising. `feature` is the part
// touched, so that internal edges can be judged. The pair's A may be null; it tells what is free at corners.
// Its cache and the points' features beyond this triangle are the caller's: features say which points of B
// and of the triangle, nothing about which triangle.
void cnCollideTriangle(const cnTriangle* triangle, const cnShapePair* pair, int* feature,
                       cnLocalManifold* manifold);
// How deep the body's points near one of them lie in the field, to `enough`; 0 if that one is outside.
// `point` and the surface next to the deepest are in the field's frame, `pose` is the body seen from the
// field; `normal` and `depth` are a contact's.
double cnFindSunk(const cnShape* field, const cnShape* body, const cnRelativePose* pose, cnVec3 point,
                  cnVec3 normal, double depth, double enough, cnSurfacePoint* surface);

// ---- concave pairs: false when memory ran out -------------------------------------------------------------

// A hollow cylinder or cone against all but meshes, height fields and lines.
bool cnCollideHollow(const cnShapePair* pair, cnCandidates* out);

// A mesh or a height field against all but lines.
bool cnCollideMesh(const cnShapePair* pair, cnCandidates* out);
