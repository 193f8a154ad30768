// Boxes against boxes: the hot pair. The separating axis test on the nine products of the axes (Gottschalk,
// Lin, Manocha 1996), then a rectangle clipped by a rectangle. What it leaves to the general test: corners
// that face each other.
//
// Index conventions: (i, k, l) and (j, m, n) are cyclic orders of the axes of A and B; r[i][j] = aᵢ·bⱼ; t is
// B's centre in A.
#include "collide/manifolds/axis_slop.h"
#include "collide/narrow/collide.h"
#include "geometry/distance.h"

typedef struct Boxes {
    double r[3][3];
    double size[3][3]; // |r|
    double t[3];
    double halfA[3], halfB[3];
} Boxes;

static const int next[3] = {1, 2, 0};
static const int last[3] = {2, 0, 1};

static cnVec3 FromArray(const double* v) {
    return cnVec(v[0], v[1], v[2]);
}

// The same pair seen from B.
static Boxes SwapBoxes(const Boxes* boxes) {
    Boxes swapped;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            swapped.r[i][j] = boxes->r[j][i];
            swapped.size[i][j] = boxes->size[j][i];
        }
        swapped.t[i] =
            -(boxes->r[0][i] * boxes->t[0] + boxes->r[1][i] * boxes->t[1] + boxes->r[2][i] * boxes->t[2]);
        swapped.halfA[i] = boxes->halfB[i];
        swapped.halfB[i] = boxes->halfA[i];
    }
    return swapped;
}

// The axis along which the faces separate most, with the slop that keeps the one of last step.
static int ChooseFace(const double* separations, int cachedAxis, double size) {
    int best = cachedAxis >= 0 ? cachedAxis : 0;
    double bar = separations[best];
    bar += cachedAxis >= 0 ? cnGetFaceSlop(size, bar) : 0.0;
    for (int i = 0; i < 3; ++i) {
        if (separations[i] > bar && i != best) {
            bar = separations[i];
            best = i;
        }
    }
    return best;
}

// Name of the edge along axis d at the given ends of the next two axes.
static uint16_t NameEdge(int d, bool upperNext, bool upperLast, uint32_t tag) {
    return (uint16_t)((uint32_t)(4 * d + (upperNext ? 1 : 0) + (upperLast ? 2 : 0)) | tag);
}

// A corner of the polygon: across the face, above it, and the name of the edge to the next corner.
typedef struct Corner {
    double u, v, w;
    uint16_t edge;
} Corner;

// Keeps what lies at side·u <= half, or v in place of u; a convex polygon of n corners becomes
// one of up to n + 1.
static int ClipSide(const Corner* in, int count, double sideU, double sideV, double half, double slop,
                    uint16_t name, Corner* out) {
    int kept = 0;
    Corner from = in[count - 1];
    double fromHeight = sideU * from.u + sideV * from.v - half;
    for (int i = 0; i < count; ++i) {
        Corner to = in[i];
        double toHeight = sideU * to.u + sideV * to.v - half;
        bool fromInside = fromHeight <= slop;
        bool toInside = toHeight <= slop;
        if (fromInside != toInside) {
            double fraction = cnClamp(fromHeight / (fromHeight - toHeight), 0.0, 1.0);
            out[kept].u = from.u + fraction * (to.u - from.u);
            out[kept].v = from.v + fraction * (to.v - from.v);
            out[kept].w = from.w + fraction * (to.w - from.w);
            out[kept++].edge = fromInside ? name : from.edge;
        }
        if (toInside) {
            out[kept++] = to;
        }
        from = to;
        fromHeight = toHeight;
    }
    return kept;
}

