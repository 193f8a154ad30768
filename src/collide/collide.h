// Inside the narrow phase: what the collider families take and give.
//
// The shapes of a pair are put in order (height field, mesh, plane, hollow cone, hollow cylinder, cone, cylinder, convex, box,
// capsule, sphere, line; equals as they come) and called A and B. A
// family works in A's frame in f64: scalar f64 costs what scalar f32 costs, and a small shape on a large one needs no care.
// collide.c rounds the result to f32 about the centre of the smaller shape.
#pragma once

#include "collide/candidates.h"
#include "geometry/polytope.h"
#include "geometry/triangles.h"

typedef struct cnPair {
    const cnShape* a;
    const cnShape* b;
    cnRelativePose pose; // B seen from A
    double margin;       // points up to here apart are made
    double size;         // least half extent of the two: the unit of tolerances
    cnCollideCache* cache;
} cnPair;

typedef struct cnLocalPoint {
    cnVec3 point; // half-way between the surfaces, in A's frame
    double depth;
    uint32_t feature;
} cnLocalPoint;

typedef struct cnLocalManifold {
    cnVec3 normal; // unit, from A to B, in A's frame
    int count;
    cnLocalPoint points[CN_MANIFOLD_POINTS];
} cnLocalManifold;

// Adds one point given by the point of A's surface and the separation along the normal.
static inline void cnAddLocalPoint(cnLocalManifold* manifold, cnVec3 onA, double separation,
                                   uint32_t feature) {
    manifold->points[manifold->count++] =
        (cnLocalPoint){cnMulAdd(onA, 0.5 * separation, manifold->normal), -separation, feature};
}

// Features of polytopes are pairs of edges, A's by their lower half-edge, B's with this bit: where two edges of one shape
// meet is its vertex, where edges of both meet is a crossing. So a point keeps its name when the reference face changes sides.
#define CN_FEATURE_OF_B 0x8000u

static inline uint32_t cnFeatureOfEdges(uint32_t edge1, uint32_t edge2) {
    return edge1 < edge2 ? edge1 << 16 | edge2 : edge2 << 16 | edge1;
}

// A single point between closest corners or edges.
#define CN_FEATURE_CLOSEST 0xfffffffeu

// Chooses at most four of up to 64 candidates: the deepest, then those that span the largest area. Candidates whose depths
// differ by less than 1e-4 of `size` count as equally deep, so that the choice does not flicker at rest. `tangent` is any
// direction across the normal that moves with A.
#define CN_MAX_CANDIDATES 64
void cnReducePoints(cnLocalManifold* manifold, cnLocalPoint* candidates, int count, cnVec3 tangent,
                    double size);

// A unit vector across a unit normal, and the 32 directions that turning it makes: the corners extreme in these stand for a
// face of very many corners (a disc loses less than 1 % of its area).
#define CN_DIRECTION_COUNT 32
cnVec3 cnFindTangent(cnVec3 normal);
cnVec3 cnTurnTangent(cnVec3 normal, cnVec3 tangent, int step);

void cnCollideSphereSphere(const cnPair* pair, cnLocalManifold* manifold);
void cnCollideCapsuleSphere(const cnPair* pair, cnLocalManifold* manifold);
void cnCollideBoxSphere(const cnPair* pair, cnLocalManifold* manifold);
void cnCollideConvexSphere(const cnPair* pair, cnLocalManifold* manifold);
void cnCollideCapsuleCapsule(const cnPair* pair, cnLocalManifold* manifold);
void cnCollidePolytopeCapsule(const cnPair* pair, cnLocalManifold* manifold);
void cnCollideLine(const cnPair* pair, cnLocalManifold* manifold);
void cnCollidePlane(const cnPair* pair, cnLocalManifold* manifold);
void cnCollideBoxBox(const cnPair* pair, cnLocalManifold* manifold);
void cnCollidePolytopes(const cnPair* pair, cnLocalManifold* manifold);

// The same with a ball about a point of A's frame in B's place.
void cnCollidePointWithBox(cnVec3 halfExtents, cnVec3 point, double radius, double margin,
                           cnLocalManifold* manifold);
void cnCollidePointWithHull(const cnHull* hull, cnVec3 point, double radius, double margin,
                            cnLocalManifold* manifold);

// View of a box or a convex shape.
cnPolytope cnGetPolytope(const cnShape* shape, cnBoxStorage* storage);

// Cylinders and cones against each other and against polytopes, capsules and spheres.
void cnCollideSmooth(const cnPair* pair, cnLocalManifold* manifold);

// The part of a triangle that a contact is made with.
typedef enum cnTriangleFeature {
    cn_triangleFace = 0,
    cn_triangleEdge = 1,   // + number of the edge
    cn_triangleCorner = 4, // + number of the corner
    cn_triangleBeside = 7, // the face, but the part of B below it is not the one that looks that way
} cnTriangleFeature;

// A triangle of a mesh, its corners in A's frame, against a convex B. One-sided: the normal never points into the triangle's
// back, and what has sunk below the face is pushed out in front or over an edge or corner, whichever is nearest; not over
// edges where the surface goes on flat or rising. `feature` is the part touched, so that internal edges can be judged. The
// pair's A may be null; it tells what is free at corners. Its cache and the points' features beyond this triangle are the
// caller's: features say which points of B and of the triangle, nothing about which triangle.
void cnCollideTriangle(const cnTriangle* triangle, const cnPair* pair, int* feature,
                       cnLocalManifold* manifold);
// Contacts of `other` with a face of `reference` by clipping, in the reference's frame, the normal out of the face. `pose`:
// `other` seen from `reference`; `referenceTag`: CN_FEATURE_OF_B where the reference is B, else 0.
void cnBuildFaceManifold(const cnPolytope* reference, int face, uint32_t referenceTag,
                         const cnPolytope* other, const cnRelativePose* pose, double margin, double size,
                         cnLocalManifold* manifold);

// How deep the body's points near one of them lie in the field, to `enough`; 0 if that one is outside. `point` and the surface next
// to the deepest are in the field's frame, `pose` is the body seen from the field; `normal` and `depth` are a contact's.
double cnFindSunk(const cnShape* field, const cnShape* body, const cnRelativePose* pose, cnVec3 point,
                  cnVec3 normal, double depth, double enough, cnSurfacePoint* surface);

// ---- concave pairs: false when memory ran out -----------------------------------------------------------------------

// A hollow cylinder or cone against all but meshes, height fields and lines.
bool cnCollideHollow(const cnPair* pair, cnCandidates* out);

// A mesh or a height field against all but lines.
bool cnCollideMesh(const cnPair* pair, cnCandidates* out);

// Sorts candidates into at most CN_PAIR_MANIFOLDS manifolds of one normal each, the deepest first; returns their number.
// The list is used up.
int cnGatherManifolds(const cnPair* pair, cnCandidates* candidates, cnLocalManifold* manifolds);
