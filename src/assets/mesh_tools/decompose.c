// Convex decomposition.
//
// Two phases, after CoACD (Wei, Liu, Ling, Su: "Approximate convex decomposition for 3D meshes with
// collision-aware concavity and tree search", SIGGRAPH 2022), though each step is done in another way:
//
//   1. Cutting. The piece whose hull has the largest error is cut by the best plane (cut_search.h,
//      cut_part.h), until all are within the bound or there are enough of them. More are made than are wanted
//      in the end, since what one cut decides the next phase can undo.
//   2. Merging. Two hulls become the hull of both, the cheapest pair first, as long as the common hull is
//      within the bound; and beyond it while there are more than maxHulls. A pair waits in the list with what
//      its volume alone counts, a bound from below, and its error is measured when it is its turn.
//
// The error is how far a hull reaches out of the mesh, measured against the mesh itself (piece.h), so the
// number in the report is that of the hulls that are handed out, not of an approximation.
#include "assets/mesh_tools/cut_search.h"
#include "assets/mesh_tools/piece.h"
#include "base/report/error.h"

#include <string.h>

static const char advanceName[] = "cnDecomposition_Advance";

// Pieces are cut until their hulls have this part of what is allowed.
#define CUT_BEYOND 0.7

// A pair that may be merged.
typedef struct MergePair {
    int32_t first, second; // pieces
    double error;          // of the common hull; 0 until it is measured
    double grownVolume;    // by how much the common hull is larger than both
    double rank;           // the least is merged first
    bool isMeasured;
} MergePair;

typedef enum Phase {
    phasePrepare,
    phaseMeasure, // of the groups
    phaseSearch,  // for the cut of one piece
    phasePairs,   // the pairs of one piece
    phaseMerge,
    phaseFinish,
    phaseCover,
    phaseDone
} Phase;

struct cnDecomposition {
    cnDecompositionDef def;
    cnToolMesh mesh;
    double bound, thickness, tolerance; // in units of the diagonal
    Phase phase;
    double progress;
    CN_ARRAY(cnCutPlane) planes;
    CN_ARRAY(cnPiece) pieces;
    CN_ARRAY(MergePair) pairs;
    cnCutSearch search;
    int current;    // piece
    int startCount; // pieces before the first cut
    int mergeStart; // pieces before the first merge
    bool allPairs;  // also of pieces that do not touch
    int vertex;     // of the mesh, while what is covered is measured
    double uncovered;
    cnDecompositionReport report;
};

// ---- beginning and end ------------------------------------------------------------------------------------

static cnErrorCode FailMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "mesh", "no memory to decompose the mesh");
}

static cnErrorCode CheckDef(const cnDecompositionDef* def, const char* call) {
    if (def->maxHulls < 0 || def->maxHulls > 1024) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "maxHulls", "maxHulls is %d, allowed are 1 to 1024",
                      def->maxHulls);
    }
    if (def->maxVertices != 0 && (def->maxVertices < 4 || def->maxVertices > CN_MAX_HULL_VERTICES)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "maxVertices", "maxVertices is %d, allowed are 4 to %d",
                      def->maxVertices, CN_MAX_HULL_VERTICES);
    }
    const struct {
        const char* name;
        double value, most;
    } numbers[] = {{"maxError", def->maxError, 1e30},
                   {"thickness", def->thickness, 1e30},
                   {"holeShare", def->holeShare, 1.0}};
    if (def->maxVolumeRatio != 0.0 && !(def->maxVolumeRatio > 1.0 && def->maxVolumeRatio <= 1e30)) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "maxVolumeRatio",
                      "maxVolumeRatio is %g, allowed are numbers above 1", def->maxVolumeRatio);
    }
    for (int i = 0; i < 3; ++i) {
        if (!(numbers[i].value >= 0.0 && numbers[i].value <= numbers[i].most)) {
            return cnFail(CN_ERROR_OUT_OF_RANGE, call, numbers[i].name, "%s is %g, allowed are 0 to %g",
                          numbers[i].name, numbers[i].value, numbers[i].most);
        }
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnBeginDecomposition(const cnMeshView* mesh, const cnDecompositionDef* def,
                                 cnDecomposition** decomposition) {
    static const cnDecompositionDef defaults = {0};
    if (decomposition == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, __func__, "decomposition", "decomposition is null");
    }
    *decomposition = NULL;
    def = def != NULL ? def : &defaults;
    CN_TRY(CheckDef(def, __func__));
    cnDecomposition* made = cnAllocate(sizeof *made);
    if (made == NULL) {
        return FailMemory(__func__);
    }
    made->def = *def;
    made->def.maxHulls = def->maxHulls > 0 ? def->maxHulls : 32;
    made->def.maxVolumeRatio = def->maxVolumeRatio > 0.0 ? def->maxVolumeRatio : 1.1;
    made->def.maxVertices = def->maxVertices > 0 ? def->maxVertices : 256;
    double holeShare = def->holeShareGiven ? def->holeShare : 0.05;
    cnErrorCode code = cnToolMesh_Make(&made->mesh, mesh, holeShare, __func__);
    if (code != CN_ERROR_NONE) {
        cnFree(made, sizeof *made);
        return code;
    }
    made->bound = def->maxError > 0.0 ? def->maxError / made->mesh.scale : 0.02;
    made->thickness = def->thickness > 0.0 ? def->thickness / made->mesh.scale : 0.005;
    // a hull is built from what is at least this thick
    made->thickness = cnMax(made->thickness, 1e-5);
    made->tolerance = cnMax(0.15 * made->bound, 2e-4);
    made->current = -1;
    *decomposition = made;
    return CN_ERROR_NONE;
}

