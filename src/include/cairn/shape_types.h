// The types of shapes and what each of them takes, described once.
//
// From the lists of this file come the engine's tables of types (src/geometry/shape_forms.c,
// src/geometry/shapes/shape.c), the keys of scene files (src/scene/shapes.c), descriptions in JavaScript with
// their types (web/generated/descriptions.js) and the tables of docs/javascript.md and docs/scene-format.md.
#pragma once

// What colliders, queries and casts ask of a shape's form, as bits.
enum {
    cn_formRound = 1 << 0,     // all points within a radius of a point, or of a part of the y axis
    cn_formPolytope = 1 << 1,  // convex, with flat faces
    cn_formRevolved = 1 << 2,  // a profile swept about y
    cn_formHollow = 1 << 3,    // with a hole along y
    cn_formTriangles = 1 << 4, // a surface of triangles
    cn_formHalfSpace = 1 << 5,
    cn_formLine = 1 << 6,
    cn_formHoldsCentre = 1 << 7, // the middle of its bounds lies inside of it
    cn_formVolume = 1 << 8,      // gives a mass
};

// X(Name, word, form, what it is)
#define CN_SHAPE_TYPES(X)                                                                                    \
    X(Sphere, sphere, cn_formRound | cn_formHoldsCentre | cn_formVolume, "")                                 \
    X(Box, box, cn_formPolytope | cn_formHoldsCentre | cn_formVolume, "")                                    \
    X(Capsule, capsule, cn_formRound | cn_formHoldsCentre | cn_formVolume,                                   \
      "along y, centred; a height of 0 is a ball")                                                           \
    X(Plane, plane, cn_formHalfSpace, "a half-space, solid below")                                           \
    X(Convex, convex, cn_formPolytope | cn_formVolume, "the convex hull of its points")                      \
    X(Cylinder, cylinder, cn_formRevolved | cn_formHoldsCentre | cn_formVolume, "along y, centred")          \
    X(HollowCylinder, hollowCylinder, cn_formRevolved | cn_formHollow | cn_formVolume,                       \
      "along y, centred, open at both ends; the outer radius is `innerRadius` + `thickness`")                \
    X(Cone, cone, cn_formRevolved | cn_formHoldsCentre | cn_formVolume,                                      \
      "along y, from 0 (bottom) to `height` (top); one radius may be 0")                                     \
    X(HollowCone, hollowCone, cn_formRevolved | cn_formHollow | cn_formVolume,                               \
      "as cone, the radii being the outer ones: the hole's are max(0, r − `thickness`) at the ends and "   \
      "linear between; open where the hole has a radius")                                                    \
    X(Line, line, cn_formLine, "reports the first surface it meets, weighs nothing")                         \
    X(Trimesh, trimesh, cn_formTriangles | cn_formVolume,                                                    \
      "a closed mesh is a solid; an open one has no mass; a terrain "                                        \
      "(z up) is solid below")                                                                               \
    X(HeightField, heightField, cn_formTriangles,                                                            \
      "a grid over x and y, centred, z up; a cell's diagonal goes from (i, j) to (i+1, j+1). Solid down to " \
      "`bottomMargin` below its lowest height and touched from above; where `dynamic`, a closed solid with " \
      "a mass, down to `minHeight`")

