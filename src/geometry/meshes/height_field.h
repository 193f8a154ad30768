// Height fields: a grid of heights over the x-y plane, its pyramid of ranges, and what follows a change.
//
// Heights are f64: what is set is read back bit by bit, fields that meet at a seam agree there, and a
// shallow slope far above zero has no steps (those of f32 at 1000 m are 0.06 mm). 8 bytes a height, and 1.4
// for the pyramid.
//
// The surface is two triangles a cell; triangle 2c of cell c lies on the side of larger x of the diagonal,
// 2c + 1 on the other. The solid is what lies below, down to a bottom: bottomMargin below the lowest height,
// or minHeight in a dynamic field. A static field is touched from above only: its surface is the sheet of
// triangles and an overlap is always resolved upwards. A dynamic field is a closed body: walls along the four
// sides and the bottom belong to its surface.
//
//     j+1 .-----.      The pyramid: level 0 keeps the least and the largest height of blocks of 4 x 4
//         |  1 /|      cells, each level above those of 2 x 2 blocks below, up to one block. Rays, closest
//         |  /  |      points and visits descend it and leave out what their bounds do not meet; a change of
//         |/  0 |      a region renews the blocks above it and no others. Blocks of dynamic fields keep the
//       j '-----'      moments of mass of the columns in them in the same manner, so that a changed field has
//         i    i+1     the very bits of one that is rebuilt.
//
// A quadtree of minima and maxima for rays: Tevs, Ihrke & Seidel 2008, "Maximum mipmaps for fast, accurate,
// and scalable dynamic height field rendering"; here down to exact triangles.
#pragma once

#include "geometry/shapes/shape_kinds.h"

enum {
    cn_fieldBlockCells = 4, // cells along a side of a block of level 0
    cn_fieldMaxCount = 1 << 14,
    cn_fieldMaxLevels = 14,
    cn_fieldMoments = 10,
};

typedef struct cnFieldRange {
    double lower, upper; // m
} cnFieldRange;

typedef struct cnFieldLevel {
    int columns, rows; // of blocks
    int first;         // index of its first block
} cnFieldLevel;

struct cnHeightField {
    int columnCount, rowCount; // of heights
    double sizeX, sizeY;       // m
    double bottomMargin;       // m
    double minHeight;          // m
    bool closed;               // dynamic: walls and a bottom belong to the surface
    int levelCount;
    cnFieldLevel levels[cn_fieldMaxLevels];
    double* heights;                    // row by row, x fastest
    cnFieldRange* ranges;               // per block
    double (*moments)[cn_fieldMoments]; // per block; null in static fields
    size_t bytes;                       // of the whole block of memory; the arrays follow the struct
};

// Heights i0 <= i <= i1, j0 <= j <= j1.
typedef struct cnFieldRegion {
    int i0, i1, j0, j1;
} cnFieldRegion;

// Checks a region; false with the last error set.
bool cnHeightField_CheckRegion(const cnHeightField* field, cnFieldRegion region, const char* call);

// Sets the heights of a checked region, row by row, and renews the pyramid above it, the shape's bounds and
// its mass. Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE (the count; a height;
// below minHeight); then nothing has changed.
cnErrorCode cnHeightField_Write(cnShape* shape, cnFieldRegion region, const double* heights, int count,
                                const char* call);

// Null when memory ran out.
cnHeightField* cnHeightField_Copy(const cnHeightField* field);

// Where column i and row j are, m. Exactly half the size at both ends, and never falling as i grows.
static inline double cnHeightField_GetX(const cnHeightField* field, int i) {
    return field->sizeX * ((double)i / (field->columnCount - 1) - 0.5);
}

static inline double cnHeightField_GetY(const cnHeightField* field, int j) {
    return field->sizeY * ((double)j / (field->rowCount - 1) - 0.5);
}

static inline cnVec3 cnHeightField_GetPoint(const cnHeightField* field, int i, int j) {
    return cnVec(cnHeightField_GetX(field, i), cnHeightField_GetY(field, j),
                 field->heights[j * field->columnCount + i]);
}

// Lower end of the solid, m.
double cnHeightField_GetBottom(const cnHeightField* field);

