// Shapes and stateless geometry: usable without a world.
//
// Lengths in metres. Points and normals are in the shape's own frame unless a pose is an argument.

#pragma once

#include "cairn/math.h"
#include "cairn/shape_types.h"

// On which side of a mesh's triangles outside is.
typedef enum cnWinding {
    cn_windingCcw = 0,      // where their corners go round counter-clockwise
    cn_windingCw,           // where they go round clockwise
    cn_windingRecalculated, // as the first triangle of each part has it; the others are turned to fit
} cnWinding;

// What a shape is made from. Only the fields that the type names are read.
typedef struct cnShapeDef {
    cnShapeType type;
    double radius;        // m, > 0
    double height;        // m, >= 0
    cnVec3 halfExtents;   // m, each > 0
    cnVec3 normal;        // any length > 0; normalised together with nothing else: offset is taken literally
    double offset;        // m, along the unit normal
    const cnVec3* points; // m; a hull's, at least 4 that span a volume, or a mesh's vertices; copied
    int pointCount;

    double innerRadius;  // m, > 0: hollow cylinder
    double thickness;    // m, > 0: hollow cylinder and cone, along the radius
    double topRadius;    // m, >= 0: cones, the outer radius at y = height
    double bottomRadius; // m, >= 0: cones, the outer radius at y = 0
    cnVec3 start, end;   // m: line

    const int32_t* triangles; // three vertex numbers each: trimesh; copied
    int triangleCount;        // of triangles, up to 2^22
    cnWinding winding;        // trimesh
    bool mergeVertices;       // trimesh: vertices within mergeTolerance become one; what collapses is dropped
    double mergeTolerance;    // m, >= 0; 0: only equal ones
    bool terrain;             // trimesh: a surface over x and y, z up; solid below, down to bottomMargin
    double bottomMargin; // m, >= 0: terrain and height field, how far they are solid below their lowest point

    // height field: height (i, j) is heights[j columnCount + i], at x = -sizeX/2 + i
    // sizeX/(columnCount - 1), y likewise
    int columnCount, rowCount; // of heights along x and y, 2 to 16384
    double sizeX, sizeY;       // m, > 0
    const double* heights;     // m; copied
    int heightCount;           // columnCount rowCount
    bool bottomMarginGiven;    // height field: else a bottomMargin of 0 stands for 1 m
    bool dynamic;              // height field: a closed solid, down to minHeight, with a mass
    double minHeight;          // m, not above any height: bottom of a dynamic height field
} cnShapeDef;

// Of a solid of the given density.
typedef struct cnMassProperties {
    double volume;   // m³; 0 for a plane
    double mass;     // kg
    cnVec3 centre;   // m, centre of mass in the shape's frame
    cnMat33 inertia; // kg m², about the centre of mass, along the shape's axes
} cnMassProperties;

typedef struct cnRayHit {
    bool hit;
    double fraction; // along the translation, 0…1; 0 where the origin lies inside
    cnVec3 point;    // m, world
    cnVec3 normal;   // unit, world, out of the solid; against the ray where the origin lies inside
    int triangle;    // of a mesh or height field, as it is drawn; -1: none
} cnRayHit;

// Mass properties of the solid a shape definition describes. density in kg/m³, > 0.
// Errors: those of cnCreateShape, CN_ERROR_NULL_ARGUMENT.
CN_API cnErrorCode cnComputeMassProperties(const cnShapeDef* shape, double density, cnMassProperties* out);

// Smallest box along the world's axes that holds the shape at a pose; a plane's reaches ±1e30 where
// it is unbounded.
CN_API cnErrorCode cnComputeBounds(const cnShapeDef* shape, cnPose pose, cnBounds* out);

// First point where origin + t·translation, 0 <= t <= 1, meets the shape at a pose (world metres).
CN_API cnErrorCode cnCastRayAtShape(const cnShapeDef* shape, cnPose pose, cnVec3 origin, cnVec3 translation,
                                    cnRayHit* out);

typedef enum cnProximity {
    cn_proximityUnsupported = 0, // the pair has no closest points: plane and plane, two hollow solids
    cn_proximityApart,
    cn_proximityOverlapping, // touching included
} cnProximity;

typedef struct cnClosestPoints {
    cnProximity status;
    double distance; // m; overlapping: 0 or less; two convex shapes: minus the least way that parts them
    cnVec3 point1;   // m, world, on the first shape's surface
    cnVec3 point2;   // m, world, on the second's
    cnVec3 normal;   // unit, moves the first shape away from the second; zero where concave shapes overlap
} cnClosestPoints;

// Closest points of two shapes at poses. What lies wholly within a solid overlaps it; an open mesh is a sheet
// without an inside.
// Errors: those of cnCreateShape.
CN_API cnErrorCode cnComputeClosestPoints(const cnShapeDef* shape1, cnPose pose1, const cnShapeDef* shape2,
                                          cnPose pose2, cnClosestPoints* out);

// Whether a shape at a pose holds a point (m, world), its surface included; meshes and height fields hold
// what is inside, open meshes nothing.
CN_API bool cnIsPointInShape(const cnShapeDef* shape, cnPose pose, cnVec3 point);

// The point of a surface next to a point.
typedef struct cnSurfaceDistance {
    double distance; // m, from the point asked; negative inside the solid
    cnVec3 point;    // m, world, on the surface
    cnVec3 normal;   // unit, world, out of the solid: where the distance grows
} cnSurfaceDistance;

// The point of a shape's surface next to a point (m, world), outside or inside. Terrains and static height
// fields are solids with upright sides and a bottom, bottomMargin below their lowest point. Lines and open
// meshes hold nothing: distances are >= 0, and the normal points from them to the point asked. Where several
// points of the surface are as near, one of them; where the point lies on the surface, the normal of a
// face there.
// Errors: those of cnCreateShape, CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE, CN_ERROR_NULL_ARGUMENT.
CN_API cnErrorCode cnFindSurfacePoint(const cnShapeDef* shape, cnPose pose, cnVec3 point,
                                      cnSurfaceDistance* out);

// What is wrong with a mesh, and what it is. Counts are of the mesh after its vertices are merged and its
// triangles turned, as its definition asks; a mesh can be used whatever they are.
typedef struct cnMeshReport {
    int vertices;
    int triangles;
    int components;        // parts that hang together by vertices
    int openEdges;         // of one triangle only: a closed mesh has none
    int holes;             // borders where the surface ends, the outer one of an open surface among them
    int zeroAreaTriangles; // left out of contacts and rays
    int inconsistentEdges; // whose two triangles go round in opposite ways
    int nonManifoldEdges;  // of more than two triangles
    int unreferencedVertices;
    int duplicateVertices; // at the place of an earlier one; merged by mergeVertices
    int selfIntersections; // pairs of triangles without a common vertex that cross; 0 if not asked for
    bool closed;           // encloses a volume: a solid, with mass properties
    bool insideOut;        // encloses a negative volume: cnCreateShape refuses it
    bool convex;           // closed, and its own convex hull
    bool rectangular;      // terrain: its outer border is a rectangle along x and y
    bool overhanging;      // terrain: a triangle faces down, or stands upright
    int innerHoles;        // terrain: holes beside the outer border
    double area;           // m²
    double volume;         // m³; 0 where the mesh is not closed
} cnMeshReport;

// Counts what is wrong with the mesh of a definition of type cn_trimesh; self-intersections on request.
// Errors: those of cnCreateShape, but for insideOut.
CN_API cnErrorCode cnCheckMesh(const cnShapeDef* mesh, bool selfIntersections, cnMeshReport* out);
