// Triangles of height fields with their neighbours, for colliders.
//
// Numbers. Vertices: nx j + i on the surface, then one below each point of the rim. Edges: 3 vertex + 0 along
// x, + 1 along y, + 2 along the diagonal; then three a point of the rim (down from it, the diagonal of the
// wall that begins there, unused), four sides of the bottom and its diagonal. Triangles: 2 cell + 0 or 1;
// then two a piece of the rim, two at the bottom.
#include "base/report/assert.h"
#include "geometry/meshes/height_field.h"

// Sine of the angle up to which two triangles count as one plane.
#define FLAT_ANGLE 1e-3

// ---- the surface ------------------------------------------------------------------------------------------

uint32_t cnHeightField_GetVertex(const cnHeightField* field, int i, int j, int upper, int corner) {
    int column = i + (corner == 1 || (corner == 2 && upper == 0));
    int row = j + (corner == 2 || (corner == 1 && upper == 1));
    return (uint32_t)(row * field->columnCount + column);
}

uint32_t cnHeightField_GetEdge(const cnHeightField* field, int i, int j, int upper, int edge) {
    // lower: x, y of the next column, diagonal; upper: diagonal, x of the next row, y
    static const uint8_t kinds[2][3] = {{0, 1, 2}, {2, 0, 1}};
    int kind = kinds[upper][edge];
    int column = i + (kind == 1 && upper == 0);
    int row = j + (kind == 0 && upper == 1);
    return 3 * (uint32_t)(row * field->columnCount + column) + (uint32_t)kind;
}

// ---- cells that are visited together ----------------------------------------------------------------------

// A region of few cells and those around it, with the coordinates of their lines.
typedef struct Grid {
    const cnHeightField* field;
    int i0, i1, j0, j1; // cells
    double x[CN_FEW_CELLS + 3], y[CN_FEW_CELLS + 3];
} Grid;

static void Grid_Init(Grid* grid, const cnHeightField* field, cnFieldRegion cells) {
    grid->field = field;
    grid->i0 = cells.i0 > 0 ? cells.i0 - 1 : 0;
    grid->j0 = cells.j0 > 0 ? cells.j0 - 1 : 0;
    grid->i1 = cells.i1 < field->columnCount - 2 ? cells.i1 + 1 : cells.i1;
    grid->j1 = cells.j1 < field->rowCount - 2 ? cells.j1 + 1 : cells.j1;
    CN_ASSERT(grid->i1 - grid->i0 <= CN_FEW_CELLS + 1 && grid->j1 - grid->j0 <= CN_FEW_CELLS + 1);
    for (int i = grid->i0; i <= grid->i1 + 1; ++i) {
        grid->x[i - grid->i0] = cnHeightField_GetX(field, i);
    }
    for (int j = grid->j0; j <= grid->j1 + 1; ++j) {
        grid->y[j - grid->j0] = cnHeightField_GetY(field, j);
    }
}

static inline cnVec3 Grid_GetPoint(const Grid* grid, int i, int j) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) the lines of all cells are set
    return cnVec(grid->x[i - grid->i0], grid->y[j - grid->j0],
                 grid->field->heights[j * grid->field->columnCount + i]);
}

// That of cnHeightField_GetTriangle, to the bit and the sign of zeros: its cross product with the zeros of
// both edges put in.
static inline cnVec3 Grid_GetNormal(const Grid* grid, int i, int j, int upper) {
    const double* h = grid->field->heights + j * grid->field->columnCount + i;
    const double* next = h + grid->field->columnCount;
    double width = grid->x[i + 1 - grid->i0] - grid->x[i - grid->i0];
    double length = grid->y[j + 1 - grid->j0] - grid->y[j - grid->j0];
    double diagonal = next[1] - h[0];
    if (upper) {
        double rise = next[0] - h[0];
        return cnNormalize(
            cnVec(length * rise - diagonal * length, 0.0 * diagonal - width * rise, width * length));
    }
    double rise = h[1] - h[0];
    return cnNormalize(
        cnVec(0.0 * diagonal - rise * length, rise * width - width * diagonal, width * length));
}

// The triangle across an edge of a cell of the region; false beyond the outline.
static bool FindNeighbour(const Grid* grid, int i, int j, int upper, int edge, cnVec3* normal, int* side) {
    static const int steps[2][3][3] = {{{0, -1, 0}, {1, 0, 1}, {0, 0, 0}},
                                       {{0, 0, 0}, {0, 1, 2}, {-1, 0, 3}}};
    const int* step = steps[upper][edge];
    int column = i + step[0], row = j + step[1];
    *side = step[2];
    if (column < grid->i0 || column > grid->i1 || row < grid->j0 || row > grid->j1) {
        return false;
    }
    *normal = Grid_GetNormal(grid, column, row, 1 - upper);
    return true;
}

