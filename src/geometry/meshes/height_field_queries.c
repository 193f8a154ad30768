// Rays at height fields, and the point of one next to a point.
#include "geometry/distance.h"
#include "geometry/meshes/height_field.h"

// ---- rays -------------------------------------------------------------------------------------------------
//
// Over the plane the surface is a graph, so a ray that begins outside the solid and stays within the outline
// and above the bottom enters the solid where its height over the surface first falls to zero. That height is
// continuous along the ray and linear over each triangle. Cells cut the ray at parameters that neighbours
// compute from the same numbers, so the pieces of the ray abut; a piece that ends at or below zero, or begins
// there by rounding, is a hit. So nothing slips through at an edge.

typedef struct Ray {
    const cnHeightField* field;
    cnVec3 origin, move;
    double enter, leave; // of the ray within the outline and above the bottom
    bool leaves;         // from inside: where it comes out
    bool crosses;        // it must pass through, not only begin at the surface by rounding
    double fraction;     // of the hit
    cnVec3 normal;
    int triangle;
} Ray;

typedef struct Piece {
    double enter, leave; // empty where enter > leave
} Piece;

static Piece Cut(Piece piece, double origin, double move, double lower, double upper) {
    if (move == 0.0) {
        return origin >= lower && origin <= upper ? piece : (Piece){INFINITY, -INFINITY};
    }
    double from = ((move > 0.0 ? lower : upper) - origin) / move;
    double to = ((move > 0.0 ? upper : lower) - origin) / move;
    return (Piece){cnMax(piece.enter, from), cnMin(piece.leave, to)};
}

// Over one triangle.
static bool CastAtTriangle(Ray* ray, cnFieldRegion cell, int upper, double enter, double leave) {
    cnVec3 corners[3], normal;
    cnHeightField_GetTriangle(ray->field, cell.i0, cell.j0, upper, corners, &normal);
    cnVec3 start = cnSub(ray->origin, corners[0]);
    ray->normal = normal;
    if (ray->leaves) {
        normal = cnNeg(normal);
    }
    double first = cnDot(normal, cnMulAdd(start, enter, ray->move));
    double last = cnDot(normal, cnMulAdd(start, leave, ray->move));
    if ((first > 0.0 && last > 0.0) || (ray->crosses && first <= last)) {
        return false;
    }
    ray->fraction = first <= 0.0 ? enter : cnMin(leave, enter + (leave - enter) * (first / (first - last)));
    ray->triangle = 2 * (cell.j0 * (ray->field->columnCount - 1) + cell.i0) + upper + 1;
    return true;
}

static bool CastAtCell(Ray* ray, cnFieldRegion cell, Piece piece) {
    // on which side of the diagonal the piece begins and ends
    const cnHeightField* field = ray->field;
    cnVec3 corner = cnHeightField_GetPoint(field, cell.i0, cell.j0);
    double width = cnHeightField_GetX(field, cell.i1) - corner.x;
    double depth = cnHeightField_GetY(field, cell.j1) - corner.y;
    double side = (ray->origin.x - corner.x) / width - (ray->origin.y - corner.y) / depth;
    double change = ray->move.x / width - ray->move.y / depth;
    double first = side + piece.enter * change;
    double last = side + piece.leave * change;
    if ((first >= 0.0) == (last >= 0.0)) {
        return CastAtTriangle(ray, cell, first < 0.0, piece.enter, piece.leave);
    }
    double middle = piece.enter + (piece.leave - piece.enter) * (first / (first - last));
    return CastAtTriangle(ray, cell, first < 0.0, piece.enter, middle) ||
           CastAtTriangle(ray, cell, first >= 0.0, middle, piece.leave);
}

// The first hit in a block.
static bool CastAtBlock(Ray* ray, cnFieldBlock block) {
    const cnHeightField* field = ray->field;
    cnFieldRegion region = cnHeightField_GetRegion(field, block);
    Piece piece = Cut((Piece){ray->enter, ray->leave}, ray->origin.x, ray->move.x,
                      cnHeightField_GetX(field, region.i0), cnHeightField_GetX(field, region.i1));
    piece = Cut(piece, ray->origin.y, ray->move.y, cnHeightField_GetY(field, region.j0),
                cnHeightField_GetY(field, region.j1));
    if (piece.enter > piece.leave) {
        return false;
    }
    cnFieldRange range = cnHeightField_GetRange(field, block);
    double first = ray->origin.z + ray->move.z * piece.enter;
    double last = ray->origin.z + ray->move.z * piece.leave;
    if (ray->leaves ? cnMax(first, last) < range.lower : cnMin(first, last) > range.upper) {
        return false;
    }
    if (block.level < 0) {
        return CastAtCell(ray, region, piece);
    }

    // columns and rows along the ray: the blocks that it crosses come in its order
    int side = cnHeightField_GetSide(block);
    int flip = (ray->move.x < 0.0 ? side - 1 : 0) + (ray->move.y < 0.0 ? side * (side - 1) : 0);
    for (int k = 0; k < side * side; ++k) {
        cnFieldBlock child = cnHeightField_GetChild(block, k ^ flip);
        if (cnHeightField_HasBlock(field, child) && CastAtBlock(ray, child)) {
            return true;
        }
    }
    return false;
}

