// What shapes are made of, as bytes and back.
//
// Of a simple shape the record says all. A hull is its half-edge structure, for building it from its corners
// could give its faces another order; a mesh its vertices and triangles and a height field its heights, from
// which all else follows to the bit.
#include "world/snapshot/format.h"

#include "base/containers/hash.h"
#include "geometry/meshes/height_field.h"
#include "geometry/meshes/trimesh.h"

#include <string.h>

// Heads of what follows in "shapes.data".
typedef struct HullHead {
    int32_t vertexCount, edgeCount, faceCount, reserved;
    cnVec3 centre;
} HullHead;

typedef struct MeshHead {
    int32_t vertexCount, triangleCount, isTerrain, reserved;
    double bottom;
} MeshHead;

typedef struct FieldHead {
    int32_t columnCount, rowCount, isClosed, reserved;
    double sizeX, sizeY, bottomMargin, minHeight;
} FieldHead;

typedef union Head {
    HullHead hull;
    MeshHead mesh;
    FieldHead field;
} Head;

// A head and two arrays at most.
typedef struct Parts {
    Head head;
    size_t headBytes;
    const void* arrays[2];
    size_t bytes[2];
} Parts;

static size_t BytesOfHull(const HullHead* head) {
    size_t vertices = (size_t)head->vertexCount, faces = (size_t)head->faceCount;
    return vertices * sizeof(cnVec3) + faces * sizeof(cnHullPlane) +
           (size_t)head->edgeCount * sizeof(cnHullEdge) + (faces + vertices) * sizeof(uint16_t);
}

static Parts PartsOf(const cnShape* shape) {
    Parts parts;
    memset(&parts, 0, sizeof parts);
    if (shape->hull != NULL) {
        const cnHull* hull = shape->hull;
        parts.head.hull = (HullHead){hull->vertexCount, hull->edgeCount, hull->faceCount, 0, hull->centre};
        parts.headBytes = sizeof(HullHead);
        parts.arrays[0] = hull->vertices; // the other arrays follow
        parts.bytes[0] = BytesOfHull(&parts.head.hull);
    } else if (shape->mesh != NULL) {
        const cnTrimesh* mesh = shape->mesh;
        parts.head.mesh =
            (MeshHead){mesh->vertexCount, mesh->triangleCount, mesh->isTerrain, 0, mesh->bottom};
        parts.headBytes = sizeof(MeshHead);
        parts.arrays[0] = mesh->vertices;
        parts.bytes[0] = (size_t)mesh->vertexCount * sizeof(cnVec3);
        parts.arrays[1] = mesh->triangles;
        parts.bytes[1] = 3 * (size_t)mesh->triangleCount * sizeof(int32_t);
    } else if (shape->field != NULL) {
        const cnHeightField* field = shape->field;
        parts.head.field =
            (FieldHead){field->columnCount, field->rowCount, field->closed,       0,
                        field->sizeX,       field->sizeY,    field->bottomMargin, field->minHeight};
        parts.headBytes = sizeof(FieldHead);
        parts.arrays[0] = field->heights;
        parts.bytes[0] = (size_t)field->columnCount * (size_t)field->rowCount * sizeof(double);
    }
    return parts;
}

static uint64_t ContentOf(cnShape* shape, const Parts* parts) {
    if (shape->content == 0 && parts->headBytes > 0) {
        uint64_t sum = cnChecksum(&parts->head, parts->headBytes);
        for (int i = 0; i < 2; ++i) {
            sum = cnMix64(sum ^ cnChecksum(parts->arrays[i], parts->bytes[i]));
        }
        shape->content = sum | 1;
    }
    return shape->content;
}

static cnShapeRecord RecordOf(cnShape* shape) {
    cnShapeRecord record;
    memset(&record, 0, sizeof record);
    Parts parts = PartsOf(shape);
    record.type = (uint32_t)shape->type;
    record.radius = shape->radius;
    record.halfHeight = shape->halfHeight;
    record.offset = shape->offset;
    record.halfExtents = shape->halfExtents;
    record.normal = shape->normal;
    record.start = shape->start;
    record.end = shape->end;
    record.profile = shape->profile;
    record.dataBytes = parts.headBytes + parts.bytes[0] + parts.bytes[1];
    record.content = ContentOf(shape, &parts);
    return record;
}

cnShapeRecord cnDescribeShape(const cnShapeTable* table, int row) {
    cnShapeRecord record;
    memset(&record, 0, sizeof record);
    if (table->shapes[row] != NULL) {
        record = RecordOf(table->shapes[row]);
    }
    const cnRenderData* render = row < table->renderMeshes.count ? table->renderMeshes.data[row] : NULL;
    if (render != NULL) {
        record.renderVertices = (uint32_t)render->vertexCount;
        record.renderIndices = (uint32_t)render->indexCount;
        record.renderNormals = render->normals != NULL;
        memcpy(record.renderColour, render->colour, sizeof record.renderColour);
        uint64_t vectors = render->normals != NULL ? 2 : 1;
        record.renderBytes = (3 * vectors * record.renderVertices + record.renderIndices) * sizeof(float);
    }
    return record;
}

