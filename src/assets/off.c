// OFF of Geomview: a head that says what stands with the vertices, three counts, vertices and faces, each on
// a line of its own. Normals, colours and texture coordinates are left out.
#include "assets/mesh_reader.h"

#include <string.h>

// "[ST][C][N][4]OFF"; some files have the first count right behind it.
static bool ReadHead(cnMeshReader* reader, bool* isHomogeneous) {
    static const char* const prefixes[] = {"ST", "C", "N", "4"};
    cnWord word;
    bool hasWord = cnMesh_NextWordAnywhere(reader, &word);
    size_t at = 0;
    bool has[4] = {false};
    for (int i = 0; hasWord && i < 4; ++i) {
        size_t length = strlen(prefixes[i]);
        has[i] = word.length - at >= length && memcmp(word.text + at, prefixes[i], length) == 0;
        at += has[i] ? length : 0;
    }
    if (!hasWord || word.length - at < 3 || memcmp(word.text + at, "OFF", 3) != 0) {
        return cnMesh_RefuseLine(reader, "expected \"OFF\", also as STOFF, COFF, NOFF, CNOFF or 4OFF");
    }
    *isHomogeneous = has[3];
    reader->at = (size_t)((const uint8_t*)word.text - reader->bytes) + at + 3;
    return true;
}

static bool ReadCount(cnMeshReader* reader, const char* noun, int* count) {
    cnWord word;
    if (!cnMesh_NextWordAnywhere(reader, &word)) {
        return cnMesh_RefuseLine(reader, "the file ends before the count of %s", noun);
    }
    if (cnWord_Is(word, "binary")) {
        return cnMesh_RefuseLine(reader, "binary OFF is not read: must be text");
    }
    if (!cnMesh_ParseInteger(reader, word, count)) {
        return false;
    }
    // an item takes two bytes at least
    if (*count < 0 || (size_t)*count > (reader->length - reader->at) / 2 + 1) {
        return cnMesh_RefuseLine(reader, "the count of %s is %d: must be of items that are in the file", noun,
                                 *count);
    }
    return true;
}

// To the first word of the next line that has one, which is read.
static bool ReadLineBegin(cnMeshReader* reader, cnWord* word, const char* noun, int index, int count) {
    return cnMesh_NextWordAnywhere(reader, word) ||
           cnMesh_RefuseLine(reader, "the file ends after %d of %d %s", index, count, noun);
}

static bool ReadVertices(cnMeshReader* reader, int count, bool isHomogeneous) {
    for (int i = 0; i < count; ++i) {
        cnWord word;
        cnVec3 vertex;
        if (!ReadLineBegin(reader, &word, "vertices", i, count)) {
            return false;
        }
        reader->at -= word.length;
        if (!cnMesh_ReadPoint(reader, &vertex)) {
            return false;
        }
        if (isHomogeneous) {
            double weight = 1.0;
            if (cnMesh_NextWord(reader, &word) && !cnMesh_ParseNumber(reader, word, &weight)) {
                return false;
            }
            vertex = cnVec(vertex.x / weight, vertex.y / weight, vertex.z / weight);
            if (!cnIsCoordinate(vertex.x) || !cnIsCoordinate(vertex.y) || !cnIsCoordinate(vertex.z)) {
                return cnMesh_RefuseLine(reader, "a vertex of 4OFF has the weight %.9g: lies too far away",
                                         weight);
            }
        }
        if (!cnMesh_AddVertex(reader, vertex)) {
            return false;
        }
        cnMesh_NextLine(reader);
    }
    return true;
}

static bool ReadFaces(cnMeshReader* reader, int count) {
    int vertexCount = reader->vertices.count;
    for (int i = 0; i < count; ++i) {
        cnWord word;
        int cornerCount;
        if (!ReadLineBegin(reader, &word, "faces", i, count) ||
            !cnMesh_ParseInteger(reader, word, &cornerCount)) {
            return false;
        }
        if (cornerCount < 0) {
            return cnMesh_RefuseLine(reader, "a face has %d corners: must have at least 3", cornerCount);
        }
        reader->polygon.count = 0;
        for (int k = 0; k < cornerCount; ++k) {
            int corner;
            if (!cnMesh_NextWord(reader, &word)) {
                return cnMesh_RefuseLine(reader, "a face has %d of %d corners", k, cornerCount);
            }
            if (!cnMesh_ParseInteger(reader, word, &corner)) {
                return false;
            }
            if (corner < 0 || corner >= vertexCount) {
                return cnMesh_RefuseLine(reader, "a face has the vertex %d: must be 0 to %d", corner,
                                         vertexCount - 1);
            }
            if (!cnArray_Push(&reader->polygon, corner)) {
                return cnMesh_FailMemory(reader);
            }
        }
        // points and edges are faces of one and two corners here
        if (cornerCount >= 3 && !cnMesh_AddPolygon(reader)) {
            return false;
        }
        cnMesh_NextLine(reader);
    }
    return true;
}

bool cnReadOff(cnMeshReader* reader) {
    bool isHomogeneous = false;
    int vertexCount = 0;
    int faceCount = 0;
    cnWord edges;
    if (!ReadHead(reader, &isHomogeneous) || !ReadCount(reader, "vertices", &vertexCount) ||
        !ReadCount(reader, "faces", &faceCount)) {
        return false;
    }
    cnMesh_NextWord(reader, &edges); // the count of edges, which may be missing, counts for nothing
    return ReadVertices(reader, vertexCount, isHomogeneous) && ReadFaces(reader, faceCount);
}
