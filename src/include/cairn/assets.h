// Mesh files and height images, read from memory. Nothing here needs a world.

#pragma once

#include "cairn/math.h"

// ---- files that name other files --------------------------------------------------------------------------

// Where the bytes of files come from that a scene or a glTF file names. Cairn opens no files itself.
typedef struct cnFileSource {
    // Bytes of the file of that name (UTF-8, '/' between folders, relative to the file that was read first),
    // which must stay until the reading ends; null where there is no such file.
    const void* (*find)(const char* name, size_t* length, void* context);
    void* context;
} cnFileSource;

// ---- meshes -----------------------------------------------------------------------------------------------

typedef struct cnMeshOptions {
    const cnFileSource* files; // for the .bin files of a .gltf; null: there are none
    const char* path;          // of the file, which those names are relative to; null: ""
    bool keepApart;            // one part for each object of the file; otherwise all are joined to one
} cnMeshOptions;

// One object of a file. Its triangles use its own vertices alone.
typedef struct cnMeshPart {
    char name[64]; // "" where the file gives none
    int firstVertex, vertexCount;
    int firstTriangle, triangleCount;
} cnMeshPart;

typedef struct cnMeshData {
    cnVec3* vertices; // m, finite and of a magnitude up to 1e30
    int vertexCount;
    int32_t* triangles; // three different vertex numbers each, from 0, counter-clockwise seen from outside
    int triangleCount;  // at least 1
    cnMeshPart* parts;
    int partCount;
    int droppedCount; // triangles of the file left out because they had a vertex twice
} cnMeshData;

// Reads a mesh file.
//
// format: "obj", "stl", "ply", "off", "gltf" or "glb", also with a dot or as the ending of a file's
// name; null or "": told from the content. Coordinates stay as they are in the file, in metres,
// whichever axis is up.
//
// - Polygons become triangles, strips and fans too; points, lines, normals, colours and
//   textures are left out.
// - STL and glTF store corners: vertices at the same place become one, within a part. In the other formats
//   vertices stay as they are numbered, unless they are kept apart: then each part has those that it uses.
// - Parts are the objects ("o", without any the groups "g") of OBJ, the solids of a text STL, the nodes of
//   the scene of a glTF file with their transforms applied. PLY and OFF have one.
// - glTF: the default scene at rest, without skins and morph targets. Not read: sparse accessors, compressed
//   meshes; both are errors.
//
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_UNKNOWN_NAME (format), CN_ERROR_FILE (the message begins with the
// line, the byte or the JSON path), CN_ERROR_OUT_OF_MEMORY. On an error `mesh` is empty.
CN_API cnErrorCode cnReadMesh(const char* format, const void* bytes, size_t length,
                              const cnMeshOptions* options, cnMeshData* mesh);

// Frees what cnReadMesh made; the mesh is empty afterwards. An empty one is left alone.
CN_API void cnFreeMesh(cnMeshData* mesh);

// ---- height images ----------------------------------------------------------------------------------------

typedef struct cnHeightOptions {
    int columnCount, rowCount; // of raw files, 2…16384; a PNG says so itself
    bool rangeGiven;
    double range[2]; // m, the heights of 0 (black) and of the largest value (white); (0, 1) unless given
} cnHeightOptions;

// Heights of a grid; the first image row is the last one here, since the first row of a height field is that
// of the smallest y.
typedef struct cnHeightData {
    double* heights; // m, columnCount × rowCount, x fastest
    int columnCount, rowCount;
} cnHeightData;

// Reads a grey-scale image as heights.
//
// format: "png" (any kind: 1 to 16 bits, colours by their luminance 0.2126 R + 0.7152 G + 0.0722 B, alpha
// left out, interlaced too), or raw values without a head, the row of the largest y first: "u8", "u16le",
// "u16be", or "f32" (little-endian; heights in m, or 0…1 where a range is given). Also as the ending of a
// file's name. null or "": PNG.
//
// Errors: CN_ERROR_NULL_ARGUMENT, CN_ERROR_UNKNOWN_NAME (format), CN_ERROR_OUT_OF_RANGE (options),
// CN_ERROR_NOT_FINITE, CN_ERROR_FILE, CN_ERROR_OUT_OF_MEMORY. On an error `grid` is empty.
CN_API cnErrorCode cnReadHeightImage(const char* format, const void* bytes, size_t length,
                                     const cnHeightOptions* options, cnHeightData* grid);

CN_API void cnFreeHeights(cnHeightData* grid);
