// The search for a cut; cut_search.h says how.
#include "assets/mesh_tools/cut_search.h"
#include "base/containers/hash_map.h"
#include "base/report/error.h"

enum {
    offsetsPerAxis = 7,
    maxConcaveEdges = 12,
    aheadConcaveEdges = 4,
    maxScorePoints = 1500, // vertices looked at for one candidate
    maxAheadPoints = 400,  // the same when looking ahead
    maxRefinements = 3,
    bestAhead = 6 // candidates to look ahead from, beside those through the middle
};

// The search looks ahead where no candidate takes away this part of what the hull has too much.
#define POOR_GAIN 0.2

// What both sides of a plane have to have away from it.
#define LEAST_REACH 1e-5

// Score of a plane that misses.
#define NO_CUT 1e300

void cnCutSearch_Free(cnCutSearch* search) {
    cnArray_Free(&search->planes);
    cnArray_Free(&search->edges);
    cnArray_Free(&search->scores);
    cnArray_Free(&search->ahead);
    cnArray_Free(&search->points[0]);
    cnArray_Free(&search->points[1]);
}

// ---- candidates -------------------------------------------------------------------------------------------

static bool AddPlane(cnCutSearch* search, cnVec3 normal, cnVec3 point) {
    double length = cnLength(normal);
    if (!(length > 0.0)) {
        return true;
    }
    cnCutPlane plane = {cnScale(1.0 / length, normal), 0.0};
    plane.offset = cnDot(plane.normal, point);
    for (int i = 0; i < search->planes.count; ++i) {
        const cnCutPlane* other = search->planes.data + i;
        double cosine = cnDot(other->normal, plane.normal);
        double offset = cosine < 0.0 ? -plane.offset : plane.offset;
        // of a sheet each side of a plane is another cut
        bool isAlike = search->piece->part.isSolid ? fabs(cosine) > 0.9998 : cosine > 0.9998;
        if (isAlike && fabs(other->offset - offset) < 0.05 * search->spacing) {
            return true;
        }
    }
    return cnArray_Push(&search->planes, plane);
}

static bool AddAxis(cnCutSearch* search, cnVec3 axis) {
    const cnCutPart* part = &search->piece->part;
    double lower = cnDot(axis, part->vertices.data[0]), upper = lower;
    for (int i = 1; i < part->vertices.count; ++i) {
        double place = cnDot(axis, part->vertices.data[i]);
        lower = cnMin(lower, place);
        upper = cnMax(upper, place);
    }
    for (int i = 1; i <= offsetsPerAxis; ++i) {
        double place = lower + i * (upper - lower) / (offsetsPerAxis + 1);
        if (upper - lower > 1e-4 && !AddPlane(search, axis, cnScale(place, axis))) {
            return false;
        }
    }
    search->spacing = cnMax(search->spacing, (upper - lower) / (offsetsPerAxis + 1));
    return true;
}

static cnVec3 FindMiddle(const cnCutPart* part, const int32_t* corners, double* area) {
    cnVec3 a = part->vertices.data[corners[0]];
    cnVec3 b = part->vertices.data[corners[1]];
    cnVec3 c = part->vertices.data[corners[2]];
    *area = 0.5 * cnLength(cnCross(cnSub(b, a), cnSub(c, a)));
    return cnScale(1.0 / 3.0, cnAdd(a, cnAdd(b, c)));
}