// Contacts with the face of A across axis i, in A's frame.
static void ClipFaces(const Boxes* boxes, int i, uint32_t tag, double margin, double size,
                      cnLocalManifold* manifold) {
    // the face of B that looks most against it
    int k = next[i], l = last[i];
    double sign = boxes->t[i] < 0.0 ? -1.0 : 1.0;
    const double* facing = boxes->size[i];
    int j = facing[0] >= facing[1] ? (facing[0] >= facing[2] ? 0 : 2) : (facing[1] >= facing[2] ? 1 : 2);
    int m = next[j], n = last[j];
    bool upperJ = sign * boxes->r[i][j] < 0.0;
    double reach = upperJ ? boxes->halfB[j] : -boxes->halfB[j];

    // its corners in coordinates across the face of A and above it
    double cu = boxes->t[k] + reach * boxes->r[k][j];
    double cv = boxes->t[l] + reach * boxes->r[l][j];
    double cw = sign * (boxes->t[i] + reach * boxes->r[i][j]) - boxes->halfA[i];
    double mu = boxes->halfB[m] * boxes->r[k][m], nu = boxes->halfB[n] * boxes->r[k][n];
    double mv = boxes->halfB[m] * boxes->r[l][m], nv = boxes->halfB[n] * boxes->r[l][n];
    double mw = boxes->halfB[m] * sign * boxes->r[i][m], nw = boxes->halfB[n] * sign * boxes->r[i][n];
    uint32_t other = tag ^ CN_FEATURE_OF_B;
    Corner buffers[2][8] = {{
        {cu + mu + nu, cv + mv + nv, cw + mw + nw, NameEdge(m, true, upperJ, other)},
        {cu - mu + nu, cv - mv + nv, cw - mw + nw, NameEdge(n, upperJ, false, other)},
        {cu - mu - nu, cv - mv - nv, cw - mw - nw, NameEdge(m, false, upperJ, other)},
        {cu + mu - nu, cv + mv - nv, cw + mw - nw, NameEdge(n, upperJ, true, other)},
    }};

    // clip by those sides of A's face that it reaches over
    double slop = CN_SIDE_SLOP * size;
    double reachU = fabs(mu) + fabs(nu), reachV = fabs(mv) + fabs(nv);
    double halfU = boxes->halfA[k], halfV = boxes->halfA[l];
    bool upperI = sign > 0.0;
    int count = 4;
    int now = 0;
    if (cu + reachU > halfU + slop) {
        count = ClipSide(buffers[now], count, 1.0, 0.0, halfU, slop, NameEdge(l, upperI, true, tag),
                         buffers[1 - now]);
        now = 1 - now;
    }
    if (count > 0 && cu - reachU < -halfU - slop) {
        count = ClipSide(buffers[now], count, -1.0, 0.0, halfU, slop, NameEdge(l, upperI, false, tag),
                         buffers[1 - now]);
        now = 1 - now;
    }
    if (count > 0 && cv + reachV > halfV + slop) {
        count = ClipSide(buffers[now], count, 0.0, 1.0, halfV, slop, NameEdge(k, true, upperI, tag),
                         buffers[1 - now]);
        now = 1 - now;
    }
    if (count > 0 && cv - reachV < -halfV - slop) {
        count = ClipSide(buffers[now], count, 0.0, -1.0, halfV, slop, NameEdge(k, false, upperI, tag),
                         buffers[1 - now]);
        now = 1 - now;
    }

    // what is left near or below the face
    cnLocalPoint candidates[8];
    int found = 0;
    const Corner* corners = buffers[now];
    for (int c = 0; c < count; ++c) {
        if (corners[c].w <= margin) {
            double point[3];
            point[i] = sign * (boxes->halfA[i] + 0.5 * corners[c].w);
            point[k] = corners[c].u;
            point[l] = corners[c].v;
            uint32_t feature = cnFeatureOfEdges(corners[c > 0 ? c - 1 : count - 1].edge, corners[c].edge);
            candidates[found++] = (cnLocalPoint){FromArray(point), -corners[c].w, feature};
        }
    }
    double normal[3] = {0.0, 0.0, 0.0}, tangent[3] = {0.0, 0.0, 0.0};
    normal[i] = sign;
    tangent[k] = 1.0;
    manifold->normal = FromArray(normal);
    cnReducePoints(manifold, candidates, found, FromArray(tangent), size);
}

