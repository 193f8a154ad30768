// Triangle meshes as shapes.
//
// A closed mesh is a solid: what it encloses is inside. On which side a point lies follows from the nearest
// point of the surface and the normal there; at edges and vertices that is the sum of the triangles' normals
// weighted by their angles, the one choice whose sign is always right (Baerentzen & Aanaes 2005). A terrain's
// inside is what lies below it, down to its bottom. Other open meshes have no inside; the side of the nearest
// triangle takes its place.
#include "geometry/meshes/trimesh.h"

#include "base/report/error.h"
#include "geometry/distance.h"
#include "geometry/solid_integrals.h"

// Up to this many corners, looking at all of them is faster than the tree.
#define FEW_CORNERS 192

// A closed surface that encloses less than this part of area × extent is a sheet with two sides.
#define SHEET 1e-9

// ---- making -----------------------------------------------------------------------------------------------

double cnTrimesh_ComputeArea(const cnTrimesh* mesh) {
    double area = 0.0;
    for (int h = 0; h < 3 * mesh->triangleCount; h += 3) {
        cnVec3 a = cnTrimesh_GetCorner(mesh, h);
        cnVec3 ab = cnSub(cnTrimesh_GetCorner(mesh, h + 1), a),
               ac = cnSub(cnTrimesh_GetCorner(mesh, h + 2), a);
        area += 0.5 * cnLength(cnCross(ab, ac));
    }
    return area;
}

cnMassProperties cnTrimesh_ComputeMass(const cnTrimesh* mesh) {
    cnSolidIntegrals sums = {0};
    for (int h = 0; h < 3 * mesh->triangleCount; h += 3) {
        cnSolidIntegrals_Add(&sums, cnSub(cnTrimesh_GetCorner(mesh, h), mesh->middle),
                             cnSub(cnTrimesh_GetCorner(mesh, h + 1), mesh->middle),
                             cnSub(cnTrimesh_GetCorner(mesh, h + 2), mesh->middle));
    }
    cnMassProperties mass = {0};
    if (fabs(sums.sixVolume) > SHEET * cnTrimesh_ComputeArea(mesh) * mesh->extent) {
        cnSolidIntegrals_Finish(&sums, &mass.volume, &mass.centre, &mass.inertia);
        mass.centre = cnAdd(mass.centre, mesh->middle);
        mass.mass = mass.volume;
    }
    return mass;
}

static void Free(cnShape* shape) {
    cnTrimesh_Free(shape->mesh);
}

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = cnTrimesh_Build(&shape->mesh, def, call);
    if (code != CN_ERROR_NONE) {
        return code;
    }
    cnTrimesh* mesh = shape->mesh;
    if (mesh->isClosed) {
        shape->mass = cnTrimesh_ComputeMass(mesh);
        mesh->isClosed = shape->mass.volume != 0.0;
    }
    if (shape->mass.volume < 0.0) {
        code = cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "triangles",
                      "the triangles are wound %s: the closed mesh has the volume %g m³, turn them round",
                      def->winding == cn_windingCw ? "counter-clockwise" : "clockwise", shape->mass.volume);
    } else if (!cnTrimesh_BuildTree(mesh)) {
        code = cnFail(CN_ERROR_OUT_OF_MEMORY, call, "triangles", "no memory for the mesh");
    }
    if (code != CN_ERROR_NONE) {
        Free(shape);
    }
    return code;
}

static void Measure(cnShape* shape) {
    const cnTrimesh* mesh = shape->mesh;
    for (int h = 0; h < 3 * mesh->triangleCount; ++h) {
        double distance = cnLength(cnSub(cnTrimesh_GetCorner(mesh, h), shape->centre));
        shape->boundingRadius = cnMax(shape->boundingRadius, distance);
    }
    cnVec3 half = cnScale(0.5, cnSub(shape->bounds.upper, shape->bounds.lower));
    shape->boundingRadius = mesh->isTerrain ? cnLength(half) : shape->boundingRadius;

    // of a solid, volume over area tells how thin its walls are; of a sheet nothing does
    shape->inradius = 0.1 * shape->boundingRadius;
    if (mesh->isClosed) {
        double wall = 1.5 * shape->mass.volume / cnTrimesh_ComputeArea(mesh);
        shape->inradius = cnMin(cnMin(half.x, cnMin(half.y, half.z)), wall);
    }
}

static size_t GetBytes(const cnShape* shape) {
    return cnTrimesh_GetBytes(shape->mesh);
}

