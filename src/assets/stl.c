// STL, both kinds. Facets' normals are left out: the order of the corners says which side is outside.
#include "assets/mesh_reader.h"

static bool ReadFacet(cnMeshReader* reader) {
    // corners up to "endloop"
    int first = reader->vertices.count;
    reader->polygon.count = 0;
    cnWord word;
    while (cnMesh_NextWordAnywhere(reader, &word) && cnWord_Is(word, "vertex")) {
        cnVec3 vertex;
        if (!cnMesh_ReadPoint(reader, &vertex) || !cnMesh_AddVertex(reader, vertex)) {
            return false;
        }
        int corner = first + reader->polygon.count;
        if (!cnArray_Push(&reader->polygon, corner)) {
            return cnMesh_FailMemory(reader);
        }
    }
    if (!cnWord_Is(word, "endloop")) {
        return cnMesh_RefuseLine(reader, "expected \"vertex\" or \"endloop\"");
    }
    if (reader->polygon.count < 3) {
        return cnMesh_RefuseLine(reader, "a facet has %d corners: must have 3", reader->polygon.count);
    }
    return cnMesh_AddPolygon(reader);
}

static bool ReadTextStl(cnMeshReader* reader) {
    cnWord word;
    bool isOpen = false;
    while (cnMesh_NextWordAnywhere(reader, &word)) {
        if (cnWord_Is(word, "solid")) {
            cnMesh_NextWord(reader, &word);
            if (!cnMesh_BeginPart(reader, word.text, word.length)) {
                return false;
            }
            cnMesh_NextLine(reader);
            isOpen = true;
        } else if (cnWord_Is(word, "endsolid")) {
            cnMesh_NextLine(reader);
            isOpen = false;
        } else if (cnWord_Is(word, "facet")) {
            cnMesh_NextLine(reader); // the normal
        } else if (cnWord_Is(word, "loop")) {
            if (!ReadFacet(reader)) {
                return false;
            }
        } else if (!cnWord_Is(word, "outer") && !cnWord_Is(word, "endfacet")) {
            return cnMesh_RefuseLine(reader,
                                     "expected \"facet\", \"outer loop\", \"endfacet\" or \"endsolid\"");
        }
    }
    return !isOpen || cnMesh_RefuseLine(reader, "the file ends before \"endsolid\"");
}

static bool ReadBinaryStl(cnMeshReader* reader) {
    enum {
        headBytes = 84,
        facetBytes = 50,
        normalBytes = 12
    };
    size_t left = reader->length >= headBytes ? reader->length - headBytes : 0;
    uint32_t count = reader->length >= headBytes ? cnLoad32(reader->bytes + headBytes - 4, false) : 0;
    if (reader->length < headBytes || left / facetBytes < count) {
        return cnMesh_RefuseByte(reader, 80,
                                 "the file has %zu bytes after its head: must be %u facets of 50 bytes", left,
                                 (unsigned)count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        size_t place = headBytes + (size_t)i * facetBytes + normalBytes;
        int first = reader->vertices.count;
        for (int k = 0; k < 3; ++k, place += 12) {
            const uint8_t* at = reader->bytes + place;
            cnVec3 vertex = {cnLoadFloat(at, false), cnLoadFloat(at + 4, false), cnLoadFloat(at + 8, false)};
            if (!cnIsCoordinate(vertex.x) || !cnIsCoordinate(vertex.y) || !cnIsCoordinate(vertex.z)) {
                return cnMesh_RefuseByte(reader, place,
                                         "a vertex is not finite or too large: must be up to 1e30");
            }
            if (!cnMesh_AddVertex(reader, vertex)) {
                return false;
            }
        }
        if (!cnMesh_AddTriangle(reader, first, first + 1, first + 2)) {
            return false;
        }
    }
    return true;
}

bool cnReadStl(cnMeshReader* reader) {
    reader->mergesVertices = true;

    // some programs begin binary files with "solid", too: then the length tells
    cnWord word;
    bool isText = cnMesh_NextWordAnywhere(reader, &word) && cnWord_Is(word, "solid");
    reader->at = 0;
    reader->line = 1;
    if (isText && reader->length >= 84) {
        isText = reader->length != 84 + 50 * (uint64_t)cnLoad32(reader->bytes + 80, false);
    }
    return isText ? ReadTextStl(reader) : ReadBinaryStl(reader);
}