// Corners and unit normal of triangle `upper` (0 or 1) of cell (i, j); counter-clockwise seen from above.
void cnHeightField_GetTriangle(const cnHeightField* field, int i, int j, int upper, cnVec3* corners,
                               cnVec3* normal);

// Numbers of their corners and of their edges (edge k from corner k to the next), as in geometry/triangles.h.
uint32_t cnHeightField_GetVertex(const cnHeightField* field, int i, int j, int upper, int corner);
uint32_t cnHeightField_GetEdge(const cnHeightField* field, int i, int j, int upper, int edge);

// Height of the surface, m, at a point within the outline (moved there otherwise).
double cnHeightField_GetSurface(const cnHeightField* field, double x, double y);

// A block of the pyramid; level −1 has the cells themselves.
typedef struct cnFieldBlock {
    int level, column, row;
} cnFieldBlock;

// The block at the top, the cells that a block covers (as a region of heights), its range, and
// the blocks in it.
cnFieldBlock cnHeightField_GetTop(const cnHeightField* field);
cnFieldRegion cnHeightField_GetRegion(const cnHeightField* field, cnFieldBlock block);
cnFieldRange cnHeightField_GetRange(const cnHeightField* field, cnFieldBlock block);
cnFieldBlock cnHeightField_GetChild(cnFieldBlock block, int child);

// Children of a block in the order of their numbers, column fastest: 2 x 2, or 4 x 4 cells; some may
// lie beyond the end.
static inline int cnHeightField_GetSide(cnFieldBlock block) {
    return block.level == 0 ? cn_fieldBlockCells : 2;
}

static inline bool cnHeightField_HasBlock(const cnHeightField* field, cnFieldBlock block) {
    int columns = block.level < 0 ? field->columnCount - 1 : field->levels[block.level].columns;
    int rows = block.level < 0 ? field->rowCount - 1 : field->levels[block.level].rows;
    return block.column < columns && block.row < rows;
}

// The cells that a rectangle overlaps or touches, i0 … i1 by j0 … j1; none where i0 > i1 or j0 > j1.
cnFieldRegion cnHeightField_FindCells(const cnHeightField* field, cnVec3 lower, cnVec3 upper);

// Up to so many cells are gone through one by one, without the pyramid.
#define CN_FEW_CELLS 36

static inline bool cnFieldRegion_HasFewCells(const cnFieldRegion* cells) {
    return (cells->i1 - cells->i0 + 1) * (cells->j1 - cells->j0 + 1) <= CN_FEW_CELLS;
}

// The outline, counter-clockwise from (0, 0) seen from above: point k of 2 (nx − 1) + 2 (ny − 1).
typedef struct cnFieldRim {
    int i, j;
    // of the piece from this point to the next: 0 at least y, 1 at largest x, 2 at largest y, 3 at least x
    int side;
} cnFieldRim;

int cnHeightField_GetRimCount(const cnHeightField* field);
cnFieldRim cnHeightField_GetRim(const cnHeightField* field, int k);
cnVec3 cnHeightField_GetRimNormal(int side);

// The whole surface for drawing, walls and bottom of a closed field with it: counts, and copies of vertices
// and of three vertices a triangle.
int cnHeightField_GetVertexCount(const cnHeightField* field);
int cnHeightField_GetTriangleCount(const cnHeightField* field);
void cnHeightField_CopyVertices(const cnHeightField* field, double* out);
void cnHeightField_CopyTriangles(const cnHeightField* field, uint32_t* out);

// As the members of cnShapeKind.
cnLocalRayHit cnHeightField_CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation);
cnLocalRayHit cnHeightField_FindCrossing(const cnShape* shape, cnVec3 origin, cnVec3 translation,
                                         double after);
bool cnHeightField_FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out);
void cnHeightField_FindSurface(const cnShape* shape, cnVec3 point, cnSurfacePoint* out);
void cnHeightField_SearchTriangles(const cnShape* shape, const cnTriangleSearch* search);
bool cnHeightField_IsFreeAtVertex(const cnShape* shape, int vertex, cnVec3 normal);