// ---- bounds -----------------------------------------------------------------------------------------------

static cnBounds BoundCorners(const cnTrimesh* mesh, cnMat33 axes) {
    cnVec3 lower = cnMulMat(axes, cnTrimesh_GetCorner(mesh, 0)), upper = lower;
    for (int h = 1; h < 3 * mesh->triangleCount; ++h) {
        cnVec3 corner = cnMulMat(axes, cnTrimesh_GetCorner(mesh, h));
        lower = cnMinVec(lower, corner);
        upper = cnMaxVec(upper, corner);
    }
    return (cnBounds){lower, upper};
}

static cnBounds RotateBox(cnBounds box, cnMat33 axes) {
    cnVec3 middle = cnMulMat(axes, cnMulAdd(cnScale(0.5, box.lower), 0.5, box.upper));
    cnVec3 half = cnMulAdd(cnScale(-0.5, box.lower), 0.5, box.upper);
    half = cnAdd(cnAbs(cnScale(half.x, axes.x)),
                 cnAdd(cnAbs(cnScale(half.y, axes.y)), cnAbs(cnScale(half.z, axes.z))));
    return (cnBounds){cnSub(middle, half), cnAdd(middle, half)};
}

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    const cnTrimesh* mesh = shape->mesh;
    cnMat33 axes = cnMatFromQuat(pose.rotation);
    bool isMeasured = shape->boundingRadius > 0.0;
    bool isRotated = pose.rotation.x != 0.0 || pose.rotation.y != 0.0 || pose.rotation.z != 0.0;
    cnBounds bounds;
    if (isMeasured && !isRotated) {
        bounds = shape->bounds;
    } else if (isMeasured && mesh->isTerrain) {
        bounds = RotateBox(shape->bounds, axes);
    } else if (!isMeasured || 3 * mesh->triangleCount <= FEW_CORNERS) {
        bounds = BoundCorners(mesh, axes);
        bounds.lower.z = mesh->isTerrain ? mesh->bottom : bounds.lower.z;
    } else {
        // the world's axes in the shape's frame
        cnMat33 rows = cnTranspose(axes);
        bounds.upper = cnVec(cnTrimesh_GetReach(mesh, rows.x), cnTrimesh_GetReach(mesh, rows.y),
                             cnTrimesh_GetReach(mesh, rows.z));
        bounds.lower =
            cnVec(-cnTrimesh_GetReach(mesh, cnNeg(rows.x)), -cnTrimesh_GetReach(mesh, cnNeg(rows.y)),
                  -cnTrimesh_GetReach(mesh, cnNeg(rows.z)));
    }
    return (cnBounds){cnAdd(pose.position, bounds.lower), cnAdd(pose.position, bounds.upper)};
}

// ---- inside and outside -----------------------------------------------------------------------------------

// Angle between two vectors, 0…π.
static double GetAngle(cnVec3 a, cnVec3 b) {
    return cnAtan2(cnLength(cnCross(a, b)), cnDot(a, b));
}

// Normal, of any length, whose sign tells the side of a point next to a vertex.
static cnVec3 GetVertexNormal(const cnTrimesh* mesh, int vertex) {
    cnVec3 sum = cnVec3_zero;
    cnVec3 at = mesh->vertices[vertex];
    for (int i = mesh->fanStarts[vertex]; i < mesh->fanStarts[vertex + 1]; ++i) {
        int h = mesh->fans[i];
        cnVec3 left = cnSub(cnTrimesh_GetCorner(mesh, cnPreviousHalfEdge(h)), at);
        double angle = GetAngle(cnSub(mesh->vertices[cnTrimesh_GetEnd(mesh, h)], at), left);
        sum = cnMulAdd(sum, angle, mesh->normals[h / 3]);
    }
    return sum;
}

static cnVec3 GetSideNormal(const cnTrimesh* mesh, const cnMeshPoint* at) {
    cnVec3 normal = mesh->normals[at->triangle];
    cnVec3 sum = normal;
    if (at->corner >= 0) {
        sum = GetVertexNormal(mesh, mesh->triangles[3 * at->triangle + at->corner]);
    } else if (at->edge >= 0) {
        int neighbour = cnTrimesh_FindNeighbour(mesh, 3 * at->triangle + at->edge);
        sum = neighbour >= 0 ? cnAdd(normal, mesh->normals[neighbour]) : normal;
    }
    // nothing is left where the surface is folded back on itself
    return cnLengthSquared(sum) > 1e-20 ? sum : normal;
}

