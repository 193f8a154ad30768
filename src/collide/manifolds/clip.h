// Faces clipped by faces: what polytopes and smooth shapes make manifolds by.
#pragma once

#include "collide/manifolds/local_manifold.h"

// A convex polygon while it is clipped: corner i and the name of the edge from it to the next. A segment has
// every end twice.
typedef struct cnPolygon {
    int count;
    cnVec3 points[CN_MAX_CANDIDATES];
    uint16_t edges[CN_MAX_CANDIDATES];
} cnPolygon;

// A face brought to another frame by `pose`, its edges named under a tag (0 or CN_FEATURE_OF_B). Of a face of
// more than 64 corners, those extreme in 32 directions.
void cnReadFace(const cnPolytope* polytope, int face, const cnRelativePose* pose, uint32_t tag,
                cnPolygon* polygon);

// The face that meets a reference face first: of those around the lowest vertex, the one that looks most
// downwards. Where the lowest feature is an edge, only the faces beside that edge hold all of it.
int cnFindIncidentFace(const cnPolytope* polytope, cnVec3 down);

// Clips an incident polygon by the sides of a reference (at least three corners, counter-clockwise about the
// unit normal; both in one frame) and keeps up to four points that are no higher above it than `margin`,
// along the normal. The manifold's normal becomes this one. `rise` is by how much the height above the
// reference's plane grows: the normal where that is the reference's own, for another one the plane's, scaled
// so that their product is 1.
void cnClipFaces(const cnPolygon* reference, cnVec3 normal, cnVec3 rise, cnPolygon* incident, double margin,
                 double size, cnLocalManifold* manifold);
