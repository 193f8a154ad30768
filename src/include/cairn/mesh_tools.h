// Mesh tools: convex decomposition, reduction, and shapes that enclose points. Nothing here needs a world.
//
// What takes long is done in small pieces of work, so that the caller can show progress, cancel by ending it,
// and do other things in between. Results are the same bits in every build, however the work is cut up.

#pragma once

#include "cairn/assets.h"
#include "cairn/geometry.h"

// A mesh that is read and left as it is.
typedef struct cnMeshView {
    const cnVec3* vertices;   // m, of a magnitude up to 1e30
    int vertexCount;          // 3 to 2^21
    const int32_t* triangles; // three vertex numbers each, counter-clockwise seen from outside
    int triangleCount;        // 1 to 2^20
} cnMeshView;

// ---- convex decomposition ---------------------------------------------------------------------------------

typedef struct cnDecompositionDef {
    int maxHulls;          // 1 to 1024; 0: 32
    int maxVertices;       // of a hull, 4 to 4096; 0: 256
    double maxError;       // m, how far a hull may reach out of the mesh; 0: a fiftieth of the diagonal
    double maxVolumeRatio; // volume of all hulls over that of the mesh, above 1, of solids; 0: 1.1
    double thickness;    // m, of what is flat and of the pieces of sheets; 0: a two-hundredth of the diagonal
    double holeShare;    // 0 to 1, holes up to this part of the area of what hangs together are closed
    bool holeShareGiven; // otherwise 0.05
} cnDecompositionDef;

// How good a decomposition is.
typedef struct cnDecompositionReport {
    double error;     // m, how far the hulls reach out of the mesh at most, to within a twentieth of maxError
    double uncovered; // m, how far a vertex of the mesh lies outside of all hulls at most
    double volume;    // m³, of the mesh; of sheets 0
    double hullVolume;  // m³, sum over the hulls
    double volumeRatio; // hullVolume / volume; 0 where the mesh is no solid
    int hullCount;
    int filledHoles;      // that were closed since they are small
    int sheets;           // parts that stay open: hulls cover their surface, not what they might enclose
    int turnedTriangles;  // whose corners went round against those of their neighbours, or inside out
    int droppedTriangles; // without an area, or twice
    bool withinBounds;    // maxError and maxVolumeRatio are kept; otherwise maxHulls was too few
} cnDecompositionReport;

typedef struct cnDecomposition cnDecomposition;

// Begins to cut a mesh into pieces whose convex hulls cover it; the mesh is copied.
//
// A closed mesh is a solid, however many parts it has; parts may overlap. Vertices that lie within 1e-7 of
// the diagonal become one, triangles are turned to fit their neighbours, a mesh that is inside out is turned.
// Holes up to holeShare are closed; what stays open is a sheet: its pieces cover its triangles, at least
// `thickness` thick.
//
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE, CN_ERROR_DEGENERATE_SHAPE (all
// vertices at one place, no triangle with an area), CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnBeginDecomposition(const cnMeshView* mesh, const cnDecompositionDef* def,
                                        cnDecomposition** decomposition);

// Does the next piece of work: about a millisecond for some thousand triangles, now and then some tens of
// them. progress: 0 to 1, never less than before; 1: done, further calls do nothing. After an error only
// cnEndDecomposition makes sense. Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnDecomposition_Advance(cnDecomposition* decomposition, double* progress);

// Once it is done. Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_WRONG_PHASE.
CN_API cnErrorCode cnDecomposition_GetReport(const cnDecomposition* decomposition,
                                             cnDecompositionReport* report);

// The corners of a hull, once it is done; they stay until the decomposition ends. index: 0 to hullCount − 1,
// the hull of the largest volume first.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_WRONG_PHASE, CN_ERROR_OUT_OF_RANGE.
CN_API cnErrorCode cnDecomposition_GetHull(const cnDecomposition* decomposition, int index,
                                           const cnVec3** vertices, int* vertexCount);

// Frees it, done or not. Null is allowed.
CN_API void cnEndDecomposition(cnDecomposition* decomposition);

// ---- reduction --------------------------------------------------------------------------------------------

// What ends a reduction; one of both at least.
typedef struct cnReductionDef {
    int maxTriangles; // goes on until there are no more than these; 0: as far as maxError lets
    double maxError;  // m, no vertex of the mesh comes to lie farther from the reduced one; 0: any distance
} cnReductionDef;

typedef struct cnReductionReport {
    int vertexCount, triangleCount;
    double error;         // m, how far a vertex of the mesh lies from the reduced mesh at most
    int droppedTriangles; // without an area, or twice, of the mesh that was given
    bool withinBounds;    // no more than maxTriangles are left
} cnReductionReport;

typedef struct cnReduction cnReduction;

// Begins to reduce a mesh by joining the ends of edges; the mesh is copied, and vertices that lie within 1e-7
// of its diagonal become one.
//
// What is closed stays closed, what is a manifold stays one, borders stay where they are as far as they can,
// no triangle turns by more than 84°. So there may be meshes that cannot be reduced as far as asked.
//
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE, CN_ERROR_NOT_FINITE, CN_ERROR_DEGENERATE_SHAPE,
// CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnBeginReduction(const cnMeshView* mesh, const cnReductionDef* def,
                                    cnReduction** reduction);

// As cnDecomposition_Advance.
CN_API cnErrorCode cnReduction_Advance(cnReduction* reduction, double* progress);

// The reduced mesh, once it is done; it stays until the reduction ends. report may be null.
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_WRONG_PHASE.
CN_API cnErrorCode cnReduction_GetMesh(const cnReduction* reduction, cnMeshView* mesh,
                                       cnReductionReport* report);

// Frees it, done or not. Null is allowed.
CN_API void cnEndReduction(cnReduction* reduction);

// ---- shapes that enclose points ---------------------------------------------------------------------------

// A small shape of a type that holds all points: cn_sphere, cn_box, cn_capsule or cn_cylinder, with the pose
// that it has among the points. At most 2^20 points, of a magnitude up to 1e30.
//
// The sphere is the smallest one. The box, the capsule and the cylinder are the smallest of those along the
// faces and edges of the convex hull and some directions more, moved and rotated as long as they become
// smaller: as a rule within a percent of the smallest. Points on a plane or a line get a shape that is a
// millionth of their extent thick.
//
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_OUT_OF_RANGE (type, count), CN_ERROR_NOT_FINITE,
// CN_ERROR_DEGENERATE_SHAPE (all points coincide), CN_ERROR_OUT_OF_MEMORY.
CN_API cnErrorCode cnFitShape(cnShapeType type, const cnVec3* points, int count, cnShapeDef* shape,
                              cnPose* pose);