// Whether the surface ends where it is nearest, so that the point is beside it and not behind it.
static bool IsBeside(const cnTrimesh* mesh, const cnMeshPoint* at) {
    if (at->corner >= 0) {
        int vertex = mesh->triangles[3 * at->triangle + at->corner];
        for (int i = mesh->fanStarts[vertex]; i < mesh->fanStarts[vertex + 1]; ++i) {
            int h = mesh->fans[i];
            if (cnTrimesh_FindNeighbour(mesh, h) < 0 ||
                cnTrimesh_FindNeighbour(mesh, cnPreviousHalfEdge(h)) < 0) {
                return true;
            }
        }
        return false;
    }
    return at->edge >= 0 && cnTrimesh_FindNeighbour(mesh, 3 * at->triangle + at->edge) < 0;
}

// Below a terrain and above its bottom.
static bool IsUnderTerrain(const cnTrimesh* mesh, cnVec3 point) {
    cnMeshHit above = {.triangle = -1};
    if (point.z >= mesh->bottom) {
        above = cnTrimesh_CastRay(mesh, point, cnVec(0.0, 0.0, mesh->extent), 0.0, INFINITY);
    }
    return above.triangle >= 0 && mesh->normals[above.triangle].z > 0.0;
}

static bool IsInside(const cnTrimesh* mesh, cnVec3 point) {
    if (mesh->isTerrain) {
        return IsUnderTerrain(mesh, point);
    }
    if (!mesh->isClosed) {
        return false;
    }
    cnMeshPoint at = cnTrimesh_FindClosest(mesh, point, INFINITY);
    return cnDot(GetSideNormal(mesh, &at), cnSub(point, at.point)) <= 0.0;
}

// ---- queries ----------------------------------------------------------------------------------------------

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    // a solid's surface tells by its side whether the origin lies inside, wherever along the ray it is met
    const cnTrimesh* mesh = shape->mesh;
    bool isSolid = mesh->isClosed && !mesh->isTerrain;
    bool moves = cnLengthSquared(translation) > 0.0;
    cnMeshHit hit = cnTrimesh_CastRay(mesh, origin, translation, 0.0, isSolid ? INFINITY : 1.0);
    bool inside = hit.triangle >= 0 && hit.fromInside;
    if (!moves || hit.onEdge || (mesh->isTerrain && (hit.triangle < 0 || hit.fromInside))) {
        inside = IsInside(mesh, origin);
    }
    if (inside && (isSolid || mesh->isTerrain)) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }
    if (hit.triangle < 0 || hit.fraction > 1.0) {
        return (cnLocalRayHit){0};
    }

    // past an edge seen from outside, the triangle met may be the one behind
    cnVec3 normal = mesh->normals[hit.triangle];
    if (isSolid && hit.fromInside) {
        cnVec3 along = cnNormalize(translation);
        normal = cnNormalize(cnMulAdd(normal, -cnDot(normal, along), along));
    }
    return (cnLocalRayHit){
        .hit = true, .fraction = hit.fraction, .normal = normal, .triangle = hit.triangle + 1};
}

// Where a ray passes an edge it meets the triangles on both sides, at fractions that differ by rounding.
static cnLocalRayHit FindCrossing(const cnShape* shape, cnVec3 origin, cnVec3 translation, double after) {
    const cnTrimesh* mesh = shape->mesh;
    if (!(cnLengthSquared(translation) > 0.0)) {
        return (cnLocalRayHit){0};
    }
    double min = after < 0.0 ? 0.0 : after + 1e-12;
    cnMeshHit hit = cnTrimesh_CastRay(mesh, origin, translation, min, 1.0);
    if (hit.triangle < 0) {
        return (cnLocalRayHit){0};
    }
    return (cnLocalRayHit){.hit = true,
                           .fraction = hit.fraction,
                           .normal = mesh->normals[hit.triangle],
                           .triangle = hit.triangle + 1};
}

// Features: triangles, edges and vertices by their numbers, told apart by the two highest bits.
static uint32_t NameFeature(const cnTrimesh* mesh, const cnMeshPoint* at) {
    if (at->corner >= 0) {
        return 2u << 30 | (uint32_t)mesh->triangles[3 * at->triangle + at->corner];
    }
    if (at->edge >= 0) {
        return 1u << 30 | cnTrimesh_GetEdge(mesh, 3 * at->triangle + at->edge);
    }
    return (uint32_t)at->triangle;
}

