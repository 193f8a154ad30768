// What each kind of shape answers: a table of functions a kind, all in the shape's own frame.
// One .c file a kind, which lists the first five in order and names the others.
#pragma once

#include "geometry/triangles.h"

// First meeting of origin + t·translation with the surface, for an origin outside or inside. On a hit
// `fraction` and the outward normal are set; where the origin lies inside, fraction is 0 and `inside` is set.
typedef struct cnLocalRayHit {
    bool hit;
    bool inside;
    double fraction;
    cnVec3 normal;
    int triangle; // its number + 1; 0 for none
} cnLocalRayHit;

struct cnShapeKind {
    // Checks the definition and takes over what the kind needs of it. On an error nothing may
    // be left allocated.
    cnErrorCode (*init)(cnShape* shape, const cnShapeDef* def, const char* call);

    // Sets boundingRadius, inradius and mass (at density 1, about the centre of mass), and `centre` where it
    // is not the middle of the bounds; bounds and centre are set before.
    void (*measure)(cnShape* shape);

    // World bounds at a pose.
    cnBounds (*computeBounds)(const cnShape* shape, cnPose pose);
    cnLocalRayHit (*castRay)(const cnShape* shape, cnVec3 origin, cnVec3 translation);

    // As cnShape_FindClosest; null: no surface.
    bool (*findClosest)(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out);

    // As cnShape_FindSurface; null: what findClosest finds at any reach.
    void (*findSurface)(const cnShape* shape, cnVec3 point, cnSurfacePoint* out);

    bool hasVolume; // a shape of this kind whose volume is 0 is rejected

    // As cnShape_FindCrossing; null: convex, so that a ray goes in once and out once.
    cnLocalRayHit (*findCrossing)(const cnShape* shape, cnVec3 origin, cnVec3 translation, double after);

    // As cnShape_SearchTriangles and what follows it in geometry/triangles.h; null: made of no triangles.
    void (*searchTriangles)(const cnShape* shape, const cnTriangleSearch* search);
    bool (*isFreeAtVertex)(const cnShape* shape, int vertex, cnVec3 normal);

    // Memory beside the struct; null: none.
    void (*free)(cnShape* shape);
    size_t (*getBytes)(const cnShape* shape);
};

#define CN_DECLARE_KIND(Name, ...) extern const cnShapeKind cn##Name##Kind;
CN_SHAPE_TYPES(CN_DECLARE_KIND)
#undef CN_DECLARE_KIND

// A ray at a ball about `centre`; shared by spheres and the ends of capsules.
cnLocalRayHit cnCastRayAtBall(cnVec3 centre, double radius, cnVec3 origin, cnVec3 translation);

// The nearer one of a hit and, beyond `after`, where a ray goes into a convex kind and where it comes out.
cnLocalRayHit cnFindConvexCrossing(const cnShape* shape, cnVec3 origin, cnVec3 translation, double after);

// The point of a hull's surface next to a point; false where it is farther outside than `reach` for certain:
// then `normal` and `distance` are those of a face that it is so far in front of, and the rest is not set.
// Features: a face by its number, edges (by their lower half-edge) and vertices above that.
bool cnHull_FindClosest(const cnHull* hull, cnVec3 point, double reach, cnSurfacePoint* out);

// The point of a ball's surface next to a point; that of its centre lies along `fallback`.
cnSurfacePoint cnFindClosestOnBall(cnVec3 centre, double radius, cnVec3 fallback, cnVec3 point);
