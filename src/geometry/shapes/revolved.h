// Solids of revolution about y: cylinders and cones, hollow or not, as one quadrilateral that turns.
//
// In the half plane of (radius, height) the solid is the quadrilateral with the corners
//
//        innerUpper ──── outerUpper        height = upper
//            │               │
//            │  the solid     ╲            (the axis is on the left)
//            │                 │
//        innerLower ────── outerLower      height = lower
//
// whose point next to a given one gives the point of the solid's surface next to that one, for a rotation
// about the axis only brings it nearer. Without a hole the left side lies on the axis and is no surface.
#pragma once

#include "geometry/shape.h"
#include "geometry/shape_forms.h"

// What a surface point's feature says: sides of the quadrilateral, then its corners.
enum {
    cn_outerWall,
    cn_upperFace,
    cn_innerWall,
    cn_lowerFace,
    cn_outerLowerRim, // corner i begins side i
    cn_outerUpperRim,
    cn_innerUpperRim,
    cn_innerLowerRim
};

// A point or a direction of the half plane.
typedef struct cnProfileVec {
    double radius, height;
} cnProfileVec;

// Corner 0 to 3, counter-clockwise: outer lower, outer upper, inner upper, inner lower.
cnProfileVec cnGetProfileCorner(const cnRevolvedProfile* profile, int corner);

// Whether there is a hole.
static inline bool cnIsHollow(const cnRevolvedProfile* profile) {
    return profile->innerLower > 0.0 || profile->innerUpper > 0.0;
}

// Whether a type has a profile.
static inline bool cnIsRevolved(cnShapeType type) {
    return cnShape_IsType(type, cn_formRevolved);
}

// The point of the profile's surface next to a point of the half plane, which may lie beyond the axis
// (radius < 0): then the surface is that across the axis.
typedef struct cnProfilePoint {
    cnProfileVec point, normal;
    double distance;
    uint32_t feature;
} cnProfilePoint;

cnProfilePoint cnFindClosestOnProfile(const cnRevolvedProfile* profile, double radius, double height);

// The point of the surface next to a point of the frame.
cnSurfacePoint cnFindClosestOnRevolved(const cnRevolvedProfile* profile, cnVec3 point);