// One point where the edges along aᵢ and bⱼ cross; false where they pass beside each other.
static bool CrossEdges(const cnShapePair* pair, const Boxes* boxes, int i, int j, double separation,
                       cnLocalManifold* manifold) {
    // the axis from A to B
    int k = next[i], l = last[i], m = next[j], n = last[j];
    double axis[3];
    axis[i] = 0.0;
    axis[k] = -boxes->r[l][j];
    axis[l] = boxes->r[k][j];
    double length = sqrt(axis[k] * axis[k] + axis[l] * axis[l]);
    double scale = (axis[k] * boxes->t[k] + axis[l] * boxes->t[l] < 0.0 ? -1.0 : 1.0) / length;
    axis[k] *= scale;
    axis[l] *= scale;
    manifold->normal = FromArray(axis);

    // the edges farthest towards each other
    double middleA[3];
    middleA[i] = 0.0;
    middleA[k] = axis[k] > 0.0 ? boxes->halfA[k] : -boxes->halfA[k];
    middleA[l] = axis[l] > 0.0 ? boxes->halfA[l] : -boxes->halfA[l];
    double alongM = axis[k] * boxes->r[k][m] + axis[l] * boxes->r[l][m];
    double alongN = axis[k] * boxes->r[k][n] + axis[l] * boxes->r[l][n];
    const cnVec3 columns[3] = {pair->pose.axes.x, pair->pose.axes.y, pair->pose.axes.z};
    cnVec3 middleB =
        cnMulAdd(pair->pose.position, alongM > 0.0 ? -boxes->halfB[m] : boxes->halfB[m], columns[m]);
    middleB = cnMulAdd(middleB, alongN > 0.0 ? -boxes->halfB[n] : boxes->halfB[n], columns[n]);
    double direction[3] = {0.0, 0.0, 0.0};
    direction[i] = 2.0 * boxes->halfA[i];
    cnVec3 alongA = FromArray(direction);
    cnVec3 alongB = cnScale(2.0 * boxes->halfB[j], columns[j]);
    cnVec3 startA = cnMulAdd(FromArray(middleA), -0.5, alongA);
    cnVec3 startB = cnMulAdd(middleB, -0.5, alongB);
    double s, t;
    cnFindClosestOnSegments(startA, alongA, startB, alongB, &s, &t);
    cnVec3 onA = cnMulAdd(startA, s, alongA);
    double gap = cnLength(cnSub(cnMulAdd(startB, t, alongB), onA));
    if (separation > 0.0 && gap > separation * (1.0 + 1e-6) + CN_TOUCH_SLOP * pair->size) {
        return false;
    }
    uint32_t feature = cnFeatureOfEdges(NameEdge(i, axis[k] > 0.0, axis[l] > 0.0, 0),
                                        NameEdge(j, alongM <= 0.0, alongN <= 0.0, CN_FEATURE_OF_B));
    cnAddLocalPoint(manifold, onA, separation, feature);
    return true;
}

// Of a face of A, or from 3 on of B, in A's frame.
static cnVec3 GetFaceAxis(const cnShapePair* pair, int face) {
    const cnVec3 axes[6] = {{1, 0, 0},         {0, 1, 0},         {0, 0, 1},
                            pair->pose.axes.x, pair->pose.axes.y, pair->pose.axes.z};
    return axes[face];
}

static cnVec3 TowardsB(const cnShapePair* pair, cnVec3 axis) {
    return cnDot(axis, pair->pose.position) < 0.0 ? cnNeg(axis) : axis;
}

// Whether the axis of two edges is nearly the face's normal.
static bool LieOnFace(const cnShapePair* pair, int edgeA, int edgeB, cnVec3 normal) {
    cnVec3 axis = cnCross(GetFaceAxis(pair, edgeA), GetFaceAxis(pair, 3 + edgeB));
    double along = cnDot(axis, normal);
    return along * along > CN_FLAT_COSINE * CN_FLAT_COSINE * cnLengthSquared(axis);
}