// Parameters: X(shape, key, where it is taken (everywhere, in a file, by a script), needed or optional, kind
// of value, unit, default, meaning), and N(…) where it is read from files as it is, into the field of
// cnShapeDef with that name.
#define CN_SHAPE_PARAMETERS(X, N)                                                                            \
    N(sphere, radius, everywhere, needed, positive, "m", "", "")                                             \
    N(box, halfExtents, everywhere, needed, positiveVector, "m", "", "")                                     \
    N(capsule, radius, everywhere, needed, positive, "m", "", "")                                            \
    N(capsule, height, everywhere, needed, notNegative, "m", "", "of the cylinder part")                     \
    X(plane, normal, file, optional, direction, "", "", "with `point` or `d`")                               \
    X(plane, point, file, optional, vector, "m", "", "on the plane")                                         \
    X(plane, d, file, optional, number, "m", "", "normal·x = d with the normal as it is given")              \
    X(plane, points, file, optional, points, "m", "",                                                        \
      "three of the plane, in place of normal and point: normal (p1 − p0) × (p2 − p0)")                      \
    X(plane, normal, script, needed, direction, "", "", "")                                                  \
    X(plane, offset, script, optional, number, "m", "0",                                                     \
      "normal·x ≤ offset is solid, with the normal at length 1")                                             \
    X(convex, points, file, optional, points, "m", "", "at least four that span a solid")                    \
    X(convex, mesh, file, optional, mesh, "", "", "in place of `points`: its vertices")                      \
    X(convex, points, script, needed, points, "m", "",                                                       \
      "at least four that span a solid: `[[x, y, z], …]` or 3·n numbers")                                    \
    N(cylinder, radius, everywhere, needed, positive, "m", "", "")                                           \
    N(cylinder, height, everywhere, needed, positive, "m", "", "")                                           \
    N(hollowCylinder, innerRadius, everywhere, needed, positive, "m", "", "")                                \
    N(hollowCylinder, thickness, everywhere, needed, positive, "m", "", "")                                  \
    N(hollowCylinder, height, everywhere, needed, positive, "m", "", "")                                     \
    N(cone, topRadius, everywhere, needed, notNegative, "m", "", "")                                         \
    N(cone, bottomRadius, everywhere, needed, notNegative, "m", "", "")                                      \
    N(cone, height, everywhere, needed, positive, "m", "", "")                                               \
    N(hollowCone, topRadius, everywhere, needed, notNegative, "m", "", "")                                   \
    N(hollowCone, bottomRadius, everywhere, needed, notNegative, "m", "", "")                                \
    N(hollowCone, height, everywhere, needed, positive, "m", "", "")                                         \
    N(hollowCone, thickness, everywhere, needed, positive, "m", "", "along the radius")                      \
    N(line, start, everywhere, needed, vector, "m", "", "")                                                  \
    N(line, end, everywhere, needed, vector, "m", "", "")                                                    \
    X(trimesh, mesh, file, needed, mesh, "", "", "")                                                         \
    X(trimesh, points, script, needed, points, "m", "", "")                                                  \
    X(trimesh, triangles, script, needed, triangles, "", "",                                                 \
      "`[[a, b, c], …]`, 3·n numbers, or an `Int32Array`, `Uint32Array`, `Uint16Array`, up to 2²²")          \
    X(trimesh, winding, everywhere, optional, winding, "", "ccw",                                            \
      "`ccw`, `cw`, or `recalculated`: as the first triangle of each part has it")                           \
    N(trimesh, mergeVertices, everywhere, optional, flag, "", "false", "equal vertices become one")          \
    X(trimesh, mergeTolerance, script, optional, notNegative, "m", "0", "vertices so close are equal")       \
    N(trimesh, terrain, everywhere, optional, flag, "", "false", "")                                         \
    N(trimesh, bottomMargin, everywhere, optional, notNegative, "m", "0",                                    \
      "of a terrain: how far it is solid below its lowest vertex")                                           \
    X(heightField, resolution, everywhere, needed, pair, "", "", "[nx, ny], counts of heights, 2 to 16384")  \
    X(heightField, size, everywhere, needed, pair, "m", "", "[sx, sy]")                                      \
    X(heightField, heights, file, optional, numbers, "m", "", "row by row, x fastest")                       \
    X(heightField, heights, script, needed, numbers, "m", "", "row by row, x fastest")                       \
    X(heightField, image, file, optional, file, "", "",                                                      \
      "a .png in place of `heights`; its first row is the largest y")                                        \
    X(heightField, heightRange, file, optional, pair, "m", "",                                               \
      "[lo, hi], heights of black and white of the `image`")                                                 \
    X(heightField, bottomMargin, everywhere, optional, notNegative, "m", "1", "")                            \
    N(heightField, dynamic, everywhere, optional, flag, "", "false", "")                                     \
    N(heightField, minHeight, everywhere, optional, number, "m", "0", "")

#define CN_SHAPE_TYPE(Name, word, ...) cn_##word,

typedef enum cnShapeType {
    cn_noShape = 0,
    CN_SHAPE_TYPES(CN_SHAPE_TYPE) cn_shapeTypeCount
} cnShapeType;
