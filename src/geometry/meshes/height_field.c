// Height fields: making, changing, measuring.
#include "geometry/meshes/height_field.h"

#include "base/allocator.h"
#include "base/report/format.h"
#include "geometry/shapes/shape_checks.h"

#include <string.h>

// ---- the grid ---------------------------------------------------------------------------------------------

double cnHeightField_GetBottom(const cnHeightField* field) {
    return field->closed
               ? field->minHeight
               : field->ranges[field->levels[field->levelCount - 1].first].lower - field->bottomMargin;
}

void cnHeightField_GetTriangle(const cnHeightField* field, int i, int j, int upper, cnVec3* corners,
                               cnVec3* normal) {
    corners[0] = cnHeightField_GetPoint(field, i, j);
    corners[1] = cnHeightField_GetPoint(field, i + 1, j + upper);
    corners[2] = cnHeightField_GetPoint(field, i + 1 - upper, j + 1);
    *normal = cnNormalize(cnCross(cnSub(corners[1], corners[0]), cnSub(corners[2], corners[0])));
}

// Cell along one axis that holds a coordinate, and how far in it the coordinate lies, 0…1.
static int FindCell(double coordinate, double size, int count, double* part) {
    double at = cnClamp((coordinate / size + 0.5) * (count - 1), 0.0, count - 1);
    int cell = at < count - 2 ? (int)at : count - 2;
    *part = cnClamp(at - cell, 0.0, 1.0);
    return cell;
}

double cnHeightField_GetSurface(const cnHeightField* field, double x, double y) {
    double u, v;
    int i = FindCell(x, field->sizeX, field->columnCount, &u);
    int j = FindCell(y, field->sizeY, field->rowCount, &v);
    const double* h = field->heights + j * field->columnCount + i;
    double h11 = h[field->columnCount + 1];
    return u >= v ? h[0] + u * (h[1] - h[0]) + v * (h11 - h[1])
                  : h[0] + v * (h[field->columnCount] - h[0]) + u * (h11 - h[field->columnCount]);
}

// Along one axis of `count` heights: the first and the last cell that an interval overlaps or touches. The
// guess is right to one cell.
static void FindCellsAlong(double lower, double upper, double size, int count, int* first, int* last) {
    double scale = (count - 1) / size, most = count - 2;
    int from = (int)cnClamp((lower + 0.5 * size) * scale - 1.0, 0.0, most);
    int to = (int)cnClamp((upper + 0.5 * size) * scale + 1.0, 0.0, most);
    while (from <= to && size * ((double)(from + 1) / (count - 1) - 0.5) < lower) {
        from += 1;
    }
    while (from <= to && size * ((double)to / (count - 1) - 0.5) > upper) {
        to -= 1;
    }
    *first = from;
    *last = to;
}

cnFieldRegion cnHeightField_FindCells(const cnHeightField* field, cnVec3 lower, cnVec3 upper) {
    cnFieldRegion cells;
    FindCellsAlong(lower.x, upper.x, field->sizeX, field->columnCount, &cells.i0, &cells.i1);
    FindCellsAlong(lower.y, upper.y, field->sizeY, field->rowCount, &cells.j0, &cells.j1);
    return cells;
}

int cnHeightField_GetRimCount(const cnHeightField* field) {
    return 2 * (field->columnCount - 1) + 2 * (field->rowCount - 1);
}

cnFieldRim cnHeightField_GetRim(const cnHeightField* field, int k) {
    int columns = field->columnCount - 1;
    int rows = field->rowCount - 1;
    k %= 2 * columns + 2 * rows;
    if (k < columns) {
        return (cnFieldRim){k, 0, 0};
    }
    if (k < columns + rows) {
        return (cnFieldRim){columns, k - columns, 1};
    }
    k -= columns + rows;
    return k < columns ? (cnFieldRim){columns - k, rows, 2} : (cnFieldRim){0, rows - (k - columns), 3};
}

cnVec3 cnHeightField_GetRimNormal(int side) {
    return cnVec((side & 1) * (2.0 - side), (~side & 1) * (side - 1.0), 0.0);
}

// ---- the pyramid ------------------------------------------------------------------------------------------

cnFieldBlock cnHeightField_GetTop(const cnHeightField* field) {
    return (cnFieldBlock){field->levelCount - 1, 0, 0};
}

