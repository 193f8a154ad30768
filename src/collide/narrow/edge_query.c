// What cannot count is left out first. A direction that an edge separates along is between the normals n₁, n₂
// of its faces, and a point of the other is h₁ and h₂ above these: along (α n₁ + β n₂)/|α n₁ + β n₂| it is at
// most max(h₁, h₂) from the edge, or that over the cosine of half the angle between the normals where it is
// positive; and a ball about it reaches back by its radius. Of two stones that touch, the ball in the other
// leaves a fifth of the edges, and a point next to the contact a few.
//
// Pairs of edges by the Gauss map: two edges make a face of the Minkowski difference A − B where the arcs
// between the normals of their faces cross. Of some hundred pairs a handful do, so four edges of A are tested
// at a time in f32, generously, and what may cross is tested again in f64.
#include "collide/narrow/edge_query.h"

#include "base/simd.h"

#define BLOCK_COUNT 32
// Products of two cosines, each right to 3e-7 in f32.
#define F32_SLOP 1e-6f

int cnHeights_Measure(cnHeights* heights, const cnPolytope* polytope, cnVec3 point) {
    const cnHullPlane* planes = polytope->planes;
    int highest = 0;
    double max = -INFINITY;
    heights->polytope = polytope;
    heights->point = point;
    for (int face = 0; face < polytope->faceCount; ++face) {
        double height = cnDot(planes[face].normal, point) - planes[face].offset;
        if (face < CN_HEIGHT_COUNT) {
            heights->of[face] = height;
        }
        if (height > max) {
            max = height;
            highest = face;
        }
    }
    return highest;
}

// Whether an edge between two faces may separate a ball about the point of the heights by more than `floor`.
static inline bool MaySeparateBall(const cnHeights* heights, int face1, int face2, double radius,
                                   double floor) {
    double height = cnMax(cnHeights_Get(heights, face1), cnHeights_Get(heights, face2));
    double least = floor + radius;
    if (height > least || !(height > 0.0)) {
        return height > least;
    }
    const cnHullPlane* planes = heights->polytope->planes;
    double cosine = cnDot(planes[face1].normal, planes[face2].normal);
    return height * height > least * least * cnMax(0.5 + 0.5 * cosine, 1e-12);
}

// `contact` has the heights of the bounds' point.
static bool MaySeparate(const cnSeparationBounds* bounds, const cnHeights* contact, int edge, double floor) {
    const cnHullEdge* edges = bounds->centre.polytope->edges;
    int face1 = edges[edge].face, face2 = edges[edges[edge].twin].face;
    return MaySeparateBall(contact, face1, face2, 0.0, floor) &&
           MaySeparateBall(&bounds->centre, face1, face2, bounds->radius, floor);
}

// Four edges of A.
typedef struct EdgeBlock {
    float normal1[3][4], normal2[3][4], along[3][4]; // unit
    int16_t edges[4];
} EdgeBlock;

static void SetLane(float lanes[3][4], int lane, cnVec3 v) {
    lanes[0][lane] = (float)v.x;
    lanes[1][lane] = (float)v.y;
    lanes[2][lane] = (float)v.z;
}

// Blocks of the edges from *next on, which moves on; what is left over of the last one never crosses
// anything.
static int LoadBlocks(const cnSeparationBounds* ofA, const cnHeights* contact, double floor, int* next,
                      EdgeBlock blocks[BLOCK_COUNT]) {
    const cnPolytope* a = ofA->centre.polytope;
    int count = 0;
    for (; *next < a->edgeCount && count < 4 * BLOCK_COUNT; ++*next) {
        int edge = *next, twin = a->edges[edge].twin;
        if (twin < edge || !MaySeparate(ofA, contact, edge, floor)) {
            continue;
        }
        EdgeBlock* block = &blocks[count / 4];
        int lane = count % 4;
        cnVec3 along = cnSub(a->vertices[a->edges[twin].origin], a->vertices[a->edges[edge].origin]);
        SetLane(block->normal1, lane, a->planes[a->edges[edge].face].normal);
        SetLane(block->normal2, lane, a->planes[a->edges[twin].face].normal);
        SetLane(block->along, lane, cnNormalize(along));
        block->edges[lane] = (int16_t)edge;
        count += 1;
    }
    for (; count % 4 != 0; ++count) {
        blocks[count / 4].edges[count % 4] = -1;
        SetLane(blocks[count / 4].normal1, count % 4, cnVec3_zero);
        SetLane(blocks[count / 4].normal2, count % 4, cnVec3_zero);
        SetLane(blocks[count / 4].along, count % 4, cnVec3_zero);
    }
    return count / 4;
}

// An edge of B in A's frame.
typedef struct EdgeOfB {
    int edge;
    cnVec3 start, along, normal1, normal2; // the normals out of −B
    double lengthSquared;
    cnF4 lanes[3][3]; // unit along, normal1, normal2
} EdgeOfB;

static void Spread(cnF4 lanes[3], cnVec3 v) {
    lanes[0] = cnSplat4((float)v.x);
    lanes[1] = cnSplat4((float)v.y);
    lanes[2] = cnSplat4((float)v.z);
}