static cnEdgeKind ClassifyEdge(cnVec3 normal, cnVec3 start, cnVec3 end, cnVec3 neighbourNormal) {
    // how far the neighbour's normal leans over the edge, seen across it
    cnVec3 outwards = cnCross(cnNormalize(cnSub(end, start)), normal);
    double lean = cnDot(neighbourNormal, outwards);
    if (fabs(lean) <= FLAT_ANGLE && cnDot(neighbourNormal, normal) > 0.0) {
        return cn_edgeFlat;
    }
    return lean > 0.0 ? cn_edgeConvex : cn_edgeConcave;
}

// Normals and kinds are those of the neighbours set before.
static void ClassifyEdges(cnTriangle* triangle) {
    for (int k = 0; k < 3; ++k) {
        triangle->edgeKinds[k] = ClassifyEdge(triangle->normal, triangle->corners[k],
                                              triangle->corners[(k + 1) % 3], triangle->neighbourNormals[k]);
    }
}

// What lies across the edges of a triangle whose corners and normal are known.
static void FindNeighbours(const Grid* grid, int i, int j, int upper, cnTriangle* triangle) {
    const cnHeightField* field = grid->field;
    triangle->index = 2 * (j * (field->columnCount - 1) + i) + upper;
    triangle->mesh = NULL;
    bool hasNeighbour[3];
    for (int k = 0; k < 3; ++k) {
        triangle->vertices[k] = (int)cnHeightField_GetVertex(field, i, j, upper, k);
        triangle->edges[k] = cnHeightField_GetEdge(field, i, j, upper, k);
        int side;
        hasNeighbour[k] = FindNeighbour(grid, i, j, upper, k, &triangle->neighbourNormals[k], &side);
        if (!hasNeighbour[k]) {
            triangle->neighbourNormals[k] =
                field->closed ? cnHeightField_GetRimNormal(side) : triangle->normal;
        }
    }
    ClassifyEdges(triangle);
    for (int k = 0; k < 3; ++k) {
        if (!hasNeighbour[k] && !field->closed) {
            triangle->edgeKinds[k] = cn_edgeBoundary;
        }
    }
}

// ---- walls and bottom of closed fields --------------------------------------------------------------------

// A corner of a wall: point k of the rim, or the point below it.
static cnVec3 GetRimPoint(const cnHeightField* field, int k, bool isBelow, int* vertex) {
    cnFieldRim rim = cnHeightField_GetRim(field, k);
    cnVec3 point = cnHeightField_GetPoint(field, rim.i, rim.j);
    *vertex = rim.j * field->columnCount + rim.i;
    if (isBelow) {
        point.z = field->minHeight;
        *vertex = field->rowCount * field->columnCount + k % cnHeightField_GetRimCount(field);
    }
    return point;
}

// The surface's edge from point k of the rim to the next, and the normal of the triangle at it.
static uint32_t GetRimEdge(const cnHeightField* field, int k, cnVec3* normal) {
    // triangles at the sides: 0 of the cells at least y and largest x, 1 of the others; edges there by number
    static const uint8_t edges[4] = {0, 1, 1, 2};
    cnFieldRim rim = cnHeightField_GetRim(field, k);
    int i = rim.side == 1 || rim.side == 2 ? rim.i - 1 : rim.i;
    int j = rim.side == 2 || rim.side == 3 ? rim.j - 1 : rim.j;
    cnVec3 corners[3];
    cnHeightField_GetTriangle(field, i, j, rim.side >= 2, corners, normal);
    return cnHeightField_GetEdge(field, i, j, rim.side >= 2, edges[rim.side]);
}

static bool HasArea(const cnTriangle* triangle) {
    return cnLengthSquared(cnCross(cnSub(triangle->corners[1], triangle->corners[0]),
                                   cnSub(triangle->corners[2], triangle->corners[0]))) > 0.0;
}