// The ray above the bottom and within the outline; through which sides it comes in and goes out.
static Ray StartRay(const cnHeightField* field, cnVec3 origin, cnVec3 translation, cnVec3* in, cnVec3* out) {
    double x = 0.5 * field->sizeX;
    double y = 0.5 * field->sizeY;
    Piece whole = {0.0, 1.0};
    Piece piece = Cut(whole, origin.z, translation.z, cnHeightField_GetBottom(field), INFINITY);
    *in = *out = cnVec(0.0, 0.0, -1.0);
    Piece inX = Cut(piece, origin.x, translation.x, -x, x);
    cnVec3 sideX = {translation.x > 0.0 ? -1.0 : 1.0, 0.0, 0.0};
    *in = inX.enter > piece.enter ? sideX : *in;
    *out = inX.leave < piece.leave ? cnNeg(sideX) : *out;
    Piece inY = Cut(inX, origin.y, translation.y, -y, y);
    cnVec3 sideY = {0.0, translation.y > 0.0 ? -1.0 : 1.0, 0.0};
    *in = inY.enter > inX.enter ? sideY : *in;
    *out = inY.leave < inX.leave ? cnNeg(sideY) : *out;
    return (Ray){
        .field = field, .origin = origin, .move = translation, .enter = inY.enter, .leave = inY.leave};
}

static bool StartsInside(const Ray* ray) {
    cnVec3 start = cnMulAdd(ray->origin, ray->enter, ray->move);
    return start.z <= cnHeightField_GetSurface(ray->field, start.x, start.y);
}

cnLocalRayHit cnHeightField_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    cnVec3 in, out;
    Ray ray = StartRay(shape->field, origin, translation, &in, &out);
    if (!(ray.enter <= ray.leave)) {
        return (cnLocalRayHit){0};
    }
    if (StartsInside(&ray)) {
        return (cnLocalRayHit){.hit = true, .inside = ray.enter == 0.0, .fraction = ray.enter, .normal = in};
    }

    // down through the surface
    if (!CastAtBlock(&ray, cnHeightField_GetTop(ray.field))) {
        return (cnLocalRayHit){0};
    }
    return (cnLocalRayHit){
        .hit = true, .fraction = ray.fraction, .normal = ray.normal, .triangle = ray.triangle};
}

// In and out by turns, from the beginning, as only there it is certain on which side of the
// surface the ray is.
cnLocalRayHit cnHeightField_FindCrossing(const cnShape* shape, cnVec3 origin, cnVec3 translation,
                                         double after) {
    cnVec3 in, out;
    Ray ray = StartRay(shape->field, origin, translation, &in, &out);
    if (!(ray.enter <= ray.leave)) {
        return (cnLocalRayHit){0};
    }
    ray.leaves = StartsInside(&ray);
    ray.crosses = true;
    if (ray.leaves && ray.enter > 0.0 && ray.enter > after) {
        return (cnLocalRayHit){.hit = true, .fraction = ray.enter, .normal = in};
    }
    while (CastAtBlock(&ray, cnHeightField_GetTop(ray.field))) {
        if (ray.fraction > after) {
            return (cnLocalRayHit){
                .hit = true, .fraction = ray.fraction, .normal = ray.normal, .triangle = ray.triangle};
        }
        // past a place where the ray goes in and out at once, by rounding
        ray.enter = ray.fraction > ray.enter ? ray.fraction : ray.enter + 1e-15;
        ray.leaves = !ray.leaves;
    }
    bool hit = ray.leaves && ray.leave < 1.0 && ray.leave > after;
    return hit ? (cnLocalRayHit){.hit = true, .fraction = ray.leave, .normal = out} : (cnLocalRayHit){0};
}

