// Poses for drawing, written where a renderer uploads them from.
#pragma once

#include "cairn/cairn.h"

// Writes a column-major 4×4 f32 matrix per instance: the proxy's pose (shape instance of a geometry) in the
// world, interpolated `alpha` (0…1) of the way through the last step, times a scale along the shape's axes.
// `proxies` are rows of the proxy table, `scales` three numbers each (null: 1); a row that is no longer in
// use or disabled gets a zero matrix. `out` has room for 16·count numbers.
cnErrorCode cnWorld_WriteMatrices(cnWorldId world, const int32_t* proxies, const float* scales, int count,
                                  double alpha, float* out);

// Triangulated surface of a convex shape or a trimesh in its own frame, by row of the shape table.
// Counts first; then the copies: three f64 a vertex, three u32 a triangle, counter-clockwise from
// outside. 0 for other shapes.
int cnWorld_GetShapeVertexCount(cnWorldId world, int shapeRow);
int cnWorld_GetShapeTriangleCount(cnWorldId world, int shapeRow);
cnErrorCode cnWorld_CopyShapeVertices(cnWorldId world, int shapeRow, double* out);
cnErrorCode cnWorld_CopyShapeTriangles(cnWorldId world, int shapeRow, uint32_t* out);

// What cnShape_SetRenderData was given, by row of the shape table; null for none.
const cnRenderData* cnWorld_GetRenderDataOfRow(cnWorldId world, int shapeRow);

// Of a trimesh, three numbers a triangle: half-edge 3 t + i goes from corner i of triangle t to its next
// corner; its twin is the half-edge on the other side, −1 where the surface ends.
cnErrorCode cnWorld_CopyShapeTwins(cnWorldId world, int shapeRow, int32_t* out);