cnFieldRegion cnHeightField_GetRegion(const cnHeightField* field, cnFieldBlock block) {
    int cells = block.level < 0 ? 1 : cn_fieldBlockCells << block.level;
    int i1 = (block.column + 1) * cells;
    int j1 = (block.row + 1) * cells;
    return (cnFieldRegion){
        .i0 = block.column * cells,
        .i1 = i1 < field->columnCount ? i1 : field->columnCount - 1,
        .j0 = block.row * cells,
        .j1 = j1 < field->rowCount ? j1 : field->rowCount - 1,
    };
}

static int GetBlockIndex(const cnHeightField* field, cnFieldBlock block) {
    const cnFieldLevel* level = &field->levels[block.level];
    return level->first + block.row * level->columns + block.column;
}

// From the heights of a region themselves.
static cnFieldRange FindRange(const cnHeightField* field, cnFieldRegion region) {
    cnFieldRange range = {INFINITY, -INFINITY};
    for (int j = region.j0; j <= region.j1; ++j) {
        const double* row = field->heights + j * field->columnCount;
        for (int i = region.i0; i <= region.i1; ++i) {
            range = (cnFieldRange){cnMin(range.lower, row[i]), cnMax(range.upper, row[i])};
        }
    }
    return range;
}

cnFieldRange cnHeightField_GetRange(const cnHeightField* field, cnFieldBlock block) {
    return block.level < 0 ? FindRange(field, cnHeightField_GetRegion(field, block))
                           : field->ranges[GetBlockIndex(field, block)];
}

cnFieldBlock cnHeightField_GetChild(cnFieldBlock block, int child) {
    int side = cnHeightField_GetSide(block);
    return (cnFieldBlock){block.level - 1, block.column * side + child % side,
                          block.row * side + child / side};
}

// Adds the column between a triangle and minHeight to moments about the point of the frame's z axis at
// minHeight. With z the height over minHeight: ∫1; ∫x, ∫y, 2∫z; ∫xx, ∫yy, 3∫zz, ∫xy, 2∫yz, 2∫zx, all times 60
// over the triangle's area in the plane, which is the same for all.
//
// Along z the integrals are powers of the column's height, so that each is one of products of three functions
// linear over the triangle, a, b and c, with values aᵢ, bᵢ, cᵢ at its corners and sums A, B, C of them:
//   ∫abc = area/60 (ABC + A Σbᵢcᵢ + B Σaᵢcᵢ + C Σaᵢbᵢ + 2 Σaᵢbᵢcᵢ)
// which is the simplex formula ∫λ₁ᵖλ₂ᵠλ₃ʳ = 2 area p! q! r!/(p + q + r + 2)! summed.
static double Integrate(cnVec3 a, cnVec3 b, cnVec3 c) {
    double sumA = a.x + a.y + a.z, sumB = b.x + b.y + b.z, sumC = c.x + c.y + c.z;
    return sumA * sumB * sumC + sumA * cnDot(b, c) + sumB * cnDot(a, c) + sumC * cnDot(a, b) +
           2.0 * cnDot(cnMul(a, b), c);
}

static void AddMoments(cnVec3 x, cnVec3 y, cnVec3 z, double* moments) {
    const cnVec3 one = {1.0, 1.0, 1.0};
    moments[0] += Integrate(one, one, z);
    moments[1] += Integrate(one, x, z);
    moments[2] += Integrate(one, y, z);
    moments[3] += Integrate(one, z, z);
    moments[4] += Integrate(x, x, z);
    moments[5] += Integrate(y, y, z);
    moments[6] += Integrate(z, z, z);
    moments[7] += Integrate(x, y, z);
    moments[8] += Integrate(y, z, z);
    moments[9] += Integrate(z, x, z);
}

static void AddCell(const cnHeightField* field, int i, int j, double* moments) {
    cnVec3 a = cnHeightField_GetPoint(field, i, j);
    cnVec3 b = cnHeightField_GetPoint(field, i + 1, j + 1);
    const double* row = field->heights + j * field->columnCount + i;
    a.z -= field->minHeight;
    b.z -= field->minHeight;
    for (int upper = 0; upper < 2; ++upper) {
        double z = row[upper != 0 ? field->columnCount : 1] - field->minHeight;
        AddMoments(cnVec(a.x, b.x, upper != 0 ? a.x : b.x), cnVec(a.y, b.y, upper != 0 ? b.y : a.y),
                   cnVec(a.z, b.z, z), moments);
    }
}