static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    const cnTrimesh* mesh = shape->mesh;
    cnMeshPoint at = cnTrimesh_FindClosest(mesh, point, reach);
    if (at.triangle < 0) {
        return false;
    }
    cnVec3 side = GetSideNormal(mesh, &at);
    cnVec3 offset = cnSub(point, at.point);
    bool inside = cnDot(side, offset) < 0.0 && (mesh->isClosed || !IsBeside(mesh, &at));
    if (mesh->isTerrain) {
        inside = IsUnderTerrain(mesh, point);
        if (!inside && point.z < mesh->bottom) {
            return false;
        }
    }
    double sign = inside ? -1.0 : 1.0;
    bool isOnFace = at.corner < 0 && at.edge < 0;
    bool isClear = at.distance > 1e-12 * mesh->extent;
    cnVec3 direction = cnScale(sign / at.distance, offset);
    out->point = at.point;
    out->normal = isOnFace || !isClear ? cnNormalize(side) : cnNormalize(direction);
    out->distance = sign * at.distance;
    out->feature = NameFeature(mesh, &at);
    return true;
}

// ---- what bounds a terrain --------------------------------------------------------------------------------
//
// A terrain is solid from its triangles down to its bottom. Under each edge where the surface ends stands a
// curtain, a vertical quadrilateral down to the bottom, and the bottom lies under all of the surface. Where
// the surface hangs over itself curtains stand under edges of triangles that face up alone.

typedef struct Enclosure {
    cnVec3 point;
    double bottom;
    double distance; // m, of the nearest so far
    cnVec3 nearest;
    cnVec3 normal; // of what it is on
    bool found;
} Enclosure;

static void TakeNearer(Enclosure* enclosure, cnVec3 nearest, cnVec3 normal) {
    double distance = cnLength(cnSub(enclosure->point, nearest));
    if (distance < enclosure->distance) {
        enclosure->distance = distance;
        enclosure->nearest = nearest;
        enclosure->normal = normal;
        enclosure->found = true;
    }
}

// The point of a curtain from edge a–b down; above its edge nothing but the edge is nearest, which is the
// surface's.
static void TakeCurtain(Enclosure* enclosure, cnVec3 a, cnVec3 b) {
    cnVec3 p = enclosure->point;
    cnVec3 flatA = cnVec(a.x, a.y, 0.0), along = cnVec(b.x - a.x, b.y - a.y, 0.0);
    double t = cnFindClosestOnSegment(flatA, along, cnVec(p.x, p.y, 0.0));
    cnVec3 top = cnMulAdd(a, t, cnSub(b, a));
    if (p.z < top.z && cnLengthSquared(along) > 0.0) {
        cnVec3 nearest = cnVec(top.x, top.y, cnMax(p.z, enclosure->bottom));
        TakeNearer(enclosure, nearest, cnNormalize(cnVec(along.y, -along.x, 0.0)));
    }
}

static bool TakeCurtains(const cnTrimesh* mesh, int triangle, void* context) {
    if (mesh->normals[triangle].z < 0.0) {
        return true;
    }
    for (int h = 3 * triangle; h < 3 * triangle + 3; ++h) {
        if (cnTrimesh_FindNeighbour(mesh, h) < 0) {
            TakeCurtain(context, cnTrimesh_GetCorner(mesh, h), cnTrimesh_GetCorner(mesh, cnNextHalfEdge(h)));
        }
    }
    return true;
}

static void FindTerrainSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out) {
    const cnTrimesh* mesh = shape->mesh;
    cnMeshPoint at = cnTrimesh_FindClosest(mesh, point, INFINITY);
    bool inside = IsUnderTerrain(mesh, point);
    cnVec3 under = cnVec(point.x, point.y, mesh->bottom);
    Enclosure enclosure = {
        .point = point,
        .bottom = mesh->bottom,
        .distance = at.distance,
        .nearest = at.point,
        .normal = cnNormalize(GetSideNormal(mesh, &at)),
    };
    if (inside || (point.z < mesh->bottom && IsUnderTerrain(mesh, under))) {
        TakeNearer(&enclosure, under, cnVec(0.0, 0.0, -1.0));
    }

    // curtains that are nearer hang from higher edges within that distance
    double reach = enclosure.distance;
    cnBounds around = {cnVec(point.x - reach, point.y - reach, point.z),
                       cnVec(point.x + reach, point.y + reach, shape->bounds.upper.z)};
    if (around.lower.z <= around.upper.z) {
        cnTrimesh_VisitBox(mesh, around, TakeCurtains, &enclosure);
    }

    double sign = inside ? -1.0 : 1.0;
    bool isClear = enclosure.distance > 1e-12 * mesh->extent;
    bool isOnFace = !enclosure.found && at.corner < 0 && at.edge < 0;
    cnVec3 between = cnScale(sign, cnSub(point, enclosure.nearest));
    *out = (cnSurfacePoint){
        .point = enclosure.nearest,
        .normal = isOnFace || !isClear ? enclosure.normal : cnNormalize(between),
        .distance = sign * enclosure.distance,
    };
}

