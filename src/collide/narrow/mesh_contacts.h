// Inside the colliders of meshes and height fields: when a contact with a triangle counts.
//
// A triangle is a patch of a surface. Alone, each of its edges and corners could be touched from any side; in
// the surface most of them cannot be touched at all, and a body that slides over them would stumble (ghost
// collisions). The directions in which something outside can touch a point of a surface are its normal cone:
// at a face its normal, at a convex edge the arc between the normals of both faces, at flat and concave edges
// nothing that the faces have not. So a contact counts only if its normal lies in the cone of the face, edge
// or corner that it touches; for what is left out a neighbour has a nearer point, or else the triangle's own
// normal is taken. (Ericson 2004, "Real-Time Collision Detection", 5.5; Bender et al. 2014, "Interactive
// Simulation of Rigid Body Dynamics", 4.)
#pragma once

#include "collide/narrow/collide.h"
#include "geometry/triangles.h"

// A surface rises along a direction when it does so by more than this of the way.
#define CN_FREE_SLOPE 1e-3

typedef struct cnMeshVisit {
    const cnShapePair* pair; // A is the mesh or the height field
    cnCandidates* out;
    cnVec3 centre;              // of B, in A's frame
    cnVec3 inner;               // a point of B's solid, in A's frame
    cnTriangleVisitor* collide; // one triangle against B
    bool sees;                  // a triangle within B's bounds
    bool isBehind;              // `inner` is behind one of these
    bool solid;                 // all below the surface counts as inside, however deep: height fields
    bool ok;                    // false: memory ran out
    cnPolytope polytope;        // B, where it is one
    cnBoxStorage storage;
    cnVec3 start, end; // B's axis in A's frame, where it is a capsule, or an edge of a mesh
    double radius;     // m, about the axis
    double beside;     // m, the deepest of B below triangles that its lowest wall is beside
    bool isPierced;    // B's wall goes through a triangle that has no contact to show for it,
    cnVec3 pierced;    // about here
    cnCandidate spare; // stands where nothing else is left; depth 0: none
} cnMeshVisit;

// Whether a direction lies in the normal cone of the surface at an edge, at a corner, or at what a mask
// of corners spans.
bool cnIsFreeAtEdge(const cnTriangle* triangle, int edge, cnVec3 direction);
bool cnIsFreeAtCorners(const cnShape* shape, const cnTriangle* triangle, uint32_t corners, cnVec3 direction);

// The point of a triangle next to a point; `corners`: the mask of those that span the part where it lies.
cnVec3 cnFindClosestOnTriangle(const cnVec3* corners, cnVec3 point, uint32_t* part);

// Adds a candidate given by the point of A's surface; `feature` is made the triangle's own.
void cnAddMeshPoint(cnMeshVisit* visit, const cnTriangle* triangle, cnVec3 onA, cnVec3 normal, double depth,
                    uint32_t feature);

// One triangle against a box or hull, or against a capsule.
void cnCollideTrianglePolytope(cnMeshVisit* visit, const cnTriangle* triangle);
void cnCollideTriangleCapsule(cnMeshVisit* visit, const cnTriangle* triangle);

// Cuts [*from, *to], at first [0, 1], of a segment to what lies over the triangle; false where
// nothing is left.
bool cnCutToTriangle(const cnTriangle* triangle, cnVec3 start, cnVec3 along, double* from, double* to);

// B is a mesh, too.
bool cnCollideMeshes(const cnShapePair* pair, cnCandidates* out);

// B is hollow: its inner wall against one triangle, and the rims of its hole against all, with the deepest of
// the other rims as spare.
bool cnCollideInnerWall(cnMeshVisit* visit, const cnTriangle* triangle);
void cnCollideRims(cnMeshVisit* visit);