// Triangle `upper` of the wall below the piece of the rim from point k to the next: 0 has the corners below
// k, below k + 1 and k + 1, and 1 those below k, k + 1 and k.
static void GetWallTriangle(const cnHeightField* field, int k, int upper, cnTriangle* triangle) {
    int rimCount = cnHeightField_GetRimCount(field);
    int side = cnHeightField_GetRim(field, k).side;
    int vertexCount = field->columnCount * field->rowCount;
    uint32_t first = 3 * (uint32_t)vertexCount;
    uint32_t diagonal = first + 3 * (uint32_t)k + 1;
    cnVec3 down = {0.0, 0.0, -1.0};
    triangle->index = 2 * (field->columnCount - 1) * (field->rowCount - 1) + 2 * k + upper;
    triangle->mesh = NULL;
    triangle->normal = cnHeightField_GetRimNormal(side);
    triangle->corners[0] = GetRimPoint(field, k, true, &triangle->vertices[0]);
    triangle->corners[1] = GetRimPoint(field, k + 1, upper == 0, &triangle->vertices[1]);
    triangle->corners[2] = GetRimPoint(field, k + 1 - upper, false, &triangle->vertices[2]);
    if (upper == 0) {
        triangle->edges[0] = first + 3 * (uint32_t)rimCount + (uint32_t)side;
        triangle->edges[1] = first + 3 * (uint32_t)((k + 1) % rimCount);
        triangle->edges[2] = diagonal;
        triangle->neighbourNormals[0] = down;
        triangle->neighbourNormals[1] = cnHeightField_GetRimNormal(cnHeightField_GetRim(field, k + 1).side);
        triangle->neighbourNormals[2] = triangle->normal;
    } else {
        triangle->edges[0] = diagonal;
        triangle->edges[1] = GetRimEdge(field, k, &triangle->neighbourNormals[1]);
        triangle->edges[2] = first + 3 * (uint32_t)k;
        triangle->neighbourNormals[0] = triangle->normal;
        triangle->neighbourNormals[2] =
            cnHeightField_GetRimNormal(cnHeightField_GetRim(field, k + rimCount - 1).side);
    }
    ClassifyEdges(triangle);
}

// Half of the bottom: corners 0, 3, 2 or 0, 2, 1 of the outline.
static void GetBottomTriangle(const cnHeightField* field, int half, cnTriangle* triangle) {
    int columns = field->columnCount - 1, rows = field->rowCount - 1;
    int rimCount = 2 * columns + 2 * rows;
    const int outline[4] = {0, columns, columns + rows, 2 * columns + rows};
    static const uint8_t corners[2][3] = {{0, 3, 2}, {0, 2, 1}};
    static const uint8_t sides[2][3] = {{3, 2, 4}, {4, 1, 0}};
    uint32_t first = 3 * (uint32_t)(field->columnCount * field->rowCount + rimCount);
    triangle->index = 2 * columns * rows + 2 * rimCount + half;
    triangle->mesh = NULL;
    triangle->normal = cnVec(0.0, 0.0, -1.0);
    for (int k = 0; k < 3; ++k) {
        int side = sides[half][k];
        triangle->corners[k] = GetRimPoint(field, outline[corners[half][k]], true, &triangle->vertices[k]);
        triangle->edges[k] = first + (uint32_t)side;
        triangle->neighbourNormals[k] = side < 4 ? cnHeightField_GetRimNormal(side) : triangle->normal;
    }
    ClassifyEdges(triangle);
}

// ---- visits -----------------------------------------------------------------------------------------------

typedef struct Visit {
    const cnHeightField* field;
    const cnTriangleSearch* search;
} Visit;

static bool IsLetThrough(const Visit* visit, const cnTriangle* triangle) {
    const cnTriangleSearch* search = visit->search;
    return search->filter == NULL || search->filter(triangle->normal, triangle->corners[0], search->context);
}

static bool Call(const Visit* visit, const cnTriangle* triangle) {
    return visit->search->visit(triangle, visit->search->context);
}

// Half of a cell. False: the visitor has ended the visit.
static bool VisitHalf(const Visit* visit, const Grid* grid, int i, int j, int upper) {
    cnTriangle triangle;
    triangle.corners[0] = Grid_GetPoint(grid, i, j);
    triangle.normal = Grid_GetNormal(grid, i, j, upper);
    if (!IsLetThrough(visit, &triangle)) {
        return true;
    }
    triangle.corners[1] = Grid_GetPoint(grid, i + 1, j + upper);
    triangle.corners[2] = Grid_GetPoint(grid, i + 1 - upper, j + 1);
    FindNeighbours(grid, i, j, upper, &triangle);
    return Call(visit, &triangle);
}

