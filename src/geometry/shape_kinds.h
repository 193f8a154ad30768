// What each kind of shape answers: bounds, mass at density 1 and rays, all in the shape's own frame. One .c file a kind.
#pragma once

#include "geometry/shape.h"

// World bounds at a pose.
cnBounds cnSphere_ComputeBounds(const cnShape* shape, cnPose pose);
cnBounds cnBox_ComputeBounds(const cnShape* shape, cnPose pose);
cnBounds cnCapsule_ComputeBounds(const cnShape* shape, cnPose pose);
cnBounds cnPlane_ComputeBounds(const cnShape* shape, cnPose pose);
cnBounds cnConvex_ComputeBounds(const cnShape* shape, cnPose pose);

// At density 1, about the centre of mass.
void cnSphere_ComputeMass(const cnShape* shape, cnMassProperties* mass);
void cnBox_ComputeMass(const cnShape* shape, cnMassProperties* mass);
void cnCapsule_ComputeMass(const cnShape* shape, cnMassProperties* mass);
void cnConvex_ComputeMass(const cnShape* shape, cnMassProperties* mass);

// Half the least width over the face normals.
double cnConvex_ComputeLeastHalfWidth(const cnShape* shape);

// First meeting of origin + t·translation with the surface, for an origin outside or inside. On a hit `fraction` and the
// outward normal are set; where the origin lies inside, fraction is 0 and `inside` is set.
typedef struct cnLocalRayHit {
    bool hit;
    bool inside;
    double fraction;
    cnVec3 normal;
} cnLocalRayHit;

cnLocalRayHit cnSphere_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation);
cnLocalRayHit cnBox_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation);
cnLocalRayHit cnCapsule_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation);
cnLocalRayHit cnPlane_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation);
cnLocalRayHit cnConvex_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation);

// A ray at a ball about `centre`; shared by spheres and the ends of capsules.
cnLocalRayHit cnCastRayAtBall(cnVec3 centre, double radius, cnVec3 origin, cnVec3 translation);