// The axes of the world, and those of the surface where they are others.
static bool AddAxes(cnCutSearch* search) {
    static const cnVec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const cnCutPart* part = &search->piece->part;
    cnVec3 mean = cnVec3_zero;
    double total = 0.0;
    for (int i = 0; i < part->triangles.count; i += 3) {
        double area;
        cnVec3 middle = FindMiddle(part, part->triangles.data + i, &area);
        mean = cnMulAdd(mean, area, middle);
        total += area;
    }
    mean = cnScale(1.0 / cnMax(total, 1e-300), mean);
    cnMat33 spread = {cnVec3_zero, cnVec3_zero, cnVec3_zero};
    for (int i = 0; i < part->triangles.count; i += 3) {
        double area;
        cnVec3 way = cnSub(FindMiddle(part, part->triangles.data + i, &area), mean);
        spread.x = cnMulAdd(spread.x, area * way.x, way);
        spread.y = cnMulAdd(spread.y, area * way.y, way);
        spread.z = cnMulAdd(spread.z, area * way.z, way);
    }
    cnQuat turn;
    cnSymmetricEigen(spread, &turn);
    const cnVec3 own[3] = {cnRotate(turn, world[0]), cnRotate(turn, world[1]), cnRotate(turn, world[2])};
    for (int i = 0; i < 3; ++i) {
        if (!AddAxis(search, world[i])) {
            return false;
        }
    }
    for (int i = 0; i < 3; ++i) {
        cnVec3 a = cnAbs(own[i]);
        if (cnMax(a.x, cnMax(a.y, a.z)) < 0.996 && !AddAxis(search, own[i])) {
            return false;
        }
    }
    return true;
}

typedef struct ConcaveEdge {
    double weight;
    cnVec3 point, normal1, normal2;
} ConcaveEdge;

static cnVec3 FindNormal(const cnCutPart* part, int triangle) {
    const int32_t* corners = part->triangles.data + 3 * (size_t)triangle;
    cnVec3 a = part->vertices.data[corners[0]];
    return cnNormalize(
        cnCross(cnSub(part->vertices.data[corners[1]], a), cnSub(part->vertices.data[corners[2]], a)));
}

// Keeps the heaviest ones that are not like a heavier one.
static void KeepConcaveEdge(ConcaveEdge* kept, int* count, int maxCount, const ConcaveEdge* edge) {
    int at = *count;
    for (int i = 0; i < *count; ++i) {
        bool isAlike = cnDot(kept[i].normal1, edge->normal1) > 0.98 &&
                       cnDot(kept[i].normal2, edge->normal2) > 0.98 &&
                       fabs(cnDot(cnSub(kept[i].point, edge->point), edge->normal1)) < 0.01 &&
                       fabs(cnDot(cnSub(kept[i].point, edge->point), edge->normal2)) < 0.01;
        if (isAlike) {
            // of two halves of one edge the weights add up
            kept[i].weight += edge->weight;
            return;
        }
    }
    if (at < maxCount) {
        kept[(*count)++] = *edge;
        return;
    }
    int lightest = 0;
    for (int i = 1; i < at; ++i) {
        lightest = kept[i].weight < kept[lightest].weight ? i : lightest;
    }
    if (edge->weight > kept[lightest].weight) {
        kept[lightest] = *edge;
    }
}