void cnEndDecomposition(cnDecomposition* decomposition) {
    if (decomposition == NULL) {
        return;
    }
    for (int i = 0; i < decomposition->pieces.count; ++i) {
        cnPiece_Free(decomposition->pieces.data + i);
    }
    cnArray_Free(&decomposition->pieces);
    cnArray_Free(&decomposition->planes);
    cnArray_Free(&decomposition->pairs);
    cnCutSearch_Free(&decomposition->search);
    cnToolMesh_Free(&decomposition->mesh);
    cnFree(decomposition, sizeof *decomposition);
}

// ---- first pieces: the groups -----------------------------------------------------------------------------

// More pieces than this are not made by cutting.
static int FindCutLimit(const cnDecomposition* d) {
    int spare = d->def.maxHulls < 48 ? d->def.maxHulls + 8 : 56;
    return d->def.maxHulls == 1 ? 1 : d->def.maxHulls + spare;
}

// Groups beyond the limit are joined to clusters: halves of space by number of groups, again and again.
typedef struct GroupPlace {
    cnVec3 middle;
    int32_t group;
} GroupPlace;

static double GetAxis(cnVec3 v, int axis) {
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

static void SortAlong(GroupPlace* places, int count, int axis) {
    // heap sort: there may be a million groups
    for (int start = count / 2 - 1, end = count; end > 1;) {
        if (start < 0) {
            --end;
            GroupPlace top = places[0];
            places[0] = places[end];
            places[end] = top;
        }
        int parent = start < 0 ? 0 : start;
        start = start < 0 ? -1 : start - 1;
        for (int child = 2 * parent + 1; child < end; parent = child, child = 2 * child + 1) {
            double left = GetAxis(places[child].middle, axis);
            double right = child + 1 < end ? GetAxis(places[child + 1].middle, axis) : 0.0;
            if (child + 1 < end &&
                (left < right || (left == right && places[child].group < places[child + 1].group))) {
                ++child;
                left = right;
            }
            double above = GetAxis(places[parent].middle, axis);
            if (above > left || (above == left && places[parent].group >= places[child].group)) {
                break;
            }
            GroupPlace moved = places[parent];
            places[parent] = places[child];
            places[child] = moved;
        }
    }
}

static bool ClusterGroups(const cnDecomposition* d, int limit, int32_t* clusters) {
    const cnToolMesh* mesh = &d->mesh;
    int count = mesh->solids.count;
    for (int i = 0; i < count; ++i) {
        clusters[i] = i;
    }
    if (count <= limit) {
        return true;
    }
    CN_ARRAY(GroupPlace) places = {0};
    CN_ARRAY(int32_t) triangleCounts = {0};
    bool isDone = cnArray_Resize(&places, count) && cnArray_Resize(&triangleCounts, count);
    for (int i = 0; isDone && i < count; ++i) {
        places.data[i] = (GroupPlace){cnVec3_zero, i};
        triangleCounts.data[i] = 0;
    }
    for (int i = 0; isDone && i < mesh->groups.count; ++i) {
        int group = mesh->groups.data[i];
        for (int k = 0; k < 3; ++k) {
            cnVec3* sum = &places.data[group].middle;
            *sum = cnAdd(*sum, mesh->vertices.data[mesh->triangles.data[3 * i + k]]);
        }
        ++triangleCounts.data[group];
    }
    for (int i = 0; isDone && i < count; ++i) {
        places.data[i].middle = cnScale(1.0 / (3 * triangleCounts.data[i]), places.data[i].middle);
    }
    // ranges are halved until there are as many as allowed; as a tree in breadth
    struct {
        int first, count;
    } ranges[256];
    int rangeCount = 1;
    ranges[0].first = 0;
    ranges[0].count = count;
    limit = limit < 256 ? limit : 256;
    while (isDone && rangeCount < limit) {
        int largest = 0;
        for (int i = 1; i < rangeCount; ++i) {
            largest = ranges[i].count > ranges[largest].count ? i : largest;
        }
        GroupPlace* range = places.data + ranges[largest].first;
        int rangeSize = ranges[largest].count;
        cnVec3 lower = range[0].middle, upper = lower;
        for (int i = 1; i < rangeSize; ++i) {
            lower = cnMinVec(lower, range[i].middle);
            upper = cnMaxVec(upper, range[i].middle);
        }
        cnVec3 size = cnSub(upper, lower);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
        SortAlong(range, rangeSize, axis);
        ranges[rangeCount].first = ranges[largest].first + rangeSize / 2;
        ranges[rangeCount].count = rangeSize - rangeSize / 2;
        ranges[largest].count = rangeSize / 2;
        ++rangeCount;
    }
    for (int i = 0; isDone && i < rangeCount; ++i) {
        for (int k = 0; k < ranges[i].count; ++k) {
            clusters[places.data[ranges[i].first + k].group] = i;
        }
    }
    cnArray_Free(&places);
    cnArray_Free(&triangleCounts);
    return isDone;
}

// One piece for each cluster of solids, and one for each of sheets.
static bool MakeFirstPieces(cnDecomposition* d) {
    cnToolMesh* mesh = &d->mesh;
    CN_ARRAY(int32_t) clusters = {0};
    CN_ARRAY(int32_t) pieceOf = {0};   // per cluster and kind
    CN_ARRAY(int32_t) numbers = {0};   // vertex in its piece, valid where owners has the piece
    CN_ARRAY(int32_t) triangles = {0}; // by pieces
    CN_ARRAY(int32_t) starts = {0};
    int groupCount = mesh->solids.count, triangleCount = mesh->groups.count;
    bool isDone = cnArray_Resize(&clusters, groupCount) && cnArray_Resize(&pieceOf, 2 * groupCount) &&
                  cnArray_Resize(&numbers, mesh->vertices.count) &&
                  cnArray_Resize(&triangles, triangleCount) &&
                  ClusterGroups(d, FindCutLimit(d), clusters.data);
    for (int i = 0; isDone && i < 2 * groupCount; ++i) {
        pieceOf.data[i] = -1;
    }
    int pieceCount = 0;
    for (int i = 0; isDone && i < groupCount; ++i) {
        int32_t* piece = pieceOf.data + 2 * clusters.data[i] + (mesh->solids.data[i] ? 0 : 1);
        if (*piece < 0) {
            *piece = pieceCount++;
            cnPiece made = {.part.isSolid = mesh->solids.data[i] != 0};
            isDone = cnArray_Push(&d->pieces, made);
        }
        clusters.data[i] = *piece; // the cluster is not read again
    }
    // triangles by pieces, by counting
    isDone = isDone && cnArray_Resize(&starts, pieceCount + 1);
    for (int i = 0; isDone && i <= pieceCount; ++i) {
        starts.data[i] = 0;
    }
    for (int i = 0; isDone && i < triangleCount; ++i) {
        ++starts.data[clusters.data[mesh->groups.data[i]] + 1];
    }
    for (int i = 0; isDone && i < pieceCount; ++i) {
        starts.data[i + 1] += starts.data[i];
    }
    for (int i = triangleCount - 1; isDone && i >= 0; --i) {
        triangles.data[--starts.data[clusters.data[mesh->groups.data[i]] + 1]] = i;
    }
    for (int i = 0; isDone && i < mesh->vertices.count; ++i) {
        numbers.data[i] = -1;
    }
    int at = 0;
    for (int piece = 0; isDone && piece < pieceCount; ++piece) {
        cnCutPart* part = &d->pieces.data[piece].part;
        int first = at;
        for (; isDone && at < triangleCount && clusters.data[mesh->groups.data[triangles.data[at]]] == piece;
             ++at) {
            for (int k = 0; isDone && k < 3; ++k) {
                int vertex = mesh->triangles.data[3 * triangles.data[at] + k];
                if (numbers.data[vertex] < 0) {
                    numbers.data[vertex] = part->vertices.count;
                    isDone = cnArray_Push(&part->vertices, mesh->vertices.data[vertex]);
                }
                isDone = isDone && cnArray_Push(&part->triangles, numbers.data[vertex]);
            }
        }
        for (int i = 3 * first; isDone && i < 3 * at; ++i) {
            numbers.data[mesh->triangles.data[3 * triangles.data[i / 3] + i % 3]] = -1;
        }
    }
    cnArray_Free(&clusters);
    cnArray_Free(&pieceOf);
    cnArray_Free(&numbers);
    cnArray_Free(&triangles);
    cnArray_Free(&starts);
    return isDone;
}

// ---- cutting ----------------------------------------------------------------------------------------------

// Volume of the hulls of solids.
static double SumHullVolumes(const cnDecomposition* d) {
    double sum = 0.0;
    for (int i = 0; i < d->pieces.count; ++i) {
        const cnPiece* piece = d->pieces.data + i;
        sum += piece->hull != NULL && piece->part.isSolid ? piece->hullVolume : 0.0;
    }
    return sum;
}

// What the hulls of solids may have together, beyond what the mesh has.
static double FindVolumeBound(const cnDecomposition* d) {
    return (d->def.maxVolumeRatio - 1.0) * d->mesh.volume;
}

// The piece to cut next, −1 where none is to be: the one with the largest error, then the one that adds most
// volume. Cutting goes a little beyond the bounds, so that there is something to merge.
static int FindWorst(const cnDecomposition* d) {
    int worst = -1;
    for (int i = 0; i < d->pieces.count; ++i) {
        const cnPiece* piece = d->pieces.data + i;
        if (!piece->isWhole && piece->error > CUT_BEYOND * d->bound &&
            (worst < 0 || piece->error > d->pieces.data[worst].error)) {
            worst = i;
        }
    }
    if (worst >= 0 || SumHullVolumes(d) - d->mesh.volume <= CUT_BEYOND * FindVolumeBound(d)) {
        return worst;
    }
    double most = 1e-3 * FindVolumeBound(d);
    for (int i = 0; i < d->pieces.count; ++i) {
        const cnPiece* piece = d->pieces.data + i;
        double added = piece->hullVolume - piece->volume;
        if (!piece->isWhole && piece->part.isSolid && added > most) {
            most = added;
            worst = i;
        }
    }
    return worst;
}

static bool MeasurePiece(cnDecomposition* d, cnPiece* piece) {
    return cnPiece_Measure(piece, &d->mesh, d->thickness, d->tolerance);
}

// Adds a part as one piece, or as several where it does not hang together and none of them is a cavity.
static bool AddParts(cnDecomposition* d, cnCutPart* part) {
    CN_ARRAY(int32_t) labels = {0};
    CN_ARRAY(cnPiece) made = {0};
    bool isDone = cnArray_Resize(&labels, part->triangles.count / 3);
    int count = isDone ? cnCutPart_FindPieces(part, labels.data) : -1;
    isDone = count > 0;
    bool isApart = count > 1 && count <= 64;
    for (int i = 0; isDone && isApart && i < count; ++i) {
        cnPiece piece = {0};
        isDone = cnCutPart_TakePiece(part, labels.data, i, &piece.part);
        double volume = cnCutPart_FindVolume(&piece.part);
        isApart = !part->isSolid || volume > 0.0;
        if (!isDone || !cnArray_Push(&made, piece)) {
            cnCutPart_Free(&piece.part);
            isDone = false;
        }
    }
    if (isDone && !isApart) {
        for (int i = 0; i < made.count; ++i) {
            cnCutPart_Free(&made.data[i].part);
        }
        made.count = 0;
        cnPiece whole = {.part = *part};
        if (cnArray_Push(&made, whole)) {
            *part = (cnCutPart){0};
        } else {
            isDone = false;
        }
    }
    for (int i = 0; i < made.count; ++i) {
        cnPiece* piece = made.data + i;
        isDone = isDone && MeasurePiece(d, piece);
        // a sliver of a solid that is as thin as rounding is left out: its neighbours cover it
        bool isKept = isDone && !(piece->isFlat && piece->part.isSolid);
        isDone = isDone && (!isKept || cnArray_Push(&d->pieces, *piece));
        if (!isDone || !isKept) {
            cnPiece_Free(piece);
        }
    }
    cnCutPart_Free(part);
    cnArray_Free(&labels);
    cnArray_Free(&made);
    return isDone;
}

// Cuts the current piece by the plane that was found.
static bool CutCurrent(cnDecomposition* d) {
    cnPiece* piece = d->pieces.data + d->current;
    if (d->search.best < 0) {
        piece->isWhole = true;
        return true;
    }
    if (!cnArray_Push(&d->planes, d->search.planes.data[d->search.best])) {
        return false;
    }
    cnCutPart left, right;
    cnCutOutcome outcome = cnCutPart_Cut(&piece->part, d->planes.data, d->planes.count - 1, &left, &right);
    if (outcome != cn_cutDone) {
        piece->isWhole = true;
        return outcome == cn_cutMissed;
    }
    cnPiece_Free(piece);
    *piece = d->pieces.data[--d->pieces.count];
    bool isDone = AddParts(d, &left);
    // the right part is freed whatever happened to the left one
    return AddParts(d, &right) && isDone;
}

static bool BeginPairs(cnDecomposition* d);

// Chooses the next piece to cut, or goes on to merging.
static bool ChoosePiece(cnDecomposition* d) {
    cnCutSearch_Free(&d->search);
    d->current = d->pieces.count < FindCutLimit(d) ? FindWorst(d) : -1;
    if (d->current < 0) {
        return BeginPairs(d);
    }
    d->phase = phaseSearch;
    return cnCutSearch_Begin(&d->search, d->pieces.data + d->current, d->planes.data, d->planes.count);
}

// ---- merging ----------------------------------------------------------------------------------------------

static cnBounds FindHullBounds(const cnHull* hull) {
    cnBounds bounds = {hull->vertices[0], hull->vertices[0]};
    for (int i = 1; i < hull->vertexCount; ++i) {
        bounds.lower = cnMinVec(bounds.lower, hull->vertices[i]);
        bounds.upper = cnMaxVec(bounds.upper, hull->vertices[i]);
    }
    return bounds;
}

static bool IsNear(const cnBounds* a, const cnBounds* b, double gap) {
    return a->lower.x - gap <= b->upper.x && b->lower.x - gap <= a->upper.x &&
           a->lower.y - gap <= b->upper.y && b->lower.y - gap <= a->upper.y &&
           a->lower.z - gap <= b->upper.z && b->lower.z - gap <= a->upper.z;
}

// The common hull of two pieces; null when memory ran out.
static cnHull* JoinHulls(const cnDecomposition* d, const cnPiece* a, const cnPiece* b) {
    CN_ARRAY(cnVec3) points = {0};
    cnHull* hull = NULL;
    int count = a->hull->vertexCount + b->hull->vertexCount;
    if (cnArray_Resize(&points, count)) {
        memcpy(points.data, a->hull->vertices, (size_t)a->hull->vertexCount * sizeof(cnVec3));
        memcpy(points.data + a->hull->vertexCount, b->hull->vertices,
               (size_t)b->hull->vertexCount * sizeof(cnVec3));
        hull = cnBuildThickHull(points.data, count, d->thickness, NULL);
    }
    cnArray_Free(&points);
    return hull;
}

static double FindHullVolume(const cnHull* hull) {
    double volume = 0.0;
    cnVec3 centre;
    cnMat33 inertia;
    cnHull_ComputeMass(hull, &volume, &centre, &inertia);
    return volume;
}

// By the error, and by how much the hulls grow. Until the error is known this is a bound from below.
static void RankPair(MergePair* pair) {
    pair->rank = pair->error + cnFindVolumeCost(pair->grownVolume);
}

// Lists a piece's pairs with those before it; with all others where it was just made.
static bool ListPairs(cnDecomposition* d, int piece, int end) {
    const cnPiece* own = d->pieces.data + piece;
    cnBounds bounds = FindHullBounds(own->hull);
    for (int i = 0; i < end; ++i) {
        const cnPiece* other = d->pieces.data + i;
        if (i == piece || other->hull == NULL) {
            continue;
        }
        cnBounds otherBounds = FindHullBounds(other->hull);
        if (!d->allPairs && !IsNear(&bounds, &otherBounds, d->bound)) {
            continue;
        }
        cnHull* hull = JoinHulls(d, own, other);
        if (hull == NULL) {
            return false;
        }
        double volume = FindHullVolume(hull);
        cnHull_Free(hull);
        MergePair pair = {.first = i < piece ? i : piece,
                          .second = i < piece ? piece : i,
                          .grownVolume = volume - own->hullVolume - other->hullVolume};
        RankPair(&pair);
        if (!cnArray_Push(&d->pairs, pair)) {
            return false;
        }
    }
    return true;
}

static bool BeginPairs(cnDecomposition* d) {
    d->pairs.count = 0;
    d->mergeStart = d->pieces.count;
    d->current = 0;
    d->phase = phasePairs;
    return true;
}

static int CountPieces(const cnDecomposition* d) {
    int count = 0;
    for (int i = 0; i < d->pieces.count; ++i) {
        count += d->pieces.data[i].hull != NULL ? 1 : 0;
    }
    return count;
}

// Merges a pair; its first piece becomes the common one.
static bool MergePieces(cnDecomposition* d, int first, int second, double error, cnHull* hull) {
    cnPiece* a = d->pieces.data + first;
    cnPiece* b = d->pieces.data + second;
    cnHull_Free(a->hull);
    a->hull = hull;
    a->volume += b->volume;
    a->part.isSolid = a->part.isSolid && b->part.isSolid;
    a->hullVolume = FindHullVolume(hull);
    a->error = error;
    cnPiece_Free(b);
    int live = 0;
    for (int i = 0; i < d->pairs.count; ++i) {
        MergePair pair = d->pairs.data[i];
        bool touches =
            pair.first == first || pair.first == second || pair.second == first || pair.second == second;
        if (!touches) {
            d->pairs.data[live++] = pair;
        }
    }
    d->pairs.count = live;
    return ListPairs(d, first, d->pieces.count);
}

// Measures or merges the cheapest pair; goes on where none is worth it.
static bool AdvanceMerge(cnDecomposition* d) {
    bool isTooMany = CountPieces(d) > d->def.maxHulls;
    double room = d->mesh.volume + FindVolumeBound(d) - SumHullVolumes(d);
    int best = -1;
    for (int i = 0; i < d->pairs.count; ++i) {
        const MergePair* pair = d->pairs.data + i;
        bool hasRoom = pair->grownVolume <= 0.0 || pair->grownVolume <= room ||
                       !d->pieces.data[pair->first].part.isSolid ||
                       !d->pieces.data[pair->second].part.isSolid;
        // the error may be larger than what was found by the tolerance
        bool isAllowed = isTooMany || (hasRoom && pair->error + d->tolerance <= d->bound);
        if (isAllowed && (best < 0 || pair->rank < d->pairs.data[best].rank)) {
            best = i;
        }
    }
    if (best < 0 && isTooMany && !d->allPairs) {
        // what is left does not touch
        d->allPairs = true;
        d->current = 0;
        d->phase = phasePairs;
        return true;
    }
    if (best < 0) {
        d->phase = phaseFinish;
        d->current = 0;
        return true;
    }
    MergePair* pair = d->pairs.data + best;
    const cnPiece* a = d->pieces.data + pair->first;
    const cnPiece* b = d->pieces.data + pair->second;
    cnHull* hull = JoinHulls(d, a, b);
    if (hull == NULL) {
        return false;
    }
    if (pair->isMeasured) {
        return MergePieces(d, pair->first, pair->second, pair->error, hull);
    }
    pair->error = cnFindHullError(&d->mesh, hull, d->tolerance);
    pair->isMeasured = true;
    RankPair(pair);
    cnHull_Free(hull);
    return pair->error >= 0.0;
}

// ---- the result -------------------------------------------------------------------------------------------

// Largest first; the order of pieces with the same volume stays.
static void SortPieces(cnDecomposition* d) {
    int count = 0;
    for (int i = 0; i < d->pieces.count; ++i) {
        if (d->pieces.data[i].hull != NULL) {
            cnPiece piece = d->pieces.data[i];
            int at = count++;
            for (; at > 0 && d->pieces.data[at - 1].hullVolume < piece.hullVolume; --at) {
                d->pieces.data[at] = d->pieces.data[at - 1];
            }
            d->pieces.data[at] = piece;
        }
    }
    d->pieces.count = count;
}

// One hull as it is handed out.
static bool FinishHull(cnDecomposition* d, cnPiece* piece) {
    if (piece->hull->vertexCount > d->def.maxVertices) {
        cnHull* reduced = cnReduceHull(piece->hull, d->def.maxVertices);
        if (reduced == NULL) {
            return false;
        }
        cnHull_Free(piece->hull);
        piece->hull = reduced;
    }
    cnCutPart_Free(&piece->part);
    piece->hullVolume = FindHullVolume(piece->hull);
    piece->error = cnFindHullError(&d->mesh, piece->hull, 0.25 * d->tolerance);
    return piece->error >= 0.0;
}

static void FinishReport(cnDecomposition* d) {
    double scale = d->mesh.scale;
    double cube = scale * scale * scale;
    cnDecompositionReport* report = &d->report;
    double error = 0.0;
    for (int i = 0; i < d->pieces.count; ++i) {
        cnPiece* piece = d->pieces.data + i;
        error = cnMax(error, piece->error);
        report->hullVolume += cube * piece->hullVolume;
        for (int k = 0; k < piece->hull->vertexCount; ++k) {
            piece->hull->vertices[k] = cnToolMesh_ToUser(&d->mesh, piece->hull->vertices[k]);
        }
    }
    report->error = scale * error;
    report->uncovered = scale * d->uncovered;
    report->volume = cube * d->mesh.volume;
    bool isSolid = d->mesh.sheets == 0 && d->mesh.volume > 0.0;
    report->volumeRatio = isSolid ? report->hullVolume / report->volume : 0.0;
    report->hullCount = d->pieces.count;
    report->filledHoles = d->mesh.filledHoles;
    report->sheets = d->mesh.sheets;
    report->turnedTriangles = d->mesh.turnedTriangles;
    report->droppedTriangles = d->mesh.droppedTriangles;
    report->withinBounds = error <= d->bound && report->volumeRatio <= d->def.maxVolumeRatio;
}

// How far some of the mesh's vertices lie outside of all hulls.
static void AdvanceCover(cnDecomposition* d) {
    int end = d->vertex + 256 < d->mesh.vertices.count ? d->vertex + 256 : d->mesh.vertices.count;
    for (; d->vertex < end; ++d->vertex) {
        cnVec3 point = d->mesh.vertices.data[d->vertex];
        double least = 1e300;
        for (int i = 0; i < d->pieces.count && least > d->uncovered; ++i) {
            const cnHull* hull = d->pieces.data[i].hull;
            double excess = -1e300;
            for (int face = 0; face < hull->faceCount && excess < least; ++face) {
                excess = cnMax(excess, cnDot(hull->planes[face].normal, point) - hull->planes[face].offset);
            }
            least = cnMin(least, excess);
        }
        d->uncovered = cnMax(d->uncovered, least);
    }
    if (d->vertex == d->mesh.vertices.count) {
        FinishReport(d);
        d->phase = phaseDone;
    }
}

// ---- one piece of work ------------------------------------------------------------------------------------

static bool Advance(cnDecomposition* d) {
    bool isDone = false;
    switch (d->phase) {
    case phasePrepare:
        d->phase = phaseMeasure;
        d->current = 0;
        return cnToolMesh_BuildTree(&d->mesh) && MakeFirstPieces(d);
    case phaseMeasure:
        d->startCount = d->pieces.count;
        if (d->current == d->pieces.count) {
            return ChoosePiece(d);
        }
        return MeasurePiece(d, d->pieces.data + d->current++);
    case phaseSearch:
        if (!cnCutSearch_Advance(&d->search, &isDone)) {
            return false;
        }
        return !isDone || (CutCurrent(d) && ChoosePiece(d));
    case phasePairs:
        if (d->current == d->pieces.count) {
            d->phase = phaseMerge;
            return true;
        }
        ++d->current;
        return d->pieces.data[d->current - 1].hull == NULL || ListPairs(d, d->current - 1, d->current - 1);
    case phaseMerge:
        return AdvanceMerge(d);
    case phaseFinish:
        if (d->current == 0) {
            SortPieces(d);
        }
        if (d->current == d->pieces.count) {
            d->phase = phaseCover;
            return true;
        }
        return FinishHull(d, d->pieces.data + d->current++);
    case phaseCover:
        AdvanceCover(d);
        return true;
    case phaseDone:
        return true;
    }
    return true;
}

// Shares of the phases in the time that it takes, as a rule.
static double FindProgress(const cnDecomposition* d) {
    double part = 0.0;
    switch (d->phase) {
    case phasePrepare:
    case phaseMeasure:
        return 0.0;
    case phaseSearch:
        part = (double)(d->pieces.count - d->startCount) / (FindCutLimit(d) - d->startCount + 1);
        if (d->search.planes.count > 0) {
            part += (double)d->search.next / d->search.planes.count / (FindCutLimit(d) - d->startCount + 1);
        }
        return 0.02 + 0.68 * cnMin(part, 1.0);
    case phasePairs:
        return 0.7 + 0.1 * d->current / cnMax(1.0, d->pieces.count);
    case phaseMerge:
        return 0.8 + 0.1 * (1.0 - CountPieces(d) / cnMax(1.0, d->mergeStart));
    case phaseFinish:
        return 0.9 + 0.08 * d->current / cnMax(1.0, d->pieces.count);
    case phaseCover:
        return 0.98;
    case phaseDone:
        return 1.0;
    }
    return 1.0;
}

cnErrorCode cnDecomposition_Advance(cnDecomposition* decomposition, double* progress) {
    if (decomposition == NULL || progress == NULL) {
        const char* argument = decomposition == NULL ? "decomposition" : "progress";
        return cnFail(CN_ERROR_NULL_ARGUMENT, advanceName, argument, "%s is null", argument);
    }
    if (!Advance(decomposition)) {
        return FailMemory(advanceName);
    }
    // flat hulls on the way are no errors of the caller's
    cnClearLastError();
    decomposition->progress = cnMax(decomposition->progress, FindProgress(decomposition));
    *progress = decomposition->progress;
    return CN_ERROR_NONE;
}

cnErrorCode cnDecomposition_GetReport(const cnDecomposition* decomposition, cnDecompositionReport* report) {
    if (decomposition == NULL || report == NULL) {
        const char* argument = decomposition == NULL ? "decomposition" : "report";
        return cnFail(CN_ERROR_NULL_ARGUMENT, __func__, argument, "%s is null", argument);
    }
    if (decomposition->phase != phaseDone) {
        return cnFail(CN_ERROR_WRONG_PHASE, __func__, "decomposition", "the decomposition is not done");
    }
    *report = decomposition->report;
    return CN_ERROR_NONE;
}

cnErrorCode cnDecomposition_GetHull(const cnDecomposition* decomposition, int index, const cnVec3** vertices,
                                    int* vertexCount) {
    if (decomposition == NULL || vertices == NULL || vertexCount == NULL) {
        const char* argument =
            decomposition == NULL ? "decomposition" : (vertices == NULL ? "vertices" : "vertexCount");
        return cnFail(CN_ERROR_NULL_ARGUMENT, __func__, argument, "%s is null", argument);
    }
    if (decomposition->phase != phaseDone) {
        return cnFail(CN_ERROR_WRONG_PHASE, __func__, "decomposition", "the decomposition is not done");
    }
    if (index < 0 || index >= decomposition->pieces.count) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, __func__, "index", "index is %d, allowed are 0 to %d", index,
                      decomposition->pieces.count - 1);
    }
    *vertices = decomposition->pieces.data[index].hull->vertices;
    *vertexCount = decomposition->pieces.data[index].hull->vertexCount;
    return CN_ERROR_NONE;
}