static void RenewBlock(cnHeightField* field, cnFieldBlock block) {
    int index = GetBlockIndex(field, block);
    double* moments = field->moments != NULL ? field->moments[index] : NULL;
    if (moments != NULL) {
        memset(moments, 0, sizeof *field->moments);
    }
    if (block.level == 0) {
        cnFieldRegion region = cnHeightField_GetRegion(field, block);
        field->ranges[index] = FindRange(field, region);
        for (int j = region.j0; j < region.j1 && moments != NULL; ++j) {
            for (int i = region.i0; i < region.i1; ++i) {
                AddCell(field, i, j, moments);
            }
        }
        return;
    }
    cnFieldRange range = {INFINITY, -INFINITY};
    for (int k = 0; k < 4; ++k) {
        cnFieldBlock child = cnHeightField_GetChild(block, k);
        if (!cnHeightField_HasBlock(field, child)) {
            continue;
        }
        int childIndex = GetBlockIndex(field, child);
        range.lower = cnMin(range.lower, field->ranges[childIndex].lower);
        range.upper = cnMax(range.upper, field->ranges[childIndex].upper);
        for (int m = 0; m < cn_fieldMoments && moments != NULL; ++m) {
            moments[m] += field->moments[childIndex][m];
        }
    }
    field->ranges[index] = range;
}

// Renews what lies above a region of heights.
static void RenewPyramid(cnHeightField* field, cnFieldRegion region) {
    // the cells that have one of these heights at a corner
    int i0 = region.i0 > 0 ? region.i0 - 1 : 0;
    int j0 = region.j0 > 0 ? region.j0 - 1 : 0;
    int i1 = region.i1 < field->columnCount - 1 ? region.i1 : field->columnCount - 2;
    int j1 = region.j1 < field->rowCount - 1 ? region.j1 : field->rowCount - 2;
    for (int level = 0; level < field->levelCount; ++level) {
        int cells = cn_fieldBlockCells << level;
        for (int row = j0 / cells; row <= j1 / cells; ++row) {
            for (int column = i0 / cells; column <= i1 / cells; ++column) {
                RenewBlock(field, (cnFieldBlock){level, column, row});
            }
        }
    }
}

// ---- changing ---------------------------------------------------------------------------------------------

bool cnHeightField_CheckRegion(const cnHeightField* field, cnFieldRegion region, const char* call) {
    if (region.i0 >= 0 && region.i0 <= region.i1 && region.i1 < field->columnCount && region.j0 >= 0 &&
        region.j0 <= region.j1 && region.j1 < field->rowCount) {
        return true;
    }
    cnFail(CN_ERROR_OUT_OF_RANGE, call, "region",
           "region is [%d, %d, %d, %d], allowed is 0 <= i0 <= i1 <= %d and 0 <= j0 <= j1 <= %d", region.i0,
           region.i1, region.j0, region.j1, field->columnCount - 1, field->rowCount - 1);
    return false;
}

static cnErrorCode CheckHeights(const cnHeightField* field, const double* heights, int count, int wanted,
                                const char* call) {
    if (heights == NULL && count != 0) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "heights", "heights is null");
    }
    if (count != wanted) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "heights", "heights has %d numbers, allowed are %d", count,
                      wanted);
    }
    for (int k = 0; k < count; ++k) {
        if (fabs(heights[k]) <= CN_LARGEST_LENGTH && (!field->closed || heights[k] >= field->minHeight)) {
            continue;
        }
        char argument[32];
        cnFormat(argument, sizeof argument, "heights[%d]", k);
        if (!cnIsFinite(heights[k])) {
            return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s is %g m, must be finite", argument,
                          heights[k]);
        }
        return fabs(heights[k]) <= CN_LARGEST_LENGTH
                   ? cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                            "%s is %g m, allowed in a dynamic height field is minHeight = %g m or more",
                            argument, heights[k], field->minHeight)
                   : cnFail(CN_ERROR_OUT_OF_RANGE, call, argument,
                            "%s is %g m, allowed are magnitudes up to 1e30", argument, heights[k]);
    }
    return CN_ERROR_NONE;
}