static char* Put(char* target, const void* source, size_t bytes) {
    if (bytes > 0) {
        memcpy(target, source, bytes);
    }
    return target + bytes;
}

void cnWriteShapeData(const cnShapeTable* table, int row, void* data, void* render) {
    if (table->shapes[row] != NULL) {
        Parts parts = PartsOf(table->shapes[row]);
        char* target = Put(data, &parts.head, parts.headBytes);
        for (int i = 0; i < 2; ++i) {
            target = Put(target, parts.arrays[i], parts.bytes[i]);
        }
    }
    const cnRenderData* source = row < table->renderMeshes.count ? table->renderMeshes.data[row] : NULL;
    if (source != NULL) {
        size_t bytes = 3 * (size_t)source->vertexCount * sizeof(float);
        char* target = Put(render, source->positions, bytes);
        target = source->normals != NULL ? Put(target, source->normals, bytes) : target;
        Put(target, source->indices, (size_t)source->indexCount * sizeof(uint32_t));
    }
}

bool cnIsShapeOf(const cnShape* shape, const cnShapeRecord* record) {
    cnShapeRecord own = RecordOf((cnShape*)shape), other = *record;
    other.renderVertices = other.renderIndices = other.renderNormals = 0;
    memset(other.renderColour, 0, sizeof other.renderColour);
    other.renderBytes = 0;
    // equal to the bit is what is asked, and there is no padding
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return memcmp(&own, &other, sizeof own) == 0;
}

// ---- and back ---------------------------------------------------------------------------------------------

static bool ReadHead(void* head, size_t bytes, const cnShapeRecord* record, const char* data) {
    if (record->dataBytes < bytes) {
        return false;
    }
    memcpy(head, data, bytes);
    return true;
}

static bool MakeHull(cnShape* shape, const cnShapeRecord* record, const char* data, bool* wrong) {
    HullHead head;
    *wrong = true;
    if (!ReadHead(&head, sizeof head, record, data) || head.vertexCount < 4 ||
        head.vertexCount > CN_MAX_HULL_VERTICES || head.edgeCount < 12 || head.edgeCount > UINT16_MAX ||
        head.faceCount < 4 || head.faceCount > head.edgeCount ||
        record->dataBytes != sizeof head + BytesOfHull(&head)) {
        return false;
    }
    cnHull* hull = cnHull_Allocate(head.vertexCount, head.edgeCount, head.faceCount);
    *wrong = hull != NULL;
    if (hull == NULL) {
        return false;
    }
    hull->centre = head.centre;
    memcpy(hull->vertices, data + sizeof head, BytesOfHull(&head));
    shape->hull = hull;
    for (int i = 0; i < head.faceCount + head.vertexCount; ++i) { // the second array follows the first
        if (hull->faceEdges[i] >= head.edgeCount) {
            return false;
        }
    }
    *wrong = !cnHull_Validate(hull);
    cnHull_MeasureInside(hull);
    return !*wrong;
}

// Meshes and height fields by their definitions, which are checked like anybody's. Tells apart what is wrong
// and what memory is for.
static bool MakeByDefinition(cnShape* shape, const cnShapeDef* def, bool* wrong) {
    cnErrorCode code = cnShape_Init(shape, def, "cnWorld_Restore");
    *wrong = code != CN_ERROR_NONE && code != CN_ERROR_OUT_OF_MEMORY;
    return code == CN_ERROR_NONE;
}

static bool MakeMesh(cnShape* shape, const cnShapeRecord* record, const char* data, bool* wrong) {
    MeshHead head;
    *wrong = true;
    if (!ReadHead(&head, sizeof head, record, data)) {
        return false;
    }
    size_t vertexBytes = (size_t)head.vertexCount * sizeof(cnVec3);
    if (head.vertexCount < 3 || head.vertexCount > 3 * CN_MAX_MESH_TRIANGLES || head.triangleCount < 1 ||
        head.triangleCount > CN_MAX_MESH_TRIANGLES || !cnIsFinite(head.bottom) ||
        record->dataBytes != sizeof head + vertexBytes + 3 * (size_t)head.triangleCount * sizeof(int32_t)) {
        return false;
    }
    cnShapeDef def = {
        .type = cn_trimesh,
        .points = (const cnVec3*)(const void*)(data + sizeof head),
        .pointCount = head.vertexCount,
        .triangles = (const void*)(data + sizeof head + vertexBytes),
        .triangleCount = head.triangleCount,
        .terrain = head.isTerrain != 0,
    };
    if (!MakeByDefinition(shape, &def, wrong)) {
        return false;
    }
    shape->mesh->bottom = head.bottom;
    cnShape_Measure(shape);
    return true;
}

