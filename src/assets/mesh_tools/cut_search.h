// The search for the plane that cuts a piece best, one candidate at a time.
//
// Candidates are planes across the axes of the world and of the piece, evenly spaced, and planes along its
// concave edges: those of the two faces, and the one half-way between. The fewer cubic metres the hulls of
// both sides have, the better a candidate is; the best is moved a little both ways. Cuts are not carried out
// for that: a hull needs only the vertices of one side and the points on the edges that are cut.
//
// Some first cuts gain nothing, whichever they are: the halves of a ring, of a cup or a tube fill as much as
// the whole, and only quarters are better. Where no candidate gains much, the search looks ahead: it carries
// out the cuts through the middle and the best ones, and takes that whose pieces can be cut best in turn.
// (CoACD searches a tree to a depth of three for every cut; two, where it is needed, do what that does here,
// and what is cut too much is merged again.)
#pragma once

#include "assets/mesh_tools/piece.h"

typedef enum cnSearchStage {
    cn_stageCandidates,
    cn_stageAhead,
    cn_stageDone
} cnSearchStage;

typedef struct cnCutSearch {
    const cnPiece* piece;
    const cnCutPlane* cutPlanes; // of the decomposition, which caps lie in
    int planeCount;
    CN_ARRAY(cnCutPlane) planes; // candidates
    CN_ARRAY(double) scores;     // m³ of both hulls, per plane that was judged
    CN_ARRAY(int32_t) edges;     // two vertices each
    CN_ARRAY(cnVec3) points[2];  // left, right
    CN_ARRAY(int32_t) ahead;     // planes to look ahead from
    int axisPlanes;              // the first planes are those across axes
    double spacing;              // of planes across an axis, for refining
    int next;                    // candidate, or place in `ahead`
    int refinements;
    cnSearchStage stage;
    int best; // −1
    double bestScore;
} cnCutSearch;

void cnCutSearch_Free(cnCutSearch* search);

// Finds the candidates. False when memory ran out.
bool cnCutSearch_Begin(cnCutSearch* search, const cnPiece* piece, const cnCutPlane* cutPlanes,
                       int planeCount);

// Judges the next candidate. isDone: `best` is the plane, −1 where none cuts the piece. False when memory ran
// out.
bool cnCutSearch_Advance(cnCutSearch* search, bool* isDone);