static void CopyHeights(cnHeightField* field, cnFieldRegion region, const double* heights) {
    int columns = region.i1 - region.i0 + 1;
    for (int j = region.j0; j <= region.j1; ++j) {
        memcpy(field->heights + j * field->columnCount + region.i0, heights + (j - region.j0) * columns,
               (size_t)columns * sizeof *heights);
    }
    RenewPyramid(field, region);
}

cnErrorCode cnHeightField_Write(cnShape* shape, cnFieldRegion region, const double* heights, int count,
                                const char* call) {
    int wanted = (region.i1 - region.i0 + 1) * (region.j1 - region.j0 + 1);
    cnErrorCode code = CheckHeights(shape->field, heights, count, wanted, call);
    if (code == CN_ERROR_NONE) {
        CopyHeights(shape->field, region, heights);
        cnShape_Measure(shape);
    }
    return code;
}

// ---- making -----------------------------------------------------------------------------------------------

static cnErrorCode CheckAxis(int count, double size, const char* call, const char* countName,
                             const char* sizeName) {
    if (count < 2 || count > cn_fieldMaxCount) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, countName, "%s is %d, allowed are 2 to %d", countName,
                      count, cn_fieldMaxCount);
    }
    cnErrorCode code = cnCheckPositiveLength(size, call, sizeName);
    if (code == CN_ERROR_NONE && size < 1.0 / CN_LARGEST_LENGTH) {
        code = cnFail(CN_ERROR_OUT_OF_RANGE, call, sizeName, "%s is %g m, allowed is 1e-30 to 1e30", sizeName,
                      size);
    }
    return code;
}

static cnErrorCode CheckDef(const cnShapeDef* def, const char* call) {
    cnErrorCode code = CheckAxis(def->columnCount, def->sizeX, call, "columnCount", "sizeX");
    code = code != CN_ERROR_NONE ? code : CheckAxis(def->rowCount, def->sizeY, call, "rowCount", "sizeY");
    code = code != CN_ERROR_NONE ? code : cnCheckLength(def->bottomMargin, call, "bottomMargin");
    return code != CN_ERROR_NONE
               ? code
               : cnCheckLength(fabs(def->dynamic ? def->minHeight : 0.0), call, "minHeight");
}

static int PlaceLevels(cnHeightField* field) {
    int blockCount = 0;
    int columns = field->columnCount - 1;
    int rows = field->rowCount - 1;
    int cells = cn_fieldBlockCells;
    do {
        columns = (columns + cells - 1) / cells;
        rows = (rows + cells - 1) / cells;
        field->levels[field->levelCount++] = (cnFieldLevel){columns, rows, blockCount};
        blockCount += columns * rows;
        cells = 2;
    } while (columns > 1 || rows > 1);
    return blockCount;
}

// One block of memory: heights, ranges and moments follow the struct.
static void PlaceArrays(cnHeightField* field, size_t blockCount) {
    field->heights = (double*)(field + 1);
    field->ranges = (cnFieldRange*)(field->heights + (size_t)field->columnCount * (size_t)field->rowCount);
    field->moments = field->closed ? (void*)(field->ranges + blockCount) : NULL;
}

cnHeightField* cnHeightField_Copy(const cnHeightField* field) {
    cnHeightField* copy = cnAllocate(field->bytes);
    if (copy != NULL) {
        memcpy(copy, field, field->bytes);
        const cnFieldLevel* top = &field->levels[field->levelCount - 1];
        PlaceArrays(copy, (size_t)top->first + (size_t)top->columns * (size_t)top->rows);
    }
    return copy;
}

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    cnErrorCode code = CheckDef(def, call);
    if (code != CN_ERROR_NONE) {
        return code;
    }
    cnHeightField made = {
        .columnCount = def->columnCount,
        .rowCount = def->rowCount,
        .sizeX = def->sizeX,
        .sizeY = def->sizeY,
        .bottomMargin = def->bottomMarginGiven || def->bottomMargin > 0.0 ? def->bottomMargin : 1.0,
        .minHeight = def->minHeight,
        .closed = def->dynamic,
    };
    int count = def->columnCount * def->rowCount;
    code = CheckHeights(&made, def->heights, def->heightCount, count, call);
    if (code != CN_ERROR_NONE) {
        return code;
    }

    size_t blockCount = (size_t)PlaceLevels(&made);
    size_t momentBytes = made.closed ? blockCount * sizeof *made.moments : 0;
    made.bytes =
        sizeof made + (size_t)count * sizeof *made.heights + blockCount * sizeof *made.ranges + momentBytes;
    char* memory = cnAllocate(made.bytes);
    if (memory == NULL) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "heights", "no memory for %d heights", count);
    }
    shape->field = (cnHeightField*)memory;
    *shape->field = made;
    PlaceArrays(shape->field, blockCount);
    CopyHeights(shape->field, (cnFieldRegion){0, def->columnCount - 1, 0, def->rowCount - 1}, def->heights);

    cnFieldRange range = cnHeightField_GetRange(shape->field, cnHeightField_GetTop(shape->field));
    if (made.closed && !(range.upper > made.minHeight)) {
        cnFree(memory, made.bytes);
        return cnFail(CN_ERROR_DEGENERATE_SHAPE, call, "heights",
                      "all heights are minHeight = %g m, a dynamic height field must have one above it",
                      made.minHeight);
    }
    return CN_ERROR_NONE;
}