// False: the visitor has ended the visit.
static bool VisitBlock(const Visit* visit, cnFieldBlock block) {
    const cnHeightField* field = visit->field;
    cnFieldRegion region = cnHeightField_GetRegion(field, block);
    cnFieldRange range = cnHeightField_GetRange(field, block);
    const cnBounds* bounds = &visit->search->bounds;
    if (cnHeightField_GetX(field, region.i0) > bounds->upper.x ||
        cnHeightField_GetX(field, region.i1) < bounds->lower.x ||
        cnHeightField_GetY(field, region.j0) > bounds->upper.y ||
        cnHeightField_GetY(field, region.j1) < bounds->lower.y || range.lower > bounds->upper.z ||
        range.upper < bounds->lower.z) {
        return true;
    }
    if (block.level < 0) {
        Grid grid;
        Grid_Init(&grid, field, (cnFieldRegion){block.column, block.column, block.row, block.row});
        return VisitHalf(visit, &grid, block.column, block.row, 0) &&
               VisitHalf(visit, &grid, block.column, block.row, 1);
    }
    int side = cnHeightField_GetSide(block);
    for (int k = 0; k < side * side; ++k) {
        cnFieldBlock child = cnHeightField_GetChild(block, k);
        if (cnHeightField_HasBlock(field, child) && !VisitBlock(visit, child)) {
            return false;
        }
    }
    return true;
}

// The heights at the corners of a cell lie all above or all below the bounds.
static bool IsCellBeside(const Visit* visit, int i, int j) {
    const double* h = visit->field->heights + j * visit->field->columnCount + i;
    const double* next = h + visit->field->columnCount;
    double lower = visit->search->bounds.lower.z, upper = visit->search->bounds.upper.z;
    return (h[0] > upper && h[1] > upper && next[0] > upper && next[1] > upper) ||
           (h[0] < lower && h[1] < lower && next[0] < lower && next[1] < lower);
}

// False: the visitor has ended the visit.
static bool VisitCells(const Visit* visit, cnFieldRegion cells) {
    if (cells.i1 < cells.i0 || cells.j1 < cells.j0) {
        return true;
    }
    Grid grid;
    Grid_Init(&grid, visit->field, cells);
    for (int j = cells.j0; j <= cells.j1; ++j) {
        for (int i = cells.i0; i <= cells.i1; ++i) {
            if (!IsCellBeside(visit, i, j) &&
                !(VisitHalf(visit, &grid, i, j, 0) && VisitHalf(visit, &grid, i, j, 1))) {
                return false;
            }
        }
    }
    return true;
}

// Whether the visit goes on.
static bool VisitTriangle(const Visit* visit, const cnTriangle* triangle) {
    const cnVec3* corners = triangle->corners;
    cnVec3 lower = cnMinVec(corners[0], cnMinVec(corners[1], corners[2]));
    cnVec3 upper = cnMaxVec(corners[0], cnMaxVec(corners[1], corners[2]));
    const cnBounds* bounds = &visit->search->bounds;
    bool overlaps = lower.x <= bounds->upper.x && upper.x >= bounds->lower.x && lower.y <= bounds->upper.y &&
                    upper.y >= bounds->lower.y && lower.z <= bounds->upper.z && upper.z >= bounds->lower.z;
    return !overlaps || !HasArea(triangle) || !IsLetThrough(visit, triangle) || Call(visit, triangle);
}

static void VisitClosing(const Visit* visit) {
    const cnHeightField* field = visit->field;
    cnTriangle triangle;
    bool goesOn = true;
    for (int k = 0; k < 2 && goesOn; ++k) {
        GetBottomTriangle(field, k, &triangle);
        goesOn = VisitTriangle(visit, &triangle);
    }

    // a box within the outline meets no wall
    const cnBounds* bounds = &visit->search->bounds;
    bool isWithin = bounds->upper.x < 0.5 * field->sizeX && bounds->lower.x > -0.5 * field->sizeX &&
                    bounds->upper.y < 0.5 * field->sizeY && bounds->lower.y > -0.5 * field->sizeY;
    int count = isWithin ? 0 : 2 * cnHeightField_GetRimCount(field);
    for (int k = 0; k < count && goesOn; ++k) {
        GetWallTriangle(field, k / 2, k % 2, &triangle);
        goesOn = VisitTriangle(visit, &triangle);
    }
}