static bool MakeField(cnShape* shape, const cnShapeRecord* record, const char* data, bool* wrong) {
    FieldHead head;
    *wrong = true;
    if (!ReadHead(&head, sizeof head, record, data) || head.columnCount < 2 ||
        head.columnCount > cn_fieldMaxCount || head.rowCount < 2 || head.rowCount > cn_fieldMaxCount ||
        record->dataBytes !=
            sizeof head + (size_t)head.columnCount * (size_t)head.rowCount * sizeof(double)) {
        return false;
    }
    cnShapeDef def = {
        .type = cn_heightField,
        .columnCount = head.columnCount,
        .rowCount = head.rowCount,
        .sizeX = head.sizeX,
        .sizeY = head.sizeY,
        .heights = (const double*)(const void*)(data + sizeof head),
        .heightCount = head.columnCount * head.rowCount,
        .bottomMarginGiven = true,
        .bottomMargin = head.bottomMargin,
        .dynamic = head.isClosed != 0,
        .minHeight = head.minHeight,
    };
    return MakeByDefinition(shape, &def, wrong);
}

static bool IsLength(double length) {
    return length >= 0.0 && cnIsFinite(length);
}

static bool IsSimple(const cnShapeRecord* record) {
    const cnRevolvedProfile* profile = &record->profile;
    bool hasProfile = cnIsFinite(profile->lower) && cnIsFinite(profile->upper) &&
                      IsLength(profile->outerLower) && IsLength(profile->outerUpper) &&
                      IsLength(profile->innerLower) && IsLength(profile->innerUpper);
    bool hasNormal = record->type != cn_plane || fabs(cnLength(record->normal) - 1.0) < 1e-9;
    return record->dataBytes == 0 && IsLength(record->radius) && IsLength(record->halfHeight) &&
           cnIsFinite(record->offset) && IsLength(record->halfExtents.x) && IsLength(record->halfExtents.y) &&
           IsLength(record->halfExtents.z) && cnIsFiniteVec(record->normal) && hasNormal &&
           cnIsFiniteVec(record->start) && cnIsFiniteVec(record->end) && hasProfile;
}

cnShape* cnMakeShape(const cnShapeRecord* record, const void* data, bool* wrong) {
    cnShape* shape = cnAllocate(sizeof *shape);
    *wrong = false;
    if (shape == NULL) {
        return NULL;
    }
    shape->type = (cnShapeType)record->type;
    shape->holders = 1;
    bool ok = false;
    if (record->type == cn_trimesh) {
        ok = MakeMesh(shape, record, data, wrong);
    } else if (record->type == cn_heightField) {
        ok = MakeField(shape, record, data, wrong);
    } else {
        bool isHull = record->type == cn_convex;
        *wrong = !isHull && !IsSimple(record);
        ok = isHull ? MakeHull(shape, record, data, wrong) : !*wrong;
        shape->radius = record->radius;
        shape->halfHeight = record->halfHeight;
        shape->offset = record->offset;
        shape->halfExtents = record->halfExtents;
        shape->normal = record->normal;
        shape->start = record->start;
        shape->end = record->end;
        shape->profile = record->profile;
        if (ok && !cnShape_Complete(shape)) {
            ok = false;
            *wrong = true;
        }
    }
    shape->holders = 1;
    if (ok && !cnIsShapeOf(shape, record)) {
        ok = false;
        *wrong = true;
    }
    if (!ok) {
        if (shape->kind == NULL) {
            cnHull_Free(shape->hull); // its kind, which would, is not set yet
        }
        cnDropShape(shape);
        return NULL;
    }
    return shape;
}

cnRenderData* cnMakeRenderData(const cnShapeRecord* record, const void* data, bool* wrong) {
    uint64_t vectors = record->renderNormals != 0 ? 2 : 1;
    uint64_t floats = 3 * (uint64_t)record->renderVertices;
    *wrong = record->renderVertices < 3 || record->renderVertices > INT32_MAX || record->renderIndices < 3 ||
             record->renderIndices % 3 != 0 || record->renderIndices > INT32_MAX ||
             record->renderBytes != (vectors * floats + record->renderIndices) * sizeof(float);
    const float* positions = data;
    const uint32_t* indices = *wrong ? NULL : (const uint32_t*)(const void*)(positions + vectors * floats);
    for (uint32_t i = 0; !*wrong && i < record->renderIndices; ++i) {
        *wrong = indices[i] >= record->renderVertices;
    }
    if (*wrong) {
        return NULL;
    }
    cnRenderData source = {
        .positions = positions,
        .normals = record->renderNormals != 0 ? positions + floats : NULL,
        .vertexCount = (int)record->renderVertices,
        .indices = indices,
        .indexCount = (int)record->renderIndices,
    };
    memcpy(source.colour, record->renderColour, sizeof source.colour);
    return cnRenderData_Copy(&source);
}
