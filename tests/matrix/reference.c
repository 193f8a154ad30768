#include "matrix/reference.h"

#include <math.h>
#include <string.h>

// ---- distances --------------------------------------------------------------------------------------------

static double Hypot(double x, double y) {
    return sqrt(x * x + y * y);
}

// From a point to a segment of the plane.
static double SegmentDistance(double x, double y, double x1, double y1, double x2, double y2) {
    double dx = x2 - x1, dy = y2 - y1;
    double lengthSquared = dx * dx + dy * dy;
    double t = lengthSquared > 0.0 ? ((x - x1) * dx + (y - y1) * dy) / lengthSquared : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return Hypot(x - x1 - t * dx, y - y1 - t * dy);
}

// The half profile of a solid of revolution as a polygon: radius, height. Sign by crossings of a ray
// towards +radius.
static double ProfileDistance(const double (*corners)[2], int count, double radius, double height) {
    double best = INFINITY;
    bool inside = false;
    for (int i = 0; i < count; ++i) {
        const double* p = corners[i];
        const double* q = corners[(i + 1) % count];
        // an edge on the axis bounds nothing
        if (!(p[0] == 0.0 && q[0] == 0.0)) {
            best = cnMin(best, SegmentDistance(radius, height, p[0], p[1], q[0], q[1]));
        }
        if ((p[1] > height) != (q[1] > height) &&
            radius < p[0] + (height - p[1]) / (q[1] - p[1]) * (q[0] - p[0])) {
            inside = !inside;
        }
    }
    return inside ? -best : best;
}

static int MakeProfile(const RefSolid* solid, double (*corners)[2]) {
    const cnShapeDef* def = &solid->def;
    double low = 0.0, high = def->height, bottom = def->bottomRadius, top = def->topRadius;
    if (solid->kind == refCylinder || solid->kind == refHollowCylinder) {
        low = -0.5 * def->height;
        high = 0.5 * def->height;
        bottom = top = solid->kind == refCylinder ? def->radius : def->innerRadius + def->thickness;
    }
    bool hollow = solid->kind == refHollowCylinder || solid->kind == refHollowCone;
    double inLow = hollow ? cnMax(0.0, bottom - def->thickness) : 0.0;
    double inHigh = hollow ? cnMax(0.0, top - def->thickness) : 0.0;
    const double made[4][2] = {{inLow, low}, {bottom, low}, {top, high}, {inHigh, high}};
    memcpy(corners, made, sizeof made);
    return 4;
}

static double TriangleDistance(cnVec3 p, cnVec3 a, cnVec3 b, cnVec3 c) {
    // the foot on the plane if it lies within, else the nearest of the sides that it lies beyond
    const cnVec3 corners[4] = {a, b, c, a};
    cnVec3 n = cnCross(cnSub(b, a), cnSub(c, a));
    double squared = cnLengthSquared(n);
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        cnVec3 d = cnSub(corners[i + 1], corners[i]);
        cnVec3 q = cnSub(p, corners[i]);
        if (squared > 0.0 && cnDot(n, cnCross(d, q)) >= 0.0) {
            continue;
        }
        double lengthSquared = cnLengthSquared(d);
        double t = lengthSquared > 0.0 ? cnDot(q, d) / lengthSquared : 0.0;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        best = cnMin(best, cnLengthSquared(cnMulAdd(q, -t, d)));
    }
    return best < INFINITY ? sqrt(best) : fabs(cnDot(n, cnSub(p, a))) / sqrt(squared);
}

// A direction that no face or edge of the solids has; unit.
static const cnVec3 rayDirection = {0.36514837167011074, 0.21821789023599239, 0.9050124966251124};

// Whether the ray from a point crosses a triangle (Moeller, Trumbore 1997).
static bool Crosses(cnVec3 p, cnVec3 a, cnVec3 b, cnVec3 c) {
    cnVec3 ab = cnSub(b, a), ac = cnSub(c, a), ap = cnSub(p, a);
    cnVec3 across = cnCross(rayDirection, ac);
    double determinant = cnDot(ab, across);
    double u = cnDot(ap, across) / determinant;
    cnVec3 along = cnCross(ap, ab);
    double v = cnDot(rayDirection, along) / determinant;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && cnDot(ac, along) / determinant > 0.0;
}

