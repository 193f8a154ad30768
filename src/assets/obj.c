// Wavefront OBJ: vertices, faces, objects and groups. Curves, surfaces and everything about
// looks are left out.
#include "assets/mesh_reader.h"

// One corner "7", "7/1", "7/1/2" or "7//2" of a face; negative numbers count back from the last vertex.
static bool ReadCorner(cnMeshReader* reader, cnWord word) {
    size_t length = 0;
    while (length < word.length && word.text[length] != '/') {
        ++length;
    }
    int number;
    if (!cnMesh_ParseInteger(reader, (cnWord){word.text, length}, &number)) {
        return false;
    }
    int count = reader->vertices.count;
    if (number == 0 || number > count || number < -count) {
        return cnMesh_RefuseLine(reader, "a face has the vertex %d: must be 1 to %d, or -%d to -1", number,
                                 count, count);
    }
    return cnArray_Push(&reader->polygon, number > 0 ? number - 1 : count + number) ||
           cnMesh_FailMemory(reader);
}

static bool ReadFace(cnMeshReader* reader) {
    reader->polygon.count = 0;
    cnWord word;
    while (cnMesh_NextWord(reader, &word)) {
        if (!ReadCorner(reader, word)) {
            return false;
        }
    }
    if (reader->polygon.count < 3) {
        return cnMesh_RefuseLine(reader, "a face has %d corners: must have at least 3",
                                 reader->polygon.count);
    }
    return cnMesh_AddPolygon(reader);
}

// The rest of the line, without blanks at its ends.
static cnWord ReadRest(cnMeshReader* reader) {
    cnWord name;
    if (!cnMesh_NextWord(reader, &name)) {
        return name;
    }
    cnWord word;
    while (cnMesh_NextWord(reader, &word)) {
        name.length = (size_t)(word.text + word.length - name.text);
    }
    return name;
}

bool cnReadObj(cnMeshReader* reader) {
    bool hasObjects = false;
    do {
        cnWord word;
        if (!cnMesh_NextWord(reader, &word)) {
            continue;
        }
        bool isFine = true;
        if (cnWord_Is(word, "v")) {
            cnVec3 vertex;
            isFine = cnMesh_ReadPoint(reader, &vertex) && cnMesh_AddVertex(reader, vertex);
        } else if (cnWord_Is(word, "f")) {
            isFine = ReadFace(reader);
        } else if (cnWord_Is(word, "o") || (cnWord_Is(word, "g") && !hasObjects)) {
            hasObjects = hasObjects || cnWord_Is(word, "o");
            cnWord name = ReadRest(reader);
            isFine = cnMesh_BeginPart(reader, name.text, name.length);
        }
        if (!isFine) {
            return false;
        }
    } while (cnMesh_NextLine(reader));
    return true;
}