static EdgeOfB LoadEdge(const cnPolytope* b, int edge, const cnRelativePose* pose) {
    int twin = b->edges[edge].twin;
    EdgeOfB e = {.edge = edge, .start = cnToA(pose, b->vertices[b->edges[edge].origin])};
    e.along = cnSub(cnToA(pose, b->vertices[b->edges[twin].origin]), e.start);
    e.normal1 = cnNeg(cnMulMat(pose->axes, b->planes[b->edges[edge].face].normal));
    e.normal2 = cnNeg(cnMulMat(pose->axes, b->planes[b->edges[twin].face].normal));
    e.lengthSquared = cnLengthSquared(e.along);
    Spread(e.lanes[0], cnNormalize(e.along));
    Spread(e.lanes[1], e.normal1);
    Spread(e.lanes[2], e.normal2);
    return e;
}

static inline cnF4 Dot(const float a[3][4], const cnF4 b[3]) {
    return cnMulAdd4(cnMulAdd4(cnMul4(cnLoad4(a[0]), b[0]), cnLoad4(a[1]), b[1]), cnLoad4(a[2]), b[2]);
}

// Lanes whose arcs may cross that of B's edge: each one's ends lie on both sides of the other's circle.
static inline int FindCrossing(const EdgeBlock* block, const EdgeOfB* b) {
    cnF4 sides1 = cnMul4(Dot(block->normal1, b->lanes[0]), Dot(block->normal2, b->lanes[0]));
    cnF4 sides2 = cnMul4(Dot(block->along, b->lanes[1]), Dot(block->along, b->lanes[2]));
    return cnMoveMask4(cnLessEqual4(cnMax4(sides1, sides2), cnSplat4(F32_SLOP)));
}

// The same in f64, on the same half of the sphere, and how much the pair separates, if it is more than the
// best.
static void Measure(const cnPolytope* a, int edgeA, const EdgeOfB* b, cnEdgeQuery* best) {
    int twinA = a->edges[edgeA].twin;
    cnVec3 normal1 = a->planes[a->edges[edgeA].face].normal;
    cnVec3 normal2 = a->planes[a->edges[twinA].face].normal;
    cnVec3 startA = a->vertices[a->edges[edgeA].origin];
    cnVec3 alongA = cnSub(a->vertices[a->edges[twinA].origin], startA);
    if (cnDot(normal1, b->along) * cnDot(normal2, b->along) >= 0.0 ||
        cnDot(b->normal1, alongA) * cnDot(b->normal2, alongA) >= 0.0) {
        return;
    }
    cnVec3 cross = cnCross(alongA, b->along);
    double lengthSquared = cnLengthSquared(cross);
    if (lengthSquared <= 1e-12 * cnLengthSquared(alongA) * b->lengthSquared) {
        return;
    }
    double side = cnDot(cross, cnAdd(normal1, normal2));
    if (side * cnDot(cross, cnAdd(b->normal1, b->normal2)) <= 0.0) {
        return;
    }
    double scale = (side < 0.0 ? -1.0 : 1.0) / sqrt(lengthSquared);
    double separation = scale * cnDot(cross, cnSub(b->start, startA));
    if (separation > best->separation) {
        *best = (cnEdgeQuery){edgeA, b->edge, separation, cnScale(scale, cross)};
    }
}

cnEdgeQuery cnMeasureEdges(const cnPolytope* a, const cnPolytope* b, const cnRelativePose* pose, int edgeA,
                           int edgeB) {
    cnEdgeQuery query = {-1, -1, -INFINITY, {0.0, 0.0, 0.0}};
    EdgeOfB loaded = LoadEdge(b, edgeB, pose);
    Measure(a, edgeA, &loaded, &query);
    return query;
}

cnEdgeQuery cnQueryEdges(const cnSeparationBounds* ofA, const cnSeparationBounds* ofB,
                         const cnRelativePose* pose, cnEdgeQuery toBeat, double margin) {
    const cnPolytope *a = ofA->centre.polytope, *b = ofB->centre.polytope;
    cnHeights contactA, contactB;
    cnHeights_Measure(&contactA, a, ofA->contact);
    cnHeights_Measure(&contactB, b, ofB->contact);
    cnEdgeQuery best = toBeat;
    EdgeBlock blocks[BLOCK_COUNT];
    for (int next = 0; next < a->edgeCount;) {
        int blockCount = LoadBlocks(ofA, &contactA, best.separation, &next, blocks);
        for (int edge = 0; edge < b->edgeCount && blockCount > 0; ++edge) {
            if (b->edges[edge].twin < edge || !MaySeparate(ofB, &contactB, edge, best.separation)) {
                continue;
            }
            EdgeOfB edgeB = LoadEdge(b, edge, pose);
            for (int i = 0; i < blockCount; ++i) {
                int lanes = FindCrossing(&blocks[i], &edgeB);
                for (int lane = 0; lane < 4 && lanes >> lane != 0; ++lane) {
                    if ((lanes >> lane & 1) != 0 && blocks[i].edges[lane] >= 0) {
                        Measure(a, blocks[i].edges[lane], &edgeB, &best);
                    }
                }
                if (best.separation > margin) {
                    return best;
                }
            }
        }
    }
    return best;
}