// ---- trees ------------------------------------------------------------------------------------------------

// The corners of an item are points[indices[arity * item + k]]; without indices an item is a point.
typedef struct Items {
    const cnVec3* points;
    const int32_t* indices;
    int arity;
} Items;

static cnVec3 GetCorner(const Items* items, int item, int k) {
    return items->indices == NULL ? items->points[item]
                                  : items->points[items->indices[items->arity * item + k]];
}

static double GetCoordinate(cnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// A node over `order[begin…end)` with a ball around their corners, and its children: halves
// of the ball's box.
static int BuildNode(RefTree* tree, const Items* items, int begin, int end) {
    int index = tree->nodeCount++;
    cnVec3 lower = GetCorner(items, tree->order[begin], 0), upper = lower;
    for (int i = begin; i < end; ++i) {
        for (int k = 0; k < items->arity; ++k) {
            cnVec3 corner = GetCorner(items, tree->order[i], k);
            lower = cnMinVec(lower, corner);
            upper = cnMaxVec(upper, corner);
        }
    }
    RefNode node = {.centre = cnScale(0.5, cnAdd(lower, upper)), .begin = begin, .end = end};
    node.radius = 0.5 * cnLength(cnSub(upper, lower)) * (1.0 + 1e-12);
    if (end - begin > refLeafItems) {
        cnVec3 extent = cnSub(upper, lower);
        int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
        double middle = GetCoordinate(node.centre, axis);
        int split = begin;
        for (int i = begin; i < end; ++i) {
            int item = tree->order[i];
            if (GetCoordinate(GetCorner(items, item, 0), axis) < middle) {
                tree->order[i] = tree->order[split];
                tree->order[split++] = item;
            }
        }
        split = split == begin || split == end ? (begin + end) / 2 : split;
        node.children[0] = BuildNode(tree, items, begin, split);
        node.children[1] = BuildNode(tree, items, split, end);
    }
    tree->nodes[index] = node;
    return index;
}

static void BuildTree(RefTree* tree, Items items, int count) {
    tree->nodeCount = 0;
    for (int i = 0; i < count; ++i) {
        tree->order[i] = i;
    }
    if (count > 0) {
        BuildNode(tree, &items, 0, count);
    }
}

// The least distance from a point to the triangles of a node, or `best` if that is less.
static double NodeDistance(const RefSolid* solid, int index, cnVec3 point, double best) {
    const RefNode* node = solid->triangleTree.nodes + index;
    if (node->children[0] == 0) {
        for (int i = node->begin; i < node->end; ++i) {
            const int32_t* triangle = solid->triangles + (size_t)3 * (size_t)solid->triangleTree.order[i];
            best = cnMin(best, TriangleDistance(point, solid->vertices[triangle[0]],
                                                solid->vertices[triangle[1]], solid->vertices[triangle[2]]));
        }
        return best;
    }
    double gaps[2];
    for (int i = 0; i < 2; ++i) {
        const RefNode* child = solid->triangleTree.nodes + node->children[i];
        gaps[i] = cnLength(cnSub(point, child->centre)) - child->radius;
    }
    int nearer = gaps[1] < gaps[0];
    best = gaps[nearer] < best ? NodeDistance(solid, node->children[nearer], point, best) : best;
    return gaps[1 - nearer] < best ? NodeDistance(solid, node->children[1 - nearer], point, best) : best;
}

// Whether the ray from a point crosses the triangles of a node an odd number of times.
static bool CrossesNode(const RefSolid* solid, int index, cnVec3 point) {
    const RefNode* node = solid->triangleTree.nodes + index;
    cnVec3 offset = cnSub(node->centre, point);
    double along = cnMax(0.0, cnDot(offset, rayDirection));
    if (cnLengthSquared(cnMulAdd(offset, -along, rayDirection)) >
        node->radius * node->radius * (1.0 + 1e-9)) {
        return false;
    }
    if (node->children[0] > 0) {
        return CrossesNode(solid, node->children[0], point) != CrossesNode(solid, node->children[1], point);
    }
    bool odd = false;
    for (int i = node->begin; i < node->end; ++i) {
        const int32_t* triangle = solid->triangles + (size_t)3 * (size_t)solid->triangleTree.order[i];
        odd = odd != Crosses(point, solid->vertices[triangle[0]], solid->vertices[triangle[1]],
                             solid->vertices[triangle[2]]);
    }
    return odd;
}

static double MeshDistance(const RefSolid* solid, cnVec3 point, double max) {
    const RefNode* root = solid->triangleTree.nodes;
    double outside = cnLength(cnSub(point, root->centre)) - root->radius;
    return outside < max ? NodeDistance(solid, 0, point, max) : max;
}

// Height of the field's surface at a place.
static double FieldHeight(const RefSolid* solid, double x, double y) {
    const cnShapeDef* def = &solid->def;
    int nx = def->columnCount, ny = def->rowCount;
    double u = (x / def->sizeX + 0.5) * (nx - 1);
    double v = (y / def->sizeY + 0.5) * (ny - 1);
    int i = (int)cnClamp(floor(u), 0.0, nx - 2);
    int j = (int)cnClamp(floor(v), 0.0, ny - 2);
    u -= i;
    v -= j;
    double h00 = solid->heights[j * nx + i], h10 = solid->heights[j * nx + i + 1];
    double h01 = solid->heights[(j + 1) * nx + i], h11 = solid->heights[(j + 1) * nx + i + 1];
    return u >= v ? h00 + u * (h10 - h00) + v * (h11 - h10) : h00 + v * (h01 - h00) + u * (h11 - h01);
}

// The signed distance, or if it is not below `max`, at least that.
static double DistanceBelow(const RefSolid* solid, cnVec3 p, double max) {
    const cnShapeDef* def = &solid->def;
    switch (solid->kind) {
    case refSphere:
        return cnLength(p) - def->radius;
    case refBox: {
        cnVec3 q = cnSub(cnAbs(p), def->halfExtents);
        cnVec3 outside = cnMaxVec(q, cnVec3_zero);
        return cnLength(outside) + cnMin(0.0, cnMax(q.x, cnMax(q.y, q.z)));
    }
    case refCapsule: {
        double half = 0.5 * def->height;
        double y = p.y - cnClamp(p.y, -half, half);
        return cnLength(cnVec(p.x, y, p.z)) - def->radius;
    }
    case refCylinder:
    case refHollowCylinder:
    case refCone:
    case refHollowCone: {
        double corners[4][2];
        int count = MakeProfile(solid, corners);
        return ProfileDistance((const double(*)[2])corners, count, Hypot(p.x, p.z), p.y);
    }
    case refPlane:
        return cnDot(def->normal, p) - def->offset;
    case refConvex: {
        double deepest = -INFINITY;
        for (int i = 0; i < solid->planeCount; ++i) {
            deepest = cnMax(deepest, cnDot(solid->planeNormals[i], p) - solid->planeOffsets[i]);
        }
        return deepest <= 0.0 || deepest >= max ? deepest : MeshDistance(solid, p, max);
    }
    case refTrimesh:
        return CrossesNode(solid, 0, p) ? -MeshDistance(solid, p, INFINITY) : MeshDistance(solid, p, max);
    default:
        return p.z < FieldHeight(solid, p.x, p.y) ? -MeshDistance(solid, p, INFINITY)
                                                  : MeshDistance(solid, p, max);
    }
}

double cnRefDistance(const RefSolid* solid, cnVec3 point) {
    return DistanceBelow(solid, point, INFINITY);
}

double cnRefSupport(const RefSolid* solid, cnVec3 d) {
    const cnShapeDef* def = &solid->def;
    switch (solid->kind) {
    case refSphere:
        return def->radius;
    case refBox:
        return cnDot(cnAbs(d), def->halfExtents);
    case refCapsule:
        return def->radius + 0.5 * def->height * fabs(d.y);
    case refCylinder:
    case refHollowCylinder:
    case refCone:
    case refHollowCone: {
        double corners[4][2];
        MakeProfile(solid, corners);
        double across = Hypot(d.x, d.z);
        return cnMax(corners[1][0] * across + corners[1][1] * d.y,
                     corners[2][0] * across + corners[2][1] * d.y);
    }
    default: {
        double max = -INFINITY;
        for (int i = 0; i < solid->vertexCount; ++i) {
            max = cnMax(max, cnDot(d, solid->vertices[i]));
        }
        return max;
    }
    }
}

// ---- samples ----------------------------------------------------------------------------------------------

static void AddSample(RefSolid* solid, cnVec3 point) {
    if (solid->sampleCount < refMaxSamples) {
        solid->samples[solid->sampleCount++] = point;
    }
}

// Rings of points about y between two circles; `steps` rings beyond the first.
static void SampleBand(RefSolid* solid, double r1, double y1, double r2, double y2, int steps, int around) {
    for (int i = 0; i <= steps; ++i) {
        double t = (double)i / steps;
        double r = r1 + t * (r2 - r1);
        for (int k = 0; k < around; ++k) {
            double angle = 2.0 * CN_PI * k / around;
            AddSample(solid, cnVec(r * cos(angle), y1 + t * (y2 - y1), r * sin(angle)));
        }
    }
    double gap = cnMax(Hypot(r2 - r1, y2 - y1) / steps, 2.0 * CN_PI * cnMax(r1, r2) / around);
    solid->spacing = cnMax(solid->spacing, 0.75 * gap);
}

static void SampleTriangles(RefSolid* solid) {
    int divisions = solid->triangleCount <= 12 ? 10 : solid->triangleCount <= 50 ? 5 : 3;
    for (int i = 0; i < solid->triangleCount; ++i) {
        const int32_t* triangle = solid->triangles + (size_t)3 * (size_t)i;
        cnVec3 a = solid->vertices[triangle[0]];
        cnVec3 ab = cnSub(solid->vertices[triangle[1]], a);
        cnVec3 ac = cnSub(solid->vertices[triangle[2]], a);
        for (int j = 0; j <= divisions; ++j) {
            for (int k = 0; j + k <= divisions; ++k) {
                AddSample(solid, cnMulAdd(cnMulAdd(a, (double)j / divisions, ab), (double)k / divisions, ac));
            }
        }
        double longest = cnMax(cnLength(ab), cnMax(cnLength(ac), cnLength(cnSub(ab, ac))));
        solid->spacing = cnMax(solid->spacing, 0.6 * longest / divisions);
    }
    if (solid->sampleCount == refMaxSamples) {
        solid->spacing = INFINITY; // too many to hold: no gap can be told
    }
}

// No point of a ball has a lesser signed distance from the solid; exact below `max`. The distance falls by a
// metre a metre at most; but beyond the rim of a height field its sign is that of the surface continued,
// which a ball may pass.
static double MinInBall(const RefSolid* solid, cnVec3 centre, double radius, double max) {
    double beyond = solid->kind == refHeightField ? cnMax(fabs(centre.x) - 0.5 * solid->def.sizeX,
                                                          fabs(centre.y) - 0.5 * solid->def.sizeY)
                                                  : -INFINITY;
    double distance = DistanceBelow(solid, centre, max + radius);
    return distance > 0.0 && beyond > -radius ? -INFINITY : distance - radius;
}

static double NodeGap(const RefSolid* sampled, int index, const RefSolid* other, cnPose pose, double min,
                      double enough) {
    const RefNode* node = sampled->sampleTree.nodes + index;
    if (node->children[0] == 0) {
        for (int i = node->begin; i < node->end && min >= enough; ++i) {
            cnVec3 point = cnTransformPoint(pose, sampled->samples[sampled->sampleTree.order[i]]);
            min = cnMin(min, DistanceBelow(other, point, min));
        }
        return min;
    }
    double bounds[2];
    for (int i = 0; i < 2; ++i) {
        const RefNode* child = sampled->sampleTree.nodes + node->children[i];
        bounds[i] = MinInBall(other, cnTransformPoint(pose, child->centre), child->radius, min);
    }
    int nearer = bounds[1] < bounds[0];
    for (int i = 0; i < 2; ++i) {
        int side = i == 0 ? nearer : 1 - nearer;
        if (bounds[side] < min && min >= enough) {
            min = NodeGap(sampled, node->children[side], other, pose, min, enough);
        }
    }
    return min;
}

double cnRefSampleGap(const RefSolid* sampled, const RefSolid* other, cnPose pose, double max,
                      double enough) {
    return sampled->sampleCount > 0 ? NodeGap(sampled, 0, other, pose, max, enough) : max;
}

// ---- making -----------------------------------------------------------------------------------------------

static double (*nextRandom)(void);

static double Between(double lower, double upper) {
    return lower + (upper - lower) * nextRandom();
}

// Mostly of one size, sometimes thin, sometimes a needle.
static double Extent(double scale) {
    double kind = nextRandom();
    return scale * (kind < 0.6 ? Between(0.3, 1.0) : kind < 0.9 ? Between(0.05, 0.3) : Between(0.005, 0.05));
}

static void AddTriangle(RefSolid* solid, int a, int b, int c) {
    int32_t* triangle = solid->triangles + (size_t)3 * (size_t)solid->triangleCount++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static void AddQuad(RefSolid* solid, int a, int b, int c, int d) {
    AddTriangle(solid, a, b, c);
    AddTriangle(solid, a, c, d);
}

// Every plane through three vertices with all others below, and the triangles that fill those faces.
static void FindFaces(RefSolid* solid) {
    int n = solid->vertexCount;
    double tolerance = 1e-9 * solid->size;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = j + 1; k < n; ++k) {
                if (j == i || k == i || i > j || solid->triangleCount >= refMaxTriangles) {
                    continue;
                }
                cnVec3 a = solid->vertices[i];
                cnVec3 normal = cnCross(cnSub(solid->vertices[j], a), cnSub(solid->vertices[k], a));
                double length = cnLength(normal);
                if (!(length > 1e-12 * solid->size * solid->size)) {
                    continue;
                }
                normal = cnScale(1.0 / length, normal);
                double above = 0.0, below = 0.0;
                for (int m = 0; m < n; ++m) {
                    double height = cnDot(normal, cnSub(solid->vertices[m], a));
                    above = cnMax(above, height);
                    below = cnMin(below, height);
                }
                if (above > tolerance && below < -tolerance) {
                    continue;
                }
                normal = above > tolerance ? cnNeg(normal) : normal;
                solid->planeNormals[solid->planeCount] = normal;
                solid->planeOffsets[solid->planeCount++] = cnDot(normal, a);
                if (above > tolerance) {
                    AddTriangle(solid, i, k, j);
                } else {
                    AddTriangle(solid, i, j, k);
                }
            }
        }
    }
}