// Lists the edges, and adds planes along those that are concave; along all sharp ones of a sheet.
static bool AddEdges(cnCutSearch* search, int maxCount) {
    const cnCutPart* part = &search->piece->part;
    cnHashMap seen = {0}; // edge → half-edge
    ConcaveEdge kept[maxConcaveEdges];
    int keptCount = 0;
    bool isDone = cnHashMap_Reserve(&seen, part->triangles.count + part->segments.count) &&
                  cnArray_Reserve(&search->edges, 2 * (part->triangles.count + part->segments.count));
    for (int i = 0; isDone && i < part->triangles.count + part->segments.count; ++i) {
        bool isSegment = i >= part->triangles.count;
        const cnCutSegment* segment = isSegment ? part->segments.data + (i - part->triangles.count) : NULL;
        int32_t from = isSegment ? segment->from : part->triangles.data[i];
        int32_t to = isSegment ? segment->to : part->triangles.data[i % 3 == 2 ? i - 2 : i + 1];
        uint64_t key = (uint64_t)(uint32_t)(from < to ? from : to) << 32 | (uint32_t)(from < to ? to : from);
        const int32_t* other = cnHashMap_Find(&seen, key);
        if (other == NULL) {
            cnHashMap_Add(&seen, key, i);
            search->edges.data[search->edges.count++] = from;
            search->edges.data[search->edges.count++] = to;
            continue;
        }
        if (isSegment) {
            continue;
        }
        cnVec3 normal1 = FindNormal(part, i / 3), normal2 = FindNormal(part, *other / 3);
        int32_t far = part->triangles.data[*other % 3 == 0 ? *other + 2 : *other - 1];
        cnVec3 a = part->vertices.data[from];
        cnVec3 way = cnSub(part->vertices.data[far], a);
        double cosine = cnDot(normal1, normal2);
        bool isConcave = part->isSolid ? cnDot(normal1, way) > 1e-9 && cosine < 0.9999 : cosine < 0.95;
        if (isConcave) {
            double length = cnLength(cnSub(part->vertices.data[to], a));
            ConcaveEdge edge = {length * (1.0 - cosine), a, normal1, normal2};
            KeepConcaveEdge(kept, &keptCount, maxCount, &edge);
        }
    }
    cnHashMap_Free(&seen);
    for (int i = 0; isDone && i < keptCount; ++i) {
        cnVec3 normal1 = kept[i].normal1, normal2 = kept[i].normal2, point = kept[i].point;
        isDone = AddPlane(search, normal1, point) && AddPlane(search, normal2, point) &&
                 AddPlane(search, cnSub(normal1, normal2), point);
        if (isDone && !part->isSolid) {
            isDone = AddPlane(search, cnNeg(normal1), point) && AddPlane(search, cnNeg(normal2), point);
        }
    }
    return isDone;
}

// ---- scores -----------------------------------------------------------------------------------------------

// The corners of both sides. Of a large piece not all are looked at.
static bool FindPoints(cnCutSearch* search, const cnCutPlane* plane, int maxPoints) {
    const cnCutPart* part = &search->piece->part;
    search->points[0].count = search->points[1].count = 0;
    int step = part->vertices.count / maxPoints + 1;
    for (int i = 0; i < part->vertices.count; i += step) {
        double distance = cnCutPlane_Distance(plane, part->vertices.data[i]);
        if ((distance <= 0.0 && !cnArray_Push(&search->points[0], part->vertices.data[i])) ||
            (distance >= 0.0 && !cnArray_Push(&search->points[1], part->vertices.data[i]))) {
            return false;
        }
    }
    for (int i = 0; i < search->edges.count; i += 2) {
        cnVec3 a = part->vertices.data[search->edges.data[i]];
        cnVec3 b = part->vertices.data[search->edges.data[i + 1]];
        double from = cnCutPlane_Distance(plane, a), to = cnCutPlane_Distance(plane, b);
        if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0)) {
            double t = from / (from - to);
            cnVec3 point = cnMulAdd(cnScale(1.0 - t, a), t, b);
            if (!cnArray_Push(&search->points[0], point) || !cnArray_Push(&search->points[1], point)) {
                return false;
            }
        }
    }
    return true;
}

// Volume of the hull of points, 0 where it is flat; −1 when memory ran out.
static double FindHullVolume(const cnVec3* points, int count) {
    cnHull* hull = NULL;
    cnErrorCode code = cnBuildHull(&hull, points, count);
    if (code != CN_ERROR_NONE) {
        return code == CN_ERROR_DEGENERATE_SHAPE ? 0.0 : -1.0;
    }
    double volume = 0.0;
    cnVec3 centre;
    cnMat33 inertia;
    cnHull_ComputeMass(hull, &volume, &centre, &inertia);
    cnHull_Free(hull);
    return volume;
}