static void FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out) {
    const cnTrimesh* mesh = shape->mesh;
    if (mesh->isTerrain) {
        FindTerrainSurface(shape, point, out);
        return;
    }
    FindClosest(shape, point, INFINITY, out);
    if (!mesh->isClosed && out->distance < 0.0) {
        out->distance = -out->distance;
        out->normal = cnNeg(out->normal);
    }
}

// ---- triangles for colliders ------------------------------------------------------------------------------

// As colliders see it.
static void GetTriangle(const cnTrimesh* mesh, int number, cnTriangle* triangle) {
    triangle->normal = mesh->normals[number];
    triangle->index = number;
    triangle->mesh = mesh;
    for (int i = 0; i < 3; ++i) {
        int h = 3 * number + i;
        triangle->corners[i] = cnTrimesh_GetCorner(mesh, h);
        triangle->vertices[i] = mesh->triangles[h];
        triangle->edgeKinds[i] = cnTrimesh_GetEdgeKind(mesh, h);
    }
}

uint32_t cnTriangle_GetEdge(const cnTriangle* triangle, int edge) {
    const cnTrimesh* mesh = triangle->mesh;
    return mesh != NULL ? cnTrimesh_GetEdge(mesh, 3 * triangle->index + edge) : triangle->edges[edge];
}

cnVec3 cnTriangle_GetNeighbourNormal(const cnTriangle* triangle, int edge) {
    const cnTrimesh* mesh = triangle->mesh;
    if (mesh == NULL) {
        return triangle->neighbourNormals[edge];
    }
    int neighbour = cnTrimesh_FindNeighbour(mesh, 3 * triangle->index + edge);
    return neighbour >= 0 ? mesh->normals[neighbour] : triangle->normal;
}

static bool VisitNumber(const cnTrimesh* mesh, int number, void* context) {
    const cnTriangleSearch* search = context;
    if (search->filter != NULL &&
        !search->filter(mesh->normals[number], cnTrimesh_GetCorner(mesh, 3 * number), search->context)) {
        return true;
    }
    cnTriangle triangle;
    GetTriangle(mesh, number, &triangle);
    return search->visit(&triangle, search->context);
}

static void SearchTriangles(const cnShape* shape, const cnTriangleSearch* search) {
    if (search->near != NULL) {
        cnTrimesh_VisitNear(shape->mesh, search->bounds, search->near, VisitNumber, (void*)search);
    } else {
        cnTrimesh_VisitBox(shape->mesh, search->bounds, VisitNumber, (void*)search);
    }
}

static bool RisesTo(const cnTrimesh* mesh, cnVec3 from, int vertex, cnVec3 normal) {
    cnVec3 edge = cnSub(mesh->vertices[vertex], from);
    return cnDot(edge, normal) > CN_FREE_RISE * cnLength(edge);
}

static bool IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal) {
    const cnTrimesh* mesh = shape->mesh;
    cnVec3 from = mesh->vertices[vertex];
    for (int i = mesh->fanStarts[vertex]; i < mesh->fanStarts[vertex + 1]; ++i) {
        int h = mesh->fans[i];
        if (RisesTo(mesh, from, cnTrimesh_GetEnd(mesh, h), normal) ||
            RisesTo(mesh, from, mesh->triangles[cnPreviousHalfEdge(h)], normal)) {
            return false;
        }
    }
    return true;
}

const cnShapeKind cnTrimeshKind = {Init,
                                   Measure,
                                   ComputeBounds,
                                   CastRay,
                                   FindClosest,
                                   FindSurface,
                                   .findCrossing = FindCrossing,
                                   .searchTriangles = SearchTriangles,
                                   .isFreeAtVertex = IsFreeAtVertex,
                                   .free = Free,
                                   .getBytes = GetBytes};