static void MakeConvex(RefSolid* solid, double scale) {
    cnVec3 stretch = cnVec(Extent(scale), Extent(scale), Extent(scale));
    int count = 4 + (int)Between(0.0, 7.0);
    for (int i = 0; i < count; ++i) {
        cnVec3 v;
        do {
            v = cnVec(Between(-1.0, 1.0), Between(-1.0, 1.0), Between(-1.0, 1.0));
        } while (cnLength(v) < 0.4 || cnLength(v) > 1.0);
        // a tetrahedron first, so that there is a volume
        static const double spread[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
        if (i < 4) {
            v = cnAdd(cnScale(0.3, v), cnVec(0.5 * spread[i][0], 0.5 * spread[i][1], 0.5 * spread[i][2]));
        }
        solid->vertices[solid->vertexCount++] = cnMul(v, stretch);
    }
    solid->size = scale;
    FindFaces(solid);
    solid->isConvex = true;
    solid->def.type = cn_convex;
    solid->thin = INFINITY;
    for (int i = 0; i < solid->planeCount; ++i) {
        double low = INFINITY;
        for (int j = 0; j < solid->vertexCount; ++j) {
            low = cnMin(low, cnDot(solid->planeNormals[i], solid->vertices[j]));
        }
        solid->thin = cnMin(solid->thin, 0.5 * (solid->planeOffsets[i] - low));
    }
}

// Boxes, extruded L shapes, and closed rings of square section.
static void MakeMesh(RefSolid* solid, double scale) {
    cnVec3 half = cnVec(Between(0.4, 1.0), Between(0.4, 1.0), Between(0.4, 1.0));
    double kind = nextRandom();
    solid->thin = scale * cnMin(half.x, cnMin(half.y, half.z));
    if (kind < 0.4) {
        for (int i = 0; i < 8; ++i) {
            cnVec3 sign = cnVec(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
            solid->vertices[solid->vertexCount++] = cnScale(scale, cnMul(sign, half));
        }
        AddQuad(solid, 0, 2, 3, 1);
        AddQuad(solid, 4, 5, 7, 6);
        AddQuad(solid, 0, 1, 5, 4);
        AddQuad(solid, 2, 6, 7, 3);
        AddQuad(solid, 0, 4, 6, 2);
        AddQuad(solid, 1, 3, 7, 5);
    } else if (kind < 0.7) {
        static const double outline[6][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
        for (int layer = 0; layer < 2; ++layer) {
            for (int i = 0; i < 6; ++i) {
                cnVec3 v = cnVec(outline[i][0], outline[i][1], layer == 0 ? -1.0 : 1.0);
                solid->vertices[solid->vertexCount++] = cnScale(scale, cnMul(v, half));
            }
        }
        AddQuad(solid, 0, 3, 2, 1); // below, from the inner corner
        AddQuad(solid, 0, 5, 4, 3);
        AddQuad(solid, 6, 7, 8, 9);
        AddQuad(solid, 6, 9, 10, 11);
        for (int i = 0; i < 6; ++i) {
            int next = (i + 1) % 6;
            AddQuad(solid, i, next, next + 6, i + 6);
        }
        solid->thin *= 0.5;
    } else {
        enum {
            around = 12
        };
        double inner = Between(0.4, 0.7);
        for (int i = 0; i < around; ++i) {
            double c = cos(2.0 * CN_PI * i / around), s = sin(2.0 * CN_PI * i / around);
            solid->vertices[solid->vertexCount++] = cnScale(scale, cnVec(inner * c, inner * s, -0.3));
            solid->vertices[solid->vertexCount++] = cnScale(scale, cnVec(c, s, -0.3));
            solid->vertices[solid->vertexCount++] = cnScale(scale, cnVec(c, s, 0.3));
            solid->vertices[solid->vertexCount++] = cnScale(scale, cnVec(inner * c, inner * s, 0.3));
        }
        for (int i = 0; i < around; ++i) {
            int p = 4 * i, q = 4 * ((i + 1) % around);
            AddQuad(solid, p, q, q + 1, p + 1);
            AddQuad(solid, p + 1, q + 1, q + 2, p + 2);
            AddQuad(solid, p + 2, q + 2, q + 3, p + 3);
            AddQuad(solid, p + 3, q + 3, q, p);
        }
        solid->thin = scale * 0.5 * cnMin(0.6, 1.0 - inner) * 0.9;
    }
    solid->size = scale * sqrt(3.0);
    solid->def.type = cn_trimesh;
    solid->def.triangles = solid->triangles;
    solid->def.triangleCount = solid->triangleCount;
}

static void MakeField(RefSolid* solid, double scale) {
    int nx = 3 + (int)Between(0.0, 6.0), ny = 3 + (int)Between(0.0, 6.0);
    double relief = nextRandom() < 0.3 ? 0.0 : Between(0.0, 0.15) * scale;
    cnShapeDef* def = &solid->def;
    def->type = cn_heightField;
    def->columnCount = nx;
    def->rowCount = ny;
    def->sizeX = 2.0 * scale;
    def->sizeY = 2.0 * scale * Between(0.7, 1.0);
    def->heights = solid->heights;
    def->heightCount = nx * ny;
    def->bottomMargin = scale;
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            double height = Between(0.0, relief);
            solid->heights[j * nx + i] = height;
            solid->vertices[solid->vertexCount++] = cnVec(def->sizeX * ((double)i / (nx - 1) - 0.5),
                                                          def->sizeY * ((double)j / (ny - 1) - 0.5), height);
        }
    }
    for (int j = 0; j + 1 < ny; ++j) {
        for (int i = 0; i + 1 < nx; ++i) {
            int corner = j * nx + i;
            AddTriangle(solid, corner, corner + 1, corner + nx + 1);
            AddTriangle(solid, corner, corner + nx + 1, corner + nx);
        }
    }
    solid->size = scale * 1.42;
    solid->thin = scale;
}

static void MakeKind(RefSolid* solid, RefKind kind, double scale) {
    cnShapeDef* def = &solid->def;
    switch (kind) {
    case refSphere:
        *def = (cnShapeDef){.type = cn_sphere, .radius = scale};
        solid->size = solid->thin = scale;
        for (int i = 0; i < 400; ++i) { // a spiral with the golden angle
            double y = 1.0 - (2 * i + 1) / 400.0, r = sqrt(1.0 - y * y), angle = 2.39996322972865332 * i;
            AddSample(solid, cnScale(scale, cnVec(r * cos(angle), y, r * sin(angle))));
        }
        solid->spacing = 0.15 * scale;
        return;
    case refBox: {
        cnVec3 half = cnVec(Extent(scale), Extent(scale), Extent(scale));
        *def = (cnShapeDef){.type = cn_box, .halfExtents = half};
        solid->size = cnLength(half);
        solid->thin = cnMin(half.x, cnMin(half.y, half.z));
        const int n = 8;
        for (int i = 0; i <= n; ++i) {
            for (int j = 0; j <= n; ++j) {
                double u = 2.0 * i / n - 1.0, v = 2.0 * j / n - 1.0;
                for (int side = -1; side <= 1; side += 2) {
                    AddSample(solid, cnMul(half, cnVec(u, v, side)));
                    AddSample(solid, cnMul(half, cnVec(v, side, u)));
                    AddSample(solid, cnMul(half, cnVec(side, u, v)));
                }
            }
        }
        solid->spacing = 1.42 / n * cnMax(half.x, cnMax(half.y, half.z));
        for (int i = 0; i < 8; ++i) {
            cnVec3 sign = cnVec(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
            solid->vertices[solid->vertexCount++] = cnMul(sign, half);
        }
        return;
    }
    case refCapsule: {
        double r = Extent(scale), h = nextRandom() < 0.1 ? 0.0 : Extent(scale);
        *def = (cnShapeDef){.type = cn_capsule, .radius = r, .height = h};
        solid->size = r + 0.5 * h;
        solid->thin = r;
        SampleBand(solid, r, -0.5 * h, r, 0.5 * h, 12, 24);
        for (int i = 1; i <= 6; ++i) {
            double c = cos(0.25 * CN_PI * i / 3.0), s = sin(0.25 * CN_PI * i / 3.0);
            for (int k = 0; k < 24; ++k) {
                double angle = 2.0 * CN_PI * k / 24;
                AddSample(solid, cnVec(r * c * cos(angle), 0.5 * h + r * s, r * c * sin(angle)));
                AddSample(solid, cnVec(r * c * cos(angle), -0.5 * h - r * s, r * c * sin(angle)));
            }
        }
        solid->spacing = cnMax(solid->spacing, 0.27 * r);
        return;
    }
    case refCylinder:
    case refHollowCylinder:
    case refCone:
    case refHollowCone: {
        double h = Extent(scale), r = Extent(scale);
        double wall = nextRandom() < 0.3 ? Between(0.05, 0.2) : Between(0.2, 0.6);
        bool hollow = kind == refHollowCylinder || kind == refHollowCone;
        if (kind == refCylinder) {
            *def = (cnShapeDef){.type = cn_cylinder, .radius = r, .height = h};
        } else if (kind == refHollowCylinder) {
            *def = (cnShapeDef){.type = cn_hollowCylinder,
                                .innerRadius = (1.0 - wall) * r,
                                .thickness = wall * r,
                                .height = h};
        } else {
            double top = nextRandom() < 0.4 ? 0.0 : r * Between(0.2, 1.5);
            bool flip = nextRandom() < 0.5;
            *def = (cnShapeDef){.type = hollow ? cn_hollowCone : cn_cone,
                                .bottomRadius = flip ? top : r,
                                .topRadius = flip ? r : top,
                                .height = h,
                                .thickness = hollow ? wall * r : 0.0};
        }
        double corners[4][2];
        MakeProfile(solid, corners);
        for (int i = 0; i < 4; ++i) {
            const double* p = corners[i];
            const double* q = corners[(i + 1) % 4];
            if (p[0] > 0.0 || q[0] > 0.0) {
                SampleBand(solid, p[0], p[1], q[0], q[1], 8, 48);
            }
        }
        double widest = cnMax(corners[1][0], corners[2][0]);
        solid->size = Hypot(widest, kind == refCylinder || kind == refHollowCylinder ? 0.5 * h : h);
        solid->thin = cnMin(0.5 * h, r);
        // a wall's thickness is measured along the radius; across the wall, that of a flat cone is a fraction
        if (hollow) {
            solid->thin = cnMin(0.5 * h, 0.5 * wall * r * h / Hypot(h, corners[2][0] - corners[1][0]));
        }
        solid->isConvex = !hollow;
        return;
    }
    case refPlane: {
        cnVec3 normal;
        do {
            normal = cnVec(Between(-1.0, 1.0), Between(-1.0, 1.0), Between(-1.0, 1.0));
        } while (cnLength(normal) < 0.1);
        normal = nextRandom() < 0.5 ? cnVec(0.0, 0.0, 1.0) : cnNormalize(normal);
        *def = (cnShapeDef){.type = cn_plane, .normal = normal, .offset = Between(-1.0, 1.0) * scale};
        solid->size = solid->thin = scale;
        solid->spacing = INFINITY;
        return;
    }
    case refConvex:
        MakeConvex(solid, scale);
        break;
    case refTrimesh:
        MakeMesh(solid, scale);
        break;
    default:
        MakeField(solid, scale);
        break;
    }
    solid->isConvex = kind == refConvex;
    if (kind != refHeightField) {
        def->points = solid->vertices;
        def->pointCount = solid->vertexCount;
    }
    SampleTriangles(solid);
}

void cnRefMake(RefSolid* solid, RefKind kind, double scale, double (*next)(void)) {
    nextRandom = next;
    memset(solid, 0, offsetof(RefSolid, vertices));
    solid->kind = kind;
    solid->isConvex = true;
    MakeKind(solid, kind, scale);
    BuildTree(&solid->triangleTree, (Items){solid->vertices, solid->triangles, 3}, solid->triangleCount);
    BuildTree(&solid->sampleTree, (Items){solid->samples, NULL, 1}, solid->sampleCount);
}

const char* cnRefName(RefKind kind) {
    static const char* const names[refKindCount] = {"sphere",         "box",     "capsule",    "cylinder",
                                                    "hollowCylinder", "cone",    "hollowCone", "plane",
                                                    "convex",         "trimesh", "heightField"};
    return names[kind];
}
