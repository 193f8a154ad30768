// Pieces of a mesh, cut by planes.
//
// A piece is what one side of some planes has of a solid: the clipped triangles of its surface, and caps
// where the planes cut through. Caps are not triangulated. The engine of a decomposition asks for two things
// only, the corners of a piece (for its hull) and its volume, and both follow from the outline of a cap: a
// list of directed segments, each with a weight, that runs around the cap counter-clockwise seen from
// outside. The outline is a cycle, so its area is a sum over segments, whatever the polygon looks like
// (Green). When a plane cuts a piece:
//
//   - each triangle goes to one side or is split; the edges of the left side's triangles on the plane,
//     reversed, are the outline of the new left cap as far as it runs along the surface;
//   - each outline is split the same way. Where it passes the plane it does so at points of one line, that of
//     the old cap's plane and the new one. Sorted along the line, their signs summed up one after the other
//     give the weight of each interval between them: these close the old cap's outline on both sides, and
//     they belong to the new cap's outline too.
//
// All of this is bookkeeping of chains over vertex numbers: what is closed stays closed exactly, with no
// predicates that could contradict each other, no polygons to triangulate, and no case for holes, islands,
// touching outlines or surfaces that cross themselves (which count as often as they cover a place). Vertices
// within a tolerance of the plane count as on it. The usual way, a constrained triangulation of each cap,
// needs all of those cases and fails on some.
//
// Sheets have no caps: their pieces are clipped triangles alone.
#pragma once

#include "assets/mesh_tools/tool_mesh.h"

typedef struct cnCutPlane {
    cnVec3 normal; // unit; left is where normal·x < offset
    double offset;
} cnCutPlane;

// A piece of the outline of a cap.
typedef struct cnCutSegment {
    int32_t from, to; // vertices
    int32_t plane;    // number of the plane, which the cap lies in
    int32_t weight;   // how often it is passed, not 0
} cnCutSegment;

typedef struct cnCutPart {
    CN_ARRAY(cnVec3) vertices;
    CN_ARRAY(int32_t) triangles;
    CN_ARRAY(cnCutSegment) segments;
    bool isSolid;
} cnCutPart;

void cnCutPart_Free(cnCutPart* part);

// Volume of a solid's piece, caps included; 0 of a sheet's.
double cnCutPart_FindVolume(const cnCutPart* part);

typedef enum cnCutOutcome {
    cn_cutDone,
    cn_cutMissed, // the part lies on one side
    cn_cutNoMemory
} cnCutOutcome;

// Vertices within this distance of a plane lie on it.
#define CN_CUT_TOLERANCE 2e-7

static inline double cnCutPlane_Distance(const cnCutPlane* plane, cnVec3 point) {
    double distance = cnDot(plane->normal, point) - plane->offset;
    return fabs(distance) <= CN_CUT_TOLERANCE ? 0.0 : distance;
}

// Cuts a part in two; `planeNumber` is that of the plane among all planes of a decomposition. Unless it is
// done, left and right are empty.
cnCutOutcome cnCutPart_Cut(const cnCutPart* part, const cnCutPlane* planes, int planeNumber, cnCutPart* left,
                           cnCutPart* right);

// Numbers what hangs together in a part, by edges and by the outlines of its caps, from 0; labels has a place
// per triangle. The count, −1 when memory ran out.
int cnCutPart_FindPieces(const cnCutPart* part, int32_t* labels);

// The triangles of a label, with the outlines that belong to them.
bool cnCutPart_TakePiece(const cnCutPart* part, const int32_t* labels, int label, cnCutPart* piece);