// ---- closest points ---------------------------------------------------------------------------------------

// What a point lies on, in the top bits of its feature.
enum {
    onFace = 0,
    onEdge = 1 << 30,
    onCorner = (int)0x80000000
};

typedef struct Search {
    const cnHeightField* field;
    cnVec3 point;
    double min; // m², of the nearest so far, or of the reach
    bool found;
    bool isOnFace;
    cnSurfacePoint nearest;
} Search;

static void Consider(Search* search, cnVec3 point, cnVec3 normal, bool isOnFace, uint32_t feature) {
    double distance = cnLengthSquared(cnSub(search->point, point));
    if (distance < search->min || (!search->found && distance <= search->min)) {
        search->min = distance;
        search->found = true;
        search->isOnFace = isOnFace;
        search->nearest = (cnSurfacePoint){.point = point, .normal = normal, .feature = feature};
    }
}

static void SearchTriangle(Search* search, int i, int j, int upper) {
    const cnHeightField* field = search->field;
    cnVec3 corners[3], normal;
    cnHeightField_GetTriangle(field, i, j, upper, corners, &normal);
    cnVec3 point = search->point;

    // where it projects onto the triangle, that is the nearest; else it is on one of the sides
    // that it lies beyond
    bool isBeyond = false;
    uint32_t vertex = (uint32_t)(j * field->columnCount + i);
    for (int k = 0; k < 3; ++k) {
        cnVec3 along = cnSub(corners[(k + 1) % 3], corners[k]);
        if (cnDot(cnCross(along, cnSub(point, corners[k])), normal) >= 0.0) {
            continue;
        }
        isBeyond = true;
        double t = cnFindClosestOnSegment(corners[k], along, point);
        uint32_t feature = onEdge + cnHeightField_GetEdge(field, i, j, upper, k);
        if (t <= 0.0 || t >= 1.0) {
            feature =
                (uint32_t)onCorner + cnHeightField_GetVertex(field, i, j, upper, t > 0.0 ? (k + 1) % 3 : k);
        }
        Consider(search, cnMulAdd(corners[k], t, along), normal, false, feature);
    }
    if (!isBeyond) {
        double height = cnDot(normal, cnSub(point, corners[0]));
        uint32_t cell = vertex - (uint32_t)j;
        Consider(search, cnMulAdd(point, -height, normal), normal, true, onFace + 2 * cell + (uint32_t)upper);
    }
}

// Squared distance of the point from a block's bounds.
static double GetBlockDistance(const Search* search, cnFieldBlock block) {
    const cnHeightField* field = search->field;
    cnFieldRegion region = cnHeightField_GetRegion(field, block);
    cnFieldRange range = cnHeightField_GetRange(field, block);
    cnVec3 p = search->point;
    cnVec3 nearest = {
        cnClamp(p.x, cnHeightField_GetX(field, region.i0), cnHeightField_GetX(field, region.i1)),
        cnClamp(p.y, cnHeightField_GetY(field, region.j0), cnHeightField_GetY(field, region.j1)),
        cnClamp(p.z, range.lower, range.upper),
    };
    return cnLengthSquared(cnSub(p, nearest));
}

// Nearest blocks first.
static void SearchBlock(Search* search, cnFieldBlock block) {
    if (block.level < 0) {
        SearchTriangle(search, block.column, block.row, 0);
        SearchTriangle(search, block.column, block.row, 1);
        return;
    }
    double distances[cn_fieldBlockCells * cn_fieldBlockCells];
    int side = cnHeightField_GetSide(block);
    for (int k = 0; k < side * side; ++k) {
        cnFieldBlock child = cnHeightField_GetChild(block, k);
        distances[k] =
            cnHeightField_HasBlock(search->field, child) ? GetBlockDistance(search, child) : INFINITY;
    }
    for (;;) {
        int nearest = 0;
        for (int k = 1; k < side * side; ++k) {
            nearest = distances[k] < distances[nearest] ? k : nearest;
        }
        if (!(distances[nearest] < INFINITY) || distances[nearest] > search->min) {
            return;
        }
        distances[nearest] = INFINITY;
        SearchBlock(search, cnHeightField_GetChild(block, nearest));
    }
}

static void SearchCells(Search* search, cnFieldRegion cells) {
    for (int j = cells.j0; j <= cells.j1; ++j) {
        for (int i = cells.i0; i <= cells.i1; ++i) {
            SearchTriangle(search, i, j, 0);
            SearchTriangle(search, i, j, 1);
        }
    }
}