// The volume of the hulls of both sides; a large number where the plane misses.
static bool FindScore(cnCutSearch* search, const cnCutPlane* plane, int maxPoints, double* score) {
    *score = NO_CUT;
    if (!FindPoints(search, plane, maxPoints)) {
        return false;
    }
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        int count = search->points[side].count;
        double reach = 0.0; // away from the plane
        for (int i = 0; i < count; ++i) {
            reach = cnMax(reach, fabs(cnCutPlane_Distance(plane, search->points[side].data[i])));
        }
        // of a sheet the left side may be what lies in the plane
        bool isInPlane = !search->piece->part.isSolid && side == 0;
        if (count < 3 || (!(reach > LEAST_REACH) && !isInPlane)) {
            return true;
        }
        double volume = FindHullVolume(search->points[side].data, count);
        if (volume < 0.0) {
            return false;
        }
        sum += volume;
    }
    *score = sum;
    return true;
}

bool cnCutSearch_Begin(cnCutSearch* search, const cnPiece* piece, const cnCutPlane* cutPlanes,
                       int planeCount) {
    *search = (cnCutSearch){
        .piece = piece, .cutPlanes = cutPlanes, .planeCount = planeCount, .best = -1, .bestScore = NO_CUT};
    if (!AddAxes(search)) {
        return false;
    }
    search->axisPlanes = search->planes.count;
    return AddEdges(search, maxConcaveEdges);
}

static bool Judge(cnCutSearch* search, int plane) {
    double score;
    if (!FindScore(search, search->planes.data + plane, maxScorePoints, &score) ||
        !cnArray_Push(&search->scores, score)) {
        return false;
    }
    // what is better by rounding only is not better
    if (score < search->bestScore - 1e-12) {
        search->bestScore = score;
        search->best = plane;
    }
    return true;
}

// The best plane moved by half as much as before, both ways.
static bool Refine(cnCutSearch* search) {
    cnCutPlane plane = search->planes.data[search->best];
    double step = search->spacing * 0.5 / (1 << search->refinements);
    ++search->refinements;
    cnCutPlane lower = {plane.normal, plane.offset - step}, upper = {plane.normal, plane.offset + step};
    return cnArray_Push(&search->planes, lower) && cnArray_Push(&search->planes, upper);
}

// ---- looking ahead ----------------------------------------------------------------------------------------

// Lists the planes through the middle of the piece and at its quarters, then the best ones.
static bool ListAhead(cnCutSearch* search) {
    for (int i = 0; i < search->axisPlanes; ++i) {
        int place = i % offsetsPerAxis;
        bool isMiddle = place == offsetsPerAxis / 2;
        if (isMiddle && search->scores.data[i] < NO_CUT && !cnArray_Push(&search->ahead, i)) {
            return false;
        }
    }
    double last = -1.0; // score of the one listed before
    int lastPlane = -1;
    for (int i = 0; i < bestAhead; ++i) {
        int best = -1;
        for (int k = 0; k < search->scores.count; ++k) {
            double score = search->scores.data[k];
            bool isNext = score > last || (score == last && k > lastPlane);
            if (isNext && score < NO_CUT && (best < 0 || score < search->scores.data[best])) {
                best = k;
            }
        }
        if (best < 0) {
            break;
        }
        last = search->scores.data[best];
        lastPlane = best;
        if (!cnArray_Push(&search->ahead, best)) {
            return false;
        }
    }
    return true;
}

// The least volume of hulls for a part: of its own, or of both sides of the best of a few planes. −1 when
// memory ran out.
static double FindBestVolume(const cnCutPart* part) {
    cnPiece piece = {.part = *part};
    cnCutSearch search = {.piece = &piece, .best = -1};
    double best = FindHullVolume(part->vertices.data, part->vertices.count);
    bool isDone = best >= 0.0 && AddAxes(&search);
    search.axisPlanes = search.planes.count;
    isDone = isDone && AddEdges(&search, aheadConcaveEdges);
    for (int i = 0; isDone && i < search.planes.count; ++i) {
        int place = i % offsetsPerAxis;
        bool isMiddle = place == offsetsPerAxis / 2 || place == 1 || place == offsetsPerAxis - 2;
        double score;
        if (isMiddle || i >= search.axisPlanes) {
            isDone = FindScore(&search, search.planes.data + i, maxAheadPoints, &score);
            best = isDone ? cnMin(best, score) : best;
        }
    }
    cnCutSearch_Free(&search);
    return isDone ? best : -1.0;
}

