// What the readers of mesh files share: the bytes and the place in them, the error, the mesh being made.
//
// A reader notes the first error, names the place, and returns false from there on up. What a file claims is
// never believed before the bytes that it needs have been seen: counts are checked against what is left of
// the file before anything is reserved for them. So memory is in proportion to the file, save for a glTF
// whose primitives share their accessors: there maxItems (mesh.c) is the bound.
#pragma once

#include "base/containers/array.h"
#include "cairn/assets.h"

typedef struct cnMeshReader {
    const uint8_t* bytes;
    size_t length;
    size_t at;
    int line; // of `at`, from 1, in text files
    const char* call;
    const cnMeshOptions* options;

    CN_ARRAY(cnVec3) vertices;
    CN_ARRAY(int32_t) triangles;
    CN_ARRAY(cnMeshPart) parts;
    CN_ARRAY(int32_t) polygon; // corners of the face being read
    CN_ARRAY(int32_t) work;    // of the triangulation and of the end
    int droppedCount;
    bool mergesVertices; // at the same place, within a part
} cnMeshReader;

// One word of a text file, between blanks.
typedef struct cnWord {
    const char* text;
    size_t length;
} cnWord;

// ---- errors: all answer false -----------------------------------------------------------------------------

// "<what>", which begins with its own place.
__attribute__((format(printf, 2, 3))) bool cnMesh_Refuse(cnMeshReader* reader, const char* format, ...);

// "line 12: <what>"
__attribute__((format(printf, 2, 3))) bool cnMesh_RefuseLine(cnMeshReader* reader, const char* format, ...);

// "byte 84: <what>"
__attribute__((format(printf, 3, 4))) bool cnMesh_RefuseByte(cnMeshReader* reader, size_t place,
                                                             const char* format, ...);

bool cnMesh_FailMemory(cnMeshReader* reader);

// ---- text -------------------------------------------------------------------------------------------------

// The next word of this line; false at its end or at that of the file.
bool cnMesh_NextWord(cnMeshReader* reader, cnWord* word);

// The next word of the file, over line ends, from '#' to the line's end left out.
bool cnMesh_NextWordAnywhere(cnMeshReader* reader, cnWord* word);

// Goes behind the line's end; false where the file ends.
bool cnMesh_NextLine(cnMeshReader* reader);

// Upper and lower case are the same.
bool cnWord_Is(cnWord word, const char* text);

// A finite number of a magnitude up to 1e30.
bool cnMesh_ParseNumber(cnMeshReader* reader, cnWord word, double* number);

// A whole number of a magnitude below 2^31.
bool cnMesh_ParseInteger(cnMeshReader* reader, cnWord word, int* number);

// Three numbers of this line.
bool cnMesh_ReadPoint(cnMeshReader* reader, cnVec3* point);

// ---- binary -----------------------------------------------------------------------------------------------

uint32_t cnLoad16(const uint8_t* bytes, bool isBigEndian);
uint32_t cnLoad32(const uint8_t* bytes, bool isBigEndian);
double cnLoadFloat(const uint8_t* bytes, bool isBigEndian);
double cnLoadDouble(const uint8_t* bytes, bool isBigEndian);

// True where the number may be a coordinate.
static inline bool cnIsCoordinate(double number) {
    return number >= -1e30 && number <= 1e30;
}

// ---- the mesh ---------------------------------------------------------------------------------------------

// What follows belongs to a new part.
bool cnMesh_BeginPart(cnMeshReader* reader, const char* name, size_t nameLength);

bool cnMesh_AddVertex(cnMeshReader* reader, cnVec3 vertex);

// One triangle of vertices that are there; dropped where a vertex stands twice.
bool cnMesh_AddTriangle(cnMeshReader* reader, int32_t a, int32_t b, int32_t c);

// The polygon in reader->polygon, whose vertices are there, as triangles.
bool cnMesh_AddPolygon(cnMeshReader* reader);

// ---- formats ----------------------------------------------------------------------------------------------

bool cnReadObj(cnMeshReader* reader);
bool cnReadStl(cnMeshReader* reader);
bool cnReadPly(cnMeshReader* reader);
bool cnReadOff(cnMeshReader* reader);
bool cnReadGltf(cnMeshReader* reader); // both kinds