static void Free(cnShape* shape) {
    cnFree(shape->field, shape->field->bytes);
}

static size_t GetBytes(const cnShape* shape) {
    return shape->field->bytes;
}

// ---- measuring --------------------------------------------------------------------------------------------

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    const cnHeightField* field = shape->field;
    double bottom = cnHeightField_GetBottom(field);
    double top = cnHeightField_GetRange(field, cnHeightField_GetTop(field)).upper;
    cnMat33 axes = cnMatFromQuat(pose.rotation);
    cnVec3 centre = cnMulAdd(pose.position, 0.5 * bottom + 0.5 * top, axes.z);
    cnVec3 half = cnAdd(
        cnAbs(cnScale(0.5 * field->sizeX, axes.x)),
        cnAdd(cnAbs(cnScale(0.5 * field->sizeY, axes.y)), cnAbs(cnScale(0.5 * top - 0.5 * bottom, axes.z))));
    return (cnBounds){cnSub(centre, half), cnAdd(centre, half)};
}

// Of the solid between the surface and minHeight.
static cnMassProperties ComputeMass(const cnHeightField* field) {
    static const double parts[cn_fieldMoments] = {1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 2.0, 2.0};
    const double* sums = field->moments[GetBlockIndex(field, cnHeightField_GetTop(field))];
    double area = 0.5 * (field->sizeX / (field->columnCount - 1)) * (field->sizeY / (field->rowCount - 1));
    double m[cn_fieldMoments];
    for (int k = 0; k < cn_fieldMoments; ++k) {
        m[k] = area * sums[k] / (60.0 * parts[k]);
    }
    if (!(m[0] > 0.0)) {
        return (cnMassProperties){0};
    }

    // to the centroid (parallel axes)
    cnVec3 c = cnScale(1.0 / m[0], cnVec(m[1], m[2], m[3]));
    double xx = m[4] - m[1] * c.x, yy = m[5] - m[2] * c.y, zz = m[6] - m[3] * c.z;
    double xy = m[7] - m[1] * c.y, yz = m[8] - m[2] * c.z, zx = m[9] - m[3] * c.x;
    return (cnMassProperties){
        .volume = m[0],
        .mass = m[0],
        .centre = {c.x, c.y, c.z + field->minHeight},
        .inertia = {{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}},
    };
}

static void Measure(cnShape* shape) {
    const cnHeightField* field = shape->field;
    cnVec3 extents = cnSub(shape->bounds.upper, shape->bounds.lower);
    shape->boundingRadius = 0.5 * cnLength(extents);

    // beside a static field the other shape alone counts, as with a plane
    shape->inradius = CN_LARGEST_LENGTH;
    if (field->closed) {
        shape->inradius = 0.5 * cnMin(extents.x, cnMin(extents.y, extents.z));
        shape->mass = ComputeMass(field);
    }
}

const cnShapeKind cnHeightFieldKind = {Init,
                                       Measure,
                                       ComputeBounds,
                                       cnHeightField_CastRay,
                                       cnHeightField_FindClosest,
                                       cnHeightField_FindSurface,
                                       .findCrossing = cnHeightField_FindCrossing,
                                       .searchTriangles = cnHeightField_SearchTriangles,
                                       .isFreeAtVertex = cnHeightField_IsFreeAtVertex,
                                       .free = Free,
                                       .getBytes = GetBytes};