// The same for all that hangs together in a part.
static double FindBestVolumes(const cnCutPart* part) {
    CN_ARRAY(int32_t) labels = {0};
    int count =
        cnArray_Resize(&labels, part->triangles.count / 3) ? cnCutPart_FindPieces(part, labels.data) : -1;
    double sum = count > 0 ? 0.0 : -1.0;
    bool isApart = count > 1 && count <= 8;
    for (int i = 0; sum >= 0.0 && isApart && i < count; ++i) {
        cnCutPart piece;
        double volume = cnCutPart_TakePiece(part, labels.data, i, &piece) ? 0.0 : -1.0;
        // a cavity belongs to what is around it
        isApart = !part->isSolid || cnCutPart_FindVolume(&piece) > 0.0;
        volume = volume >= 0.0 && isApart ? FindBestVolume(&piece) : volume;
        sum = volume >= 0.0 ? sum + volume : -1.0;
        cnCutPart_Free(&piece);
    }
    cnArray_Free(&labels);
    return sum >= 0.0 && !isApart ? FindBestVolume(part) : sum;
}

// Carries out a cut and judges it by what can be made of its pieces.
static bool LookAhead(cnCutSearch* search, int plane) {
    cnCutPart left, right;
    // no number of a plane may be that of an old cap
    CN_ARRAY(cnCutPlane) planes = {0};
    int count = search->planeCount;
    bool isDone = cnArray_Resize(&planes, count + 1);
    if (isDone) {
        for (int i = 0; i < count; ++i) {
            planes.data[i] = search->cutPlanes[i];
        }
        planes.data[count] = search->planes.data[plane];
        cnCutOutcome outcome = cnCutPart_Cut(&search->piece->part, planes.data, count, &left, &right);
        isDone = outcome != cn_cutNoMemory;
        if (outcome == cn_cutDone) {
            double first = FindBestVolumes(&left);
            double second = first >= 0.0 ? FindBestVolumes(&right) : -1.0;
            isDone = second >= 0.0;
            if (isDone && first + second < search->bestScore - 1e-9 * search->piece->hullVolume) {
                search->bestScore = first + second;
                search->best = plane;
            }
            cnCutPart_Free(&left);
            cnCutPart_Free(&right);
        }
    }
    cnArray_Free(&planes);
    return isDone;
}

// ---- one step ---------------------------------------------------------------------------------------------

bool cnCutSearch_Advance(cnCutSearch* search, bool* isDone) {
    const cnPiece* piece = search->piece;
    bool isGood = true;
    if (search->stage == cn_stageCandidates && search->next == search->planes.count) {
        bool isRefined = search->best < 0 || search->refinements == maxRefinements;
        isGood = isRefined || Refine(search);
        double excess = piece->hullVolume - piece->volume;
        bool isPoor = piece->hullVolume - search->bestScore < POOR_GAIN * excess;
        if (isRefined && search->best >= 0 && isPoor) {
            search->stage = cn_stageAhead;
            search->bestScore = NO_CUT;
            search->next = 0;
            isGood = ListAhead(search);
        } else if (isRefined) {
            search->stage = cn_stageDone;
        }
    } else if (search->stage == cn_stageCandidates) {
        isGood = Judge(search, search->next++);
    } else if (search->stage == cn_stageAhead && search->next < search->ahead.count) {
        isGood = LookAhead(search, search->ahead.data[search->next++]);
    } else {
        search->stage = cn_stageDone;
    }
    *isDone = search->stage == cn_stageDone;
    return isGood;
}
