// Pieces of a decomposition: a part of the mesh with its hull and what the hull adds to it.
#pragma once

#include "assets/mesh_tools/cut_part.h"
#include "geometry/hull.h"

typedef struct cnPiece {
    cnCutPart part;
    cnHull* hull;      // null where memory ran out
    double volume;     // of the part
    double hullVolume; // 0 where the hull is only as thick as what is flat
    double error;      // how far the hull reaches out of the mesh
    bool isWhole;      // no plane cuts it
    bool isFlat;       // its hull was made thicker
} cnPiece;

void cnPiece_Free(cnPiece* piece);

// Hull of points, as cnHull_Build; a coarser one where it would have too many vertices.
cnErrorCode cnBuildHull(cnHull** hull, const cnVec3* points, int count);

// Hull of points. What is flat is made `thickness` thick; isFlat (may be null) says whether it was. Null when
// memory ran out.
cnHull* cnBuildThickHull(const cnVec3* points, int count, double thickness, bool* isFlat);

// How far a hull reaches out of the mesh, to within `tolerance` below. A branch and bound over its faces: the
// distance outside changes by no more than the way on the surface, so a triangle whose centre has it at d
// holds nothing beyond d plus its radius, and those that cannot raise the maximum are dropped.
// −1 when memory ran out.
double cnFindHullError(const cnToolMesh* mesh, const cnHull* hull, double tolerance);

// What a volume that hulls add counts beside an error: three tenths of the radius of a ball as large. (CoACD
// weighs the two like this.)
double cnFindVolumeCost(double addedVolume);

// Fills in everything but the part. False when memory ran out.
bool cnPiece_Measure(cnPiece* piece, const cnToolMesh* mesh, double thickness, double tolerance);

// A hull with no more than that many vertices, inside of the given one: corners far from each other first,
// then those that stick out farthest. Null when memory ran out.
cnHull* cnReduceHull(const cnHull* hull, int maxVertices);