void cnCollideBoxBox(const cnShapePair* pair, cnLocalManifold* manifold) {
    const cnMat33* axes = &pair->pose.axes;
    const cnVec3 hA = pair->a->halfExtents, hB = pair->b->halfExtents, t = pair->pose.position;
    Boxes boxes = {
        .r = {{axes->x.x, axes->y.x, axes->z.x},
              {axes->x.y, axes->y.y, axes->z.y},
              {axes->x.z, axes->y.z, axes->z.z}},
        .t = {t.x, t.y, t.z},
        .halfA = {hA.x, hA.y, hA.z},
        .halfB = {hB.x, hB.y, hB.z},
    };
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            boxes.size[i][j] = fabs(boxes.r[i][j]);
        }
    }

    // faces of both
    double separationA[3], separationB[3], most = -INFINITY;
    int face = 0; // that separates most; B's from 3 on
    for (int i = 0; i < 3; ++i) {
        separationA[i] = fabs(boxes.t[i]) - boxes.halfA[i] - boxes.size[i][0] * boxes.halfB[0] -
                         boxes.size[i][1] * boxes.halfB[1] - boxes.size[i][2] * boxes.halfB[2];
        face = separationA[i] > most ? i : face;
        most = cnMax(most, separationA[i]);
    }
    for (int j = 0; j < 3; ++j) {
        double along = boxes.r[0][j] * boxes.t[0] + boxes.r[1][j] * boxes.t[1] + boxes.r[2][j] * boxes.t[2];
        separationB[j] = fabs(along) - boxes.halfB[j] - boxes.size[0][j] * boxes.halfA[0] -
                         boxes.size[1][j] * boxes.halfA[1] - boxes.size[2][j] * boxes.halfA[2];
        face = separationB[j] > most ? 3 + j : face;
        most = cnMax(most, separationB[j]);
    }
    if (most > pair->margin) {
        cnSetGap(pair, most, TowardsB(pair, GetFaceAxis(pair, face)));
        return;
    }
    cnCollideCache* cache = pair->cache;
    int axisA = ChooseFace(separationA, cache->kind == cn_axisFaceA ? (int)(cache->feature1 / 2 % 3) : -1,
                           pair->size);
    int axisB = ChooseFace(separationB, cache->kind == cn_axisFaceB ? (int)(cache->feature1 / 2 % 3) : -1,
                           pair->size);
    bool useB = cnPreferFaceB(cache, separationA[axisA], separationB[axisB], pair->size);
    double faceSeparation = useB ? separationB[axisB] : separationA[axisA];

    // pairs of edges; the root is taken only where one may win
    double edgeSlop = cnGetEdgeSlop(cache, pair->size, faceSeparation);
    double bar = faceSeparation + edgeSlop;
    int edgeA = -1, edgeB = -1;
    for (int i = 0; i < 3; ++i) {
        int k = next[i], l = last[i];
        for (int j = 0; j < 3; ++j) {
            int m = next[j], n = last[j];
            double gap = fabs(boxes.t[l] * boxes.r[k][j] - boxes.t[k] * boxes.r[l][j]) -
                         boxes.halfA[k] * boxes.size[l][j] - boxes.halfA[l] * boxes.size[k][j] -
                         boxes.halfB[m] * boxes.size[i][n] - boxes.halfB[n] * boxes.size[i][m];
            if (gap > bar || gap > 0.0) {
                double lengthSquared = boxes.r[k][j] * boxes.r[k][j] + boxes.r[l][j] * boxes.r[l][j];
                double separation = gap / sqrt(lengthSquared);
                if (lengthSquared > 1e-10 && separation > bar) {
                    if (separation > pair->margin) {
                        cnVec3 axis = cnCross(GetFaceAxis(pair, i), GetFaceAxis(pair, 3 + j));
                        cnSetGap(pair, separation, TowardsB(pair, cnScale(1.0 / sqrt(lengthSquared), axis)));
                        return;
                    }
                    bar = separation;
                    edgeA = i;
                    edgeB = j;
                }
            }
        }
    }
    cnVec3 normal = TowardsB(pair, GetFaceAxis(pair, useB ? 3 + axisB : axisA));
    if (edgeA >= 0 && !LieOnFace(pair, edgeA, edgeB, normal)) {
        if (CrossEdges(pair, &boxes, edgeA, edgeB, bar, manifold)) {
            *cache = (cnCollideCache){
                .kind = cn_axisEdges, .feature1 = (uint32_t)edgeA, .feature2 = (uint32_t)edgeB};
            return;
        }
        cnCollidePolytopes(pair, manifold);
        return;
    }

    // faces
    uint32_t side;
    if (useB) {
        Boxes swapped = SwapBoxes(&boxes);
        ClipFaces(&swapped, axisB, CN_FEATURE_OF_B, pair->margin, pair->size, manifold);
        side = swapped.t[axisB] < 0.0 ? 0 : 1;
        cnFlipManifold(&pair->pose, manifold);
    } else {
        ClipFaces(&boxes, axisA, 0, pair->margin, pair->size, manifold);
        side = boxes.t[axisA] < 0.0 ? 0 : 1;
    }
    if (manifold->count == 0 || -cnGetDeepest(manifold) > faceSeparation + 2.0 * edgeSlop) {
        manifold->count = 0;
        cnCollidePolytopes(pair, manifold);
        return;
    }
    *cache = (cnCollideCache){.kind = useB ? cn_axisFaceB : cn_axisFaceA,
                              .feature1 = 2 * (uint32_t)(useB ? axisB : axisA) + side};
}
