// PLY (Turk, The PLY polygon file format, 1994): a head in text that describes elements and their properties,
// then the elements, in text or binary. Used are x, y, z of "vertex", and the list "vertex_indices" (or
// "vertex_index") of "face" and of "tristrips", whose strips end at −1; the rest is passed over.
#include "assets/mesh_reader.h"

#include <string.h>

enum {
    maxElements = 16,
    maxProperties = 64
};

typedef enum PlyType {
    cn_int8 = 0,
    cn_uint8,
    cn_int16,
    cn_uint16,
    cn_int32,
    cn_uint32,
    cn_float32,
    cn_float64,
    cn_plyTypeCount
} PlyType;

static const char* const typeNames[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
static const uint8_t typeBytes[] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum PlyRole {
    cn_other = 0,
    cn_x,
    cn_y,
    cn_z,
    cn_corners
} PlyRole;

typedef struct PlyProperty {
    uint8_t type;
    uint8_t countType; // of a list
    bool isList;
    uint8_t role;
} PlyProperty;

typedef enum PlyKind {
    cn_unused = 0,
    cn_vertex,
    cn_face,
    cn_strips
} PlyKind;

typedef struct PlyElement {
    PlyKind kind;
    int count;
    int propertyCount;
    PlyProperty properties[maxProperties];
} PlyElement;

typedef struct Ply {
    cnMeshReader* reader;
    bool isText;
    bool isBigEndian;
    int elementCount;
    PlyElement elements[maxElements];
} Ply;

// ---- the head ---------------------------------------------------------------------------------------------

static bool ReadType(cnMeshReader* reader, uint8_t* type) {
    cnWord word;
    bool hasWord = cnMesh_NextWord(reader, &word);
    for (int i = 0; hasWord && i < cn_plyTypeCount; ++i) {
        if (cnWord_Is(word, typeNames[i][0]) || cnWord_Is(word, typeNames[i][1])) {
            *type = (uint8_t)i;
            return true;
        }
    }
    return cnMesh_RefuseLine(reader, "expected a type: char, uchar, short, ushort, int, uint, float, double");
}

static bool ReadFormat(Ply* ply) {
    cnWord word;
    bool hasWord = cnMesh_NextWord(ply->reader, &word);
    ply->isText = hasWord && cnWord_Is(word, "ascii");
    ply->isBigEndian = hasWord && cnWord_Is(word, "binary_big_endian");
    return ply->isText || ply->isBigEndian || (hasWord && cnWord_Is(word, "binary_little_endian")) ||
           cnMesh_RefuseLine(ply->reader,
                             "the format must be ascii, binary_little_endian or binary_big_endian");
}

static bool ReadElement(Ply* ply) {
    cnMeshReader* reader = ply->reader;
    if (ply->elementCount == maxElements) {
        return cnMesh_RefuseLine(reader, "there are more than %d elements", maxElements);
    }
    PlyElement* element = &ply->elements[ply->elementCount++];
    cnWord word;
    cnWord count;
    if (!cnMesh_NextWord(reader, &word) || !cnMesh_NextWord(reader, &count)) {
        return cnMesh_RefuseLine(reader, "an element must have a name and a count");
    }
    element->kind = cnWord_Is(word, "vertex")      ? cn_vertex
                    : cnWord_Is(word, "face")      ? cn_face
                    : cnWord_Is(word, "tristrips") ? cn_strips
                                                   : cn_unused;
    if (!cnMesh_ParseInteger(reader, count, &element->count)) {
        return false;
    }
    return element->count >= 0 ||
           cnMesh_RefuseLine(reader, "an element has the count %d: must be >= 0", element->count);
}

static bool ReadProperty(Ply* ply) {
    cnMeshReader* reader = ply->reader;
    PlyElement* element = ply->elementCount > 0 ? &ply->elements[ply->elementCount - 1] : NULL;
    if (element == NULL || element->propertyCount == maxProperties) {
        return cnMesh_RefuseLine(reader, "a property must stand behind its element, at most %d behind one",
                                 maxProperties);
    }
    PlyProperty* property = &element->properties[element->propertyCount++];
    size_t at = reader->at;
    cnWord word;
    property->isList = cnMesh_NextWord(reader, &word) && cnWord_Is(word, "list");
    if (property->isList) {
        if (!ReadType(reader, &property->countType)) {
            return false;
        }
        if (property->countType >= cn_float32) {
            return cnMesh_RefuseLine(reader, "the count of a list must be of a whole-numbered type");
        }
    } else {
        reader->at = at;
    }
    if (!ReadType(reader, &property->type)) {
        return false;
    }
    if (!cnMesh_NextWord(reader, &word)) {
        return cnMesh_RefuseLine(reader, "a property must have a name");
    }
    bool isCoordinate = element->kind == cn_vertex && !property->isList && word.length == 1 &&
                        word.text[0] >= 'x' && word.text[0] <= 'z';
    if (isCoordinate) {
        property->role = (uint8_t)(cn_x + word.text[0] - 'x');
    } else if (element->kind >= cn_face && property->isList && property->type < cn_float32 &&
               (cnWord_Is(word, "vertex_indices") || cnWord_Is(word, "vertex_index"))) {
        property->role = cn_corners;
    }
    return true;
}

static bool ReadHead(Ply* ply) {
    cnMeshReader* reader = ply->reader;
    cnWord word;
    bool hasFormat = false;
    if (!cnMesh_NextWord(reader, &word) || !cnWord_Is(word, "ply")) {
        return cnMesh_RefuseLine(reader, "expected \"ply\"");
    }
    while (cnMesh_NextLine(reader)) {
        if (!cnMesh_NextWord(reader, &word) || cnWord_Is(word, "comment") || cnWord_Is(word, "obj_info")) {
            continue;
        }
        bool isFine = true;
        if (cnWord_Is(word, "format")) {
            isFine = hasFormat = ReadFormat(ply);
        } else if (cnWord_Is(word, "element")) {
            isFine = ReadElement(ply);
        } else if (cnWord_Is(word, "property")) {
            isFine = ReadProperty(ply);
        } else if (cnWord_Is(word, "end_header")) {
            cnMesh_NextLine(reader);
            return hasFormat || cnMesh_RefuseLine(reader, "the head has no line \"format\"");
        } else {
            isFine = cnMesh_RefuseLine(
                reader, "expected \"element\", \"property\", \"comment\", \"obj_info\" or \"end_header\"");
        }
        if (!isFine) {
            return false;
        }
    }
    return cnMesh_RefuseLine(reader, "the file ends before \"end_header\"");
}

// ---- the elements -----------------------------------------------------------------------------------------

static bool RefuseHere(const Ply* ply, const char* what) {
    return ply->isText ? cnMesh_RefuseLine(ply->reader, "%s", what)
                       : cnMesh_RefuseByte(ply->reader, ply->reader->at, "%s", what);
}

static bool ReadValue(const Ply* ply, uint8_t type, double* value) {
    cnMeshReader* reader = ply->reader;
    cnWord word;
    if (ply->isText) {
        return cnMesh_NextWordAnywhere(reader, &word) ? cnMesh_ParseNumber(reader, word, value)
                                                      : RefuseHere(ply, "the file ends inside an element");
    }
    if (reader->length - reader->at < typeBytes[type]) {
        return RefuseHere(ply, "the file ends inside an element");
    }
    const uint8_t* at = reader->bytes + reader->at;
    reader->at += typeBytes[type];
    bool isBig = ply->isBigEndian;
    switch ((PlyType)type) {
    case cn_int8:
        *value = (int8_t)at[0];
        return true;
    case cn_uint8:
        *value = at[0];
        return true;
    case cn_int16:
        *value = (int16_t)cnLoad16(at, isBig);
        return true;
    case cn_uint16:
        *value = cnLoad16(at, isBig);
        return true;
    case cn_int32:
        *value = (int32_t)cnLoad32(at, isBig);
        return true;
    case cn_uint32:
        *value = cnLoad32(at, isBig);
        return true;
    case cn_float32:
        *value = cnLoadFloat(at, isBig);
        return true;
    default:
        *value = cnLoadDouble(at, isBig);
        return true;
    }
}

static bool ReadList(const Ply* ply, const PlyProperty* property, bool keeps) {
    cnMeshReader* reader = ply->reader;
    double count = 0.0;
    if (!ReadValue(ply, property->countType, &count)) {
        return false;
    }
    size_t itemBytes = ply->isText ? 2 : typeBytes[property->type];
    size_t max = (reader->length - reader->at) / itemBytes + 1;
    if (!(count >= 0.0 && count <= (double)max) || count != (double)(size_t)count) {
        return RefuseHere(ply, "the count of a list must be of values that are in the file");
    }
    for (size_t i = 0; i < (size_t)count; ++i) {
        double value = 0.0;
        if (!ReadValue(ply, property->type, &value)) {
            return false;
        }
        if (!keeps) {
            continue;
        }
        // -1 ends a strip; faces look for it themselves
        if (!(value >= -1.0 && value < reader->vertices.count) || value != (double)(int32_t)value) {
            return RefuseHere(ply, "a face has a vertex that is not in the file: the first is 0");
        }
        if (!cnArray_Push(&reader->polygon, (int32_t)value)) {
            return cnMesh_FailMemory(reader);
        }
    }
    return true;
}

static bool AddFace(const Ply* ply) {
    cnMeshReader* reader = ply->reader;
    for (int i = 0; i < reader->polygon.count; ++i) {
        if (reader->polygon.data[i] < 0) {
            return RefuseHere(ply, "a face has the vertex -1: the first is 0");
        }
    }
    return reader->polygon.count < 3 || cnMesh_AddPolygon(reader);
}

// Strips one behind the other, with −1 between; every second triangle is flipped.
static bool AddStrips(cnMeshReader* reader) {
    const int32_t* corners = reader->polygon.data;
    int begin = 0;
    for (int i = 0; i < reader->polygon.count; ++i) {
        if (corners[i] < 0) {
            begin = i + 1;
        } else if (i >= begin + 2) {
            bool isFlipped = ((i - begin) & 1) != 0;
            if (!cnMesh_AddTriangle(reader, corners[isFlipped ? i - 1 : i - 2],
                                    corners[isFlipped ? i - 2 : i - 1], corners[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool ReadItem(const Ply* ply, const PlyElement* element) {
    cnMeshReader* reader = ply->reader;
    double place[3] = {0.0, 0.0, 0.0};
    reader->polygon.count = 0;
    for (int i = 0; i < element->propertyCount; ++i) {
        const PlyProperty* property = &element->properties[i];
        double value = 0.0;
        bool isFine = property->isList ? ReadList(ply, property, property->role == cn_corners)
                                       : ReadValue(ply, property->type, &value);
        if (!isFine) {
            return false;
        }
        if (property->role >= cn_x && property->role <= cn_z) {
            place[property->role - cn_x] = value;
        }
    }
    if (element->kind == cn_vertex) {
        if (!cnIsCoordinate(place[0]) || !cnIsCoordinate(place[1]) || !cnIsCoordinate(place[2])) {
            return RefuseHere(ply, "a vertex is not finite or too large: must be up to 1e30");
        }
        return cnMesh_AddVertex(reader, cnVec(place[0], place[1], place[2]));
    }
    return element->kind == cn_unused || (element->kind == cn_face ? AddFace(ply) : AddStrips(reader));
}

bool cnReadPly(cnMeshReader* reader) {
    Ply ply = {.reader = reader};
    if (!ReadHead(&ply)) {
        return false;
    }
    for (int i = 0; i < ply.elementCount; ++i) {
        const PlyElement* element = &ply.elements[i];
        bool hasRoles[cn_corners + 1] = {false};
        for (int k = 0; k < element->propertyCount; ++k) {
            hasRoles[element->properties[k].role] = true;
        }
        if (element->kind == cn_vertex && !(hasRoles[cn_x] && hasRoles[cn_y] && hasRoles[cn_z])) {
            return cnMesh_Refuse(reader, "the element vertex lacks one of the properties x, y, z");
        }
        if (element->kind >= cn_face && !hasRoles[cn_corners]) {
            return cnMesh_Refuse(reader, "the faces lack the list vertex_indices of a whole-numbered type");
        }
        // without a property there is nothing to read, however many there are
        for (int k = 0; k < element->count && element->propertyCount > 0; ++k) {
            if (!ReadItem(&ply, element)) {
                return false;
            }
        }
    }
    return true;
}