// The surface over or under the point, or at the outline next to it, is as near as what is looked for at
// least: mostly a few cells are left.
static void SearchSurface(Search* search, double reach) {
    const cnHeightField* field = search->field;
    cnVec3 p = search->point, over = p;
    over.x = cnClamp(p.x, -0.5 * field->sizeX, 0.5 * field->sizeX);
    over.y = cnClamp(p.y, -0.5 * field->sizeY, 0.5 * field->sizeY);
    over.z = cnHeightField_GetSurface(field, over.x, over.y);
    double distance = cnMin(reach, cnLength(cnSub(p, over)) * (1.0 + 1e-9) + 1e-9 * field->sizeX);
    cnVec3 around = {distance, distance, 0.0};
    cnFieldRegion cells = cnHeightField_FindCells(field, cnSub(p, around), cnAdd(p, around));
    search->min = distance * distance;
    if (cnFieldRegion_HasFewCells(&cells)) {
        SearchCells(search, cells);
    } else {
        SearchBlock(search, cnHeightField_GetTop(field));
    }
}

// Walls and bottom. A wall's part above the surface needs no care: where the nearest point of the wall's
// plane is up there, the nearest point of the wall is on the surface's rim.
static void SearchClosing(Search* search) {
    const cnHeightField* field = search->field;
    double x = 0.5 * field->sizeX;
    double y = 0.5 * field->sizeY;
    cnVec3 p = search->point;
    double bottom = cnHeightField_GetBottom(field);
    cnVec3 held = {cnClamp(p.x, -x, x), cnClamp(p.y, -y, y), cnMax(p.z, bottom)};
    uint32_t faceNumber = 2 * (uint32_t)(field->columnCount - 1) * (uint32_t)(field->rowCount - 1);
    uint32_t edgeNumber = 3 * (uint32_t)field->columnCount * (uint32_t)field->rowCount;
    for (uint32_t side = 0; side < 5; ++side) {
        // the part of the point that the face fixes; the others lie within it, or on its rim
        cnVec3 normal = side < 4 ? cnHeightField_GetRimNormal((int)side) : cnVec(0.0, 0.0, -1.0);
        cnVec3 q = held;
        q.x = normal.x != 0.0 ? normal.x * x : q.x;
        q.y = normal.y != 0.0 ? normal.y * y : q.y;
        q.z = normal.z != 0.0 ? bottom : q.z;
        if (side < 4 && q.z > cnHeightField_GetSurface(field, q.x, q.y)) {
            continue;
        }
        bool isOnFace = (normal.x != 0.0 || q.x == p.x) && (normal.y != 0.0 || q.y == p.y) &&
                        (normal.z != 0.0 || q.z == p.z);
        uint32_t rim = edgeNumber + 8 * side + (q.x != p.x) + 2 * (q.y != p.y) + 4 * (q.z != p.z);
        Consider(search, q, normal, isOnFace, isOnFace ? onFace + faceNumber + side : onEdge + rim);
    }
}

// The surface with walls and bottom (`closed`), or the sheet of triangles alone.
static bool FindNearest(const cnHeightField* field, cnVec3 point, double reach, bool closed,
                        cnSurfacePoint* out) {
    bool isWithin = fabs(point.x) <= 0.5 * field->sizeX && fabs(point.y) <= 0.5 * field->sizeY;
    bool isBelowBottom = point.z < cnHeightField_GetBottom(field);
    if (isWithin && isBelowBottom && !closed) {
        return false;
    }
    bool isInside = isWithin && !isBelowBottom && point.z < cnHeightField_GetSurface(field, point.x, point.y);
    Search search = {.field = field, .point = point};
    SearchSurface(&search, reach);
    if (closed) {
        SearchClosing(&search);
    }
    if (!search.found) {
        return false;
    }
    *out = search.nearest;
    cnVec3 between = isInside ? cnSub(out->point, point) : cnSub(point, out->point);
    double distance = cnLength(between);
    out->distance = isInside ? -distance : distance;

    // seen from a face the face's own; else along the line between the points
    if (distance > 0.0 && !(search.isOnFace && cnDot(out->normal, between) > 0.0)) {
        out->normal = cnScale(1.0 / distance, between);
    }
    return true;
}

bool cnHeightField_FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    return FindNearest(shape->field, point, reach, shape->field->closed, out);
}

void cnHeightField_FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out) {
    FindNearest(shape->field, point, INFINITY, true, out);
}