void cnHeightField_SearchTriangles(const cnShape* shape, const cnTriangleSearch* search) {
    Visit all = {shape->field, search};
    cnBounds bounds = search->bounds;
    cnFieldRegion cells = cnHeightField_FindCells(shape->field, bounds.lower, bounds.upper);
    bool goesOn = cnFieldRegion_HasFewCells(&cells) ? VisitCells(&all, cells)
                                                    : VisitBlock(&all, cnHeightField_GetTop(shape->field));
    if (goesOn && shape->field->closed) {
        VisitClosing(&all);
    }
}

// ---- copies -----------------------------------------------------------------------------------------------

int cnHeightField_GetVertexCount(const cnHeightField* field) {
    return field->columnCount * field->rowCount + (field->closed ? cnHeightField_GetRimCount(field) : 0);
}

int cnHeightField_GetTriangleCount(const cnHeightField* field) {
    int surface = 2 * (field->columnCount - 1) * (field->rowCount - 1);
    return surface + (field->closed ? 2 * cnHeightField_GetRimCount(field) + 2 : 0);
}

void cnHeightField_CopyVertices(const cnHeightField* field, double* out) {
    int count = cnHeightField_GetVertexCount(field);
    int surface = field->columnCount * field->rowCount;
    for (int k = 0; k < count; ++k) {
        int vertex;
        cnVec3 point = k < surface
                           ? cnHeightField_GetPoint(field, k % field->columnCount, k / field->columnCount)
                           : GetRimPoint(field, k - surface, true, &vertex);
        *out++ = point.x;
        *out++ = point.y;
        *out++ = point.z;
    }
}

void cnHeightField_CopyTriangles(const cnHeightField* field, uint32_t* out) {
    int count = cnHeightField_GetTriangleCount(field);
    int columns = field->columnCount - 1;
    int surface = 2 * columns * (field->rowCount - 1);
    int wallEnd = surface + 2 * cnHeightField_GetRimCount(field);
    for (int k = 0; k < count; ++k) {
        cnTriangle triangle;
        if (k >= wallEnd) {
            GetBottomTriangle(field, k - wallEnd, &triangle);
        } else if (k >= surface) {
            GetWallTriangle(field, (k - surface) / 2, k % 2, &triangle);
        }
        for (int corner = 0; corner < 3; ++corner) {
            *out++ = k < surface
                         ? cnHeightField_GetVertex(field, k / 2 % columns, k / 2 / columns, k % 2, corner)
                         : (uint32_t)triangle.vertices[corner];
        }
    }
}

// ---- vertices ---------------------------------------------------------------------------------------------

static bool Rises(cnVec3 along, cnVec3 normal) {
    return cnDot(along, normal) > FLAT_ANGLE * cnLength(along);
}

// Vertices below the rim: along the bottom both ways, up, and over the bottom.
static bool IsFreeBelow(const cnHeightField* field, int k, cnVec3 normal) {
    cnFieldRim rim = cnHeightField_GetRim(field, k);
    cnFieldRim before = cnHeightField_GetRim(field, k + cnHeightField_GetRimCount(field) - 1);
    cnVec3 n1 = cnHeightField_GetRimNormal(rim.side);
    cnVec3 n0 = cnHeightField_GetRimNormal(before.side);
    cnVec3 onwards = {-n1.y, n1.x, 0.0};
    cnVec3 back = {n0.y, -n0.x, 0.0};
    bool rises = Rises(onwards, normal) || Rises(back, normal) || Rises(cnNeg(n0), normal);
    bool hasWall = field->heights[rim.j * field->columnCount + rim.i] > field->minHeight;
    return !rises && !(hasWall && normal.z > FLAT_ANGLE);
}

bool cnHeightField_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal) {
    static const int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const cnHeightField* field = shape->field;
    int vertexCount = field->columnCount * field->rowCount;
    if (vertex >= vertexCount) {
        return IsFreeBelow(field, vertex - vertexCount, normal);
    }
    int i = vertex % field->columnCount;
    int j = vertex / field->columnCount;
    cnVec3 point = cnHeightField_GetPoint(field, i, j);
    bool isOnRim = false;
    for (int k = 0; k < 6; ++k) {
        int column = i + steps[k][0];
        int row = j + steps[k][1];
        if (column < 0 || column >= field->columnCount || row < 0 || row >= field->rowCount) {
            isOnRim = true;
        } else if (Rises(cnSub(cnHeightField_GetPoint(field, column, row), point), normal)) {
            return false;
        }
    }
    return !(isOnRim && field->closed && -normal.z > FLAT_ANGLE && point.z > field->minHeight);
}
