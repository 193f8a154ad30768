// glTF 2.0 (Khronos, ISO/IEC 12113), as JSON with buffers elsewhere or as one binary file: triangles of the
// meshes in the default scene, placed by the nodes.
#include "assets/mesh_reader.h"
#include "base/report/error.h"
#include "cjson/cJSON.h"

#include <stdio.h>
#include <string.h>

enum {
    maxDepth = 256 // of nodes in nodes
};

typedef enum GltfList {
    cn_buffers = 0,
    cn_bufferViews,
    cn_accessors,
    cn_meshes,
    cn_nodes,
    cn_scenes,
    cn_gltfListCount
} GltfList;

static const char* const listNames[] = {"buffers", "bufferViews", "accessors", "meshes", "nodes", "scenes"};

typedef struct GltfBuffer {
    const uint8_t* bytes; // null: not looked for as yet
    size_t length;
    uint8_t* own; // decoded from the file itself, to be freed
    size_t ownLength;
} GltfBuffer;

typedef struct Gltf {
    cnMeshReader* reader;
    cJSON* document;
    CN_ARRAY(const cJSON*) lists[cn_gltfListCount];
    CN_ARRAY(GltfBuffer) buffers;
    CN_ARRAY(bool) isPlaced; // by node
    const uint8_t* binary;   // of a .glb
    size_t binaryLength;
} Gltf;

// Values of an accessor.
typedef struct GltfValues {
    const uint8_t* bytes;
    size_t stride;
    int count;
    int componentType;
    bool isNormalized;
} GltfValues;

// matrix·x + offset
typedef struct Affine {
    cnMat33 matrix;
    cnVec3 offset;
} Affine;

// ---- JSON -------------------------------------------------------------------------------------------------

static const cJSON* Get(const cJSON* object, const char* key) {
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

static bool RefuseAt(const Gltf* gltf, GltfList list, int index, const char* key, const char* what) {
    return cnMesh_Refuse(gltf->reader, "/%s/%d/%s %s", listNames[list], index, key, what);
}

// A whole number from 0 to `max`, the fallback where the key is not given; a negative fallback: it must be.
static bool GetWhole(const Gltf* gltf, GltfList list, int index, const cJSON* object, const char* key,
                     int max, int fallback, int* number) {
    const cJSON* value = Get(object, key);
    *number = fallback;
    if (value == NULL && fallback >= 0) {
        return true;
    }
    if (value == NULL || !cJSON_IsNumber(value) ||
        !(value->valuedouble >= 0.0 && value->valuedouble <= max) ||
        value->valuedouble != (double)(int)value->valuedouble) {
        return cnMesh_Refuse(gltf->reader, "/%s/%d/%s %s: must be a whole number from 0 to %d",
                             listNames[list], index, key, value == NULL ? "is missing" : "is wrong", max);
    }
    *number = (int)value->valuedouble;
    return true;
}

// The same for the index of an item in another list.
static bool GetIndex(const Gltf* gltf, GltfList list, int index, const cJSON* object, const char* key,
                     GltfList other, int* number) {
    return GetWhole(gltf, list, index, object, key, gltf->lists[other].count - 1, -1, number);
}

static bool GetNumbers(const cJSON* list, double* numbers, int count) {
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != count) {
        return false;
    }
    for (const cJSON* item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsNumber(item) || !cnIsCoordinate(item->valuedouble)) {
            return false;
        }
        *numbers++ = item->valuedouble;
    }
    return true;
}

// ---- buffers ----------------------------------------------------------------------------------------------

static int FromBase64(char letter) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* found = letter != '\0' ? strchr(letters, letter) : NULL;
    return found != NULL ? (int)(found - letters) : -1;
}

static bool DecodeBase64(Gltf* gltf, int index, const char* text, GltfBuffer* buffer) {
    size_t length = strlen(text);
    buffer->ownLength = length / 4 * 3 + 3;
    buffer->own = cnAllocate(buffer->ownLength);
    if (buffer->own == NULL) {
        return cnMesh_FailMemory(gltf->reader);
    }
    buffer->bytes = buffer->own;
    uint32_t bits = 0;
    int bitCount = 0;
    for (; *text != '\0' && *text != '='; ++text) {
        int value = FromBase64(*text);
        if (value < 0) {
            return RefuseAt(gltf, cn_buffers, index, "uri", "is no base64");
        }
        bits = bits << 6 | (uint32_t)value;
        bitCount += 6;
        if (bitCount >= 8) {
            bitCount -= 8;
            buffer->own[buffer->length++] = (uint8_t)(bits >> bitCount);
        }
    }
    return true;
}

// Folder of the file, then the name with %20 and the like decoded.
static bool MakePath(const char* file, const char* uri, char* path, size_t size) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char* slash = file != NULL ? strrchr(file, '/') : NULL;
    size_t length = slash != NULL ? (size_t)(slash - file) + 1 : 0;
    if (length >= size) {
        return false;
    }
    if (length > 0) {
        memcpy(path, file, length);
    }
    for (; *uri != '\0' && length + 1 < size; ++uri) {
        const char* high = *uri == '%' && uri[1] != '\0' ? strchr(digits, uri[1]) : NULL;
        const char* low = high != NULL && uri[2] != '\0' ? strchr(digits, uri[2]) : NULL;
        if (low != NULL) {
            path[length++] = (char)((high - digits) % 16 * 16 + (low - digits) % 16);
            uri += 2;
        } else {
            path[length++] = *uri;
        }
    }
    path[length] = '\0';
    return *uri == '\0';
}

static bool FindBuffer(Gltf* gltf, int index, GltfBuffer* buffer) {
    const cJSON* object = gltf->lists[cn_buffers].data[index];
    const cJSON* uri = Get(object, "uri");
    if (uri == NULL) {
        buffer->bytes = gltf->binary;
        buffer->length = gltf->binaryLength;
        return buffer->bytes != NULL || RefuseAt(gltf, cn_buffers, index, "uri", "is missing");
    }
    if (!cJSON_IsString(uri)) {
        return RefuseAt(gltf, cn_buffers, index, "uri", "must be a text");
    }
    if (strncmp(uri->valuestring, "data:", 5) == 0) {
        const char* data = strstr(uri->valuestring, ";base64,");
        return data != NULL ? DecodeBase64(gltf, index, data + 8, buffer)
                            : RefuseAt(gltf, cn_buffers, index, "uri", "must be base64 after \"data:\"");
    }
    char path[512];
    const cnMeshOptions* options = gltf->reader->options;
    if (!MakePath(options->path, uri->valuestring, path, sizeof path)) {
        return RefuseAt(gltf, cn_buffers, index, "uri", "is longer than 500 letters");
    }
    const cnFileSource* files = options->files;
    buffer->bytes = files != NULL ? files->find(path, &buffer->length, files->context) : NULL;
    if (buffer->bytes == NULL) {
        return cnMesh_Refuse(gltf->reader, "/buffers/%d/uri names the file \"%.80s\", which was not given",
                             index, path);
    }
    return true;
}

// ---- accessors --------------------------------------------------------------------------------------------

static int ComponentBytes(int type) {
    static const uint8_t bytes[] = {1, 1, 2, 2, 0, 4, 4};
    return type >= 5120 && type <= 5126 ? bytes[type - 5120] : 0;
}

static bool ReadAccessor(Gltf* gltf, int index, const char* type, int lanes, GltfValues* values) {
    const cJSON* accessor = gltf->lists[cn_accessors].data[index];
    const cJSON* typeNode = Get(accessor, "type");
    int viewIndex;
    int offset;
    if (Get(accessor, "sparse") != NULL) {
        return RefuseAt(gltf, cn_accessors, index, "sparse", "is not read");
    }
    if (!cJSON_IsString(typeNode) || strcmp(typeNode->valuestring, type) != 0) {
        return cnMesh_Refuse(gltf->reader, "/accessors/%d/type must be \"%s\" here", index, type);
    }
    if (!GetIndex(gltf, cn_accessors, index, accessor, "bufferView", cn_bufferViews, &viewIndex) ||
        !GetWhole(gltf, cn_accessors, index, accessor, "byteOffset", INT32_MAX, 0, &offset) ||
        !GetWhole(gltf, cn_accessors, index, accessor, "componentType", 5126, -1, &values->componentType) ||
        !GetWhole(gltf, cn_accessors, index, accessor, "count", INT32_MAX, -1, &values->count)) {
        return false;
    }
    int itemBytes = lanes * ComponentBytes(values->componentType);
    if (itemBytes == 0) {
        return RefuseAt(gltf, cn_accessors, index, "componentType", "must be 5120 to 5123, 5125 or 5126");
    }
    values->isNormalized = cJSON_IsTrue(Get(accessor, "normalized"));

    // the view
    const cJSON* view = gltf->lists[cn_bufferViews].data[viewIndex];
    int bufferIndex;
    int viewOffset;
    int viewLength;
    int stride;
    if (!GetIndex(gltf, cn_bufferViews, viewIndex, view, "buffer", cn_buffers, &bufferIndex) ||
        !GetWhole(gltf, cn_bufferViews, viewIndex, view, "byteOffset", INT32_MAX, 0, &viewOffset) ||
        !GetWhole(gltf, cn_bufferViews, viewIndex, view, "byteLength", INT32_MAX, -1, &viewLength) ||
        !GetWhole(gltf, cn_bufferViews, viewIndex, view, "byteStride", 252, 0, &stride)) {
        return false;
    }
    stride = stride > 0 ? stride : itemBytes;
    GltfBuffer* buffer = &gltf->buffers.data[bufferIndex];
    if (buffer->bytes == NULL && !FindBuffer(gltf, bufferIndex, buffer)) {
        return false;
    }
    if ((uint64_t)viewOffset + (uint64_t)viewLength > buffer->length) {
        return cnMesh_Refuse(gltf->reader, "/bufferViews/%d reaches beyond the %zu bytes of buffer %d",
                             viewIndex, buffer->length, bufferIndex);
    }
    uint64_t needed =
        values->count > 0 ? (uint64_t)(values->count - 1) * (uint64_t)stride + (uint64_t)itemBytes : 0;
    if ((uint64_t)offset + needed > (uint64_t)viewLength) {
        return cnMesh_Refuse(gltf->reader, "/accessors/%d reaches beyond the %d bytes of bufferView %d",
                             index, viewLength, viewIndex);
    }
    values->bytes = buffer->bytes + viewOffset + offset;
    values->stride = (size_t)stride;
    return true;
}

static double ReadComponent(const uint8_t* at, int type, bool isNormalized) {
    double scale = 1.0;
    double value = 0.0;
    switch (type) {
    case 5120:
        value = (int8_t)at[0];
        scale = 127.0;
        break;
    case 5121:
        value = at[0];
        scale = 255.0;
        break;
    case 5122:
        value = (int16_t)cnLoad16(at, false);
        scale = 32767.0;
        break;
    case 5123:
        value = cnLoad16(at, false);
        scale = 65535.0;
        break;
    case 5125:
        return cnLoad32(at, false);
    default:
        return cnLoadFloat(at, false);
    }
    return isNormalized ? cnMax(value / scale, -1.0) : value;
}

// ---- meshes -----------------------------------------------------------------------------------------------

static bool ReadPositions(Gltf* gltf, int accessor, const Affine* place) {
    GltfValues values = {.bytes = NULL};
    if (!ReadAccessor(gltf, accessor, "VEC3", 3, &values)) {
        return false;
    }
    int bytes = ComponentBytes(values.componentType);
    for (int i = 0; i < values.count && values.bytes != NULL; ++i) {
        double parts[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            parts[k] = ReadComponent(values.bytes + (size_t)i * values.stride + k * bytes,
                                     values.componentType, values.isNormalized);
        }
        cnVec3 vertex = cnAdd(cnMulMat(place->matrix, cnVec(parts[0], parts[1], parts[2])), place->offset);
        if (!cnIsCoordinate(vertex.x) || !cnIsCoordinate(vertex.y) || !cnIsCoordinate(vertex.z)) {
            return cnMesh_Refuse(gltf->reader,
                                 "/accessors/%d has a vertex that is not finite or too large: number %d",
                                 accessor, i);
        }
        if (!cnMesh_AddVertex(gltf->reader, vertex)) {
            return false;
        }
    }
    return true;
}

// Corners of the primitive as numbers of the mesh's vertices, in reader->polygon.
static bool ReadCorners(Gltf* gltf, const cJSON* indices, int meshIndex, const cJSON* primitive,
                        int firstVertex) {
    cnMeshReader* reader = gltf->reader;
    int vertexCount = reader->vertices.count - firstVertex;
    GltfValues values = {.count = vertexCount};
    int accessor = 0;
    if (indices != NULL &&
        (!GetIndex(gltf, cn_meshes, meshIndex, primitive, "indices", cn_accessors, &accessor) ||
         !ReadAccessor(gltf, accessor, "SCALAR", 1, &values))) {
        return false;
    }
    if (!cnArray_Resize(&reader->polygon, values.count)) {
        return cnMesh_FailMemory(reader);
    }
    for (int i = 0; i < values.count; ++i) {
        double corner = i;
        if (values.bytes != NULL) {
            corner = ReadComponent(values.bytes + (size_t)i * values.stride, values.componentType, false);
        }
        if (!(corner >= 0.0 && corner < vertexCount) || corner != (double)(int)corner) {
            return cnMesh_Refuse(reader, "/accessors/%d has the index %.9g: must be a vertex from 0 to %d",
                                 accessor, corner, vertexCount - 1);
        }
        reader->polygon.data[i] = firstVertex + (int)corner;
    }
    return true;
}

static bool ReadPrimitive(Gltf* gltf, int meshIndex, const cJSON* primitive, const Affine* place) {
    enum {
        triangles = 4,
        strip,
        fan
    };
    cnMeshReader* reader = gltf->reader;
    int mode;
    int positions;
    if (!GetWhole(gltf, cn_meshes, meshIndex, primitive, "mode", fan, triangles, &mode)) {
        return false;
    }
    const cJSON* attributes = Get(primitive, "attributes");
    if (mode < triangles || Get(attributes, "POSITION") == NULL) {
        return true;
    }
    int firstVertex = reader->vertices.count;
    if (!GetIndex(gltf, cn_meshes, meshIndex, attributes, "POSITION", cn_accessors, &positions) ||
        !ReadPositions(gltf, positions, place) ||
        !ReadCorners(gltf, Get(primitive, "indices"), meshIndex, primitive, firstVertex)) {
        return false;
    }

    // a mirror turns triangles inside out
    bool isMirrored = cnDeterminant(place->matrix) < 0.0;
    int count = reader->polygon.count;
    const int32_t* corners = reader->polygon.data;
    for (int i = 2; i < count; i += mode == triangles ? 3 : 1) {
        bool isFlipped = isMirrored != (mode == strip && (i & 1) != 0);
        int32_t a = corners[mode == fan ? 0 : i - 2];
        int32_t b = corners[i - 1];
        if (!cnMesh_AddTriangle(reader, isFlipped ? b : a, isFlipped ? a : b, corners[i])) {
            return false;
        }
    }
    return true;
}

static bool ReadGltfMesh(Gltf* gltf, int index, const cJSON* node, const Affine* place) {
    const cJSON* mesh = gltf->lists[cn_meshes].data[index];
    const cJSON* name = Get(node, "name");
    name = cJSON_IsString(name) ? name : Get(mesh, "name");
    const char* text = cJSON_IsString(name) ? name->valuestring : "";
    if (!cnMesh_BeginPart(gltf->reader, text, strlen(text))) {
        return false;
    }
    const cJSON* primitives = Get(mesh, "primitives");
    if (!cJSON_IsArray(primitives)) {
        return RefuseAt(gltf, cn_meshes, index, "primitives", "must be a list");
    }
    for (const cJSON* primitive = primitives->child; primitive != NULL; primitive = primitive->next) {
        if (!ReadPrimitive(gltf, index, primitive, place)) {
            return false;
        }
    }
    return true;
}

// ---- nodes ------------------------------------------------------------------------------------------------

// The node's own transform: a matrix by columns, or translation · rotation · scale.
static bool ReadTransform(Gltf* gltf, int index, const cJSON* node, Affine* place) {
    double m[16];
    double t[3] = {0.0, 0.0, 0.0};
    double r[4] = {0.0, 0.0, 0.0, 1.0};
    double s[3] = {1.0, 1.0, 1.0};
    const cJSON* matrix = Get(node, "matrix");
    if (matrix != NULL) {
        if (!GetNumbers(matrix, m, 16)) {
            return RefuseAt(gltf, cn_nodes, index, "matrix", "must be a list of 16 numbers up to 1e30");
        }
        place->matrix = (cnMat33){cnVec(m[0], m[1], m[2]), cnVec(m[4], m[5], m[6]), cnVec(m[8], m[9], m[10])};
        place->offset = cnVec(m[12], m[13], m[14]);
        return true;
    }
    const struct {
        const char* key;
        double* numbers;
        int count;
    } parts[] = {{"translation", t, 3}, {"rotation", r, 4}, {"scale", s, 3}};
    for (int i = 0; i < 3; ++i) {
        const cJSON* part = Get(node, parts[i].key);
        if (part != NULL && !GetNumbers(part, parts[i].numbers, parts[i].count)) {
            return RefuseAt(gltf, cn_nodes, index, parts[i].key, "must be a list of 3 or 4 numbers");
        }
    }
    cnMat33 rotation = cnMatFromQuat(cnNormalizeQuat((cnQuat){r[0], r[1], r[2], r[3]}));
    place->matrix =
        (cnMat33){cnScale(s[0], rotation.x), cnScale(s[1], rotation.y), cnScale(s[2], rotation.z)};
    place->offset = cnVec(t[0], t[1], t[2]);
    return true;
}

static bool ReadNodes(Gltf* gltf, GltfList list, int index, const char* key, const Affine* above, int depth);

// NOLINTNEXTLINE(misc-no-recursion): as deep as maxDepth
static bool ReadNode(Gltf* gltf, int index, const Affine* above, int depth) {
    const cJSON* node = gltf->lists[cn_nodes].data[index];
    if (gltf->isPlaced.data[index] || depth == maxDepth) {
        return cnMesh_Refuse(gltf->reader,
                             "/nodes/%d is a child twice, or lies in more than %d nodes: nodes must be trees",
                             index, maxDepth);
    }
    gltf->isPlaced.data[index] = true;
    Affine own = *above;
    if (!ReadTransform(gltf, index, node, &own)) {
        return false;
    }
    Affine place = {cnMulMatMat(above->matrix, own.matrix),
                    cnAdd(cnMulMat(above->matrix, own.offset), above->offset)};
    int mesh;
    if (Get(node, "mesh") != NULL && (!GetIndex(gltf, cn_nodes, index, node, "mesh", cn_meshes, &mesh) ||
                                      !ReadGltfMesh(gltf, mesh, node, &place))) {
        return false;
    }
    return ReadNodes(gltf, cn_nodes, index, "children", &place, depth + 1);
}

// The nodes that a list of indices names.
// NOLINTNEXTLINE(misc-no-recursion): see above
static bool ReadNodes(Gltf* gltf, GltfList list, int index, const char* key, const Affine* above, int depth) {
    const cJSON* children = Get(gltf->lists[list].data[index], key);
    if (children == NULL) {
        return true;
    }
    if (!cJSON_IsArray(children)) {
        return RefuseAt(gltf, list, index, key, "must be a list");
    }
    for (const cJSON* child = children->child; child != NULL; child = child->next) {
        double number = cJSON_IsNumber(child) ? child->valuedouble : -1.0;
        if (!(number >= 0.0 && number < gltf->lists[cn_nodes].count) || number != (double)(int)number) {
            return RefuseAt(gltf, list, index, key, "must name nodes by their index");
        }
        if (!ReadNode(gltf, (int)number, above, depth)) {
            return false;
        }
    }
    return true;
}

// Without a scene: all nodes that are not placed by others, or the meshes as they are where
// there are no nodes.
static bool ReadWithoutScene(Gltf* gltf, const Affine* identity) {
    int nodeCount = gltf->lists[cn_nodes].count;
    for (int i = 0; nodeCount == 0 && i < gltf->lists[cn_meshes].count; ++i) {
        if (!ReadGltfMesh(gltf, i, NULL, identity)) {
            return false;
        }
    }
    CN_ARRAY(bool) isChild = {0};
    if (nodeCount > 0 && !cnArray_Resize(&isChild, nodeCount)) {
        return cnMesh_FailMemory(gltf->reader);
    }
    for (int i = 0; i < nodeCount; ++i) {
        const cJSON* children = Get(gltf->lists[cn_nodes].data[i], "children");
        for (const cJSON* child = cJSON_IsArray(children) ? children->child : NULL; child != NULL;
             child = child->next) {
            if (cJSON_IsNumber(child) && child->valuedouble >= 0.0 && child->valuedouble < nodeCount) {
                isChild.data[(int)child->valuedouble] = true;
            }
        }
    }
    bool isFine = true;
    for (int i = 0; i < nodeCount && isFine; ++i) {
        isFine = isChild.data[i] || ReadNode(gltf, i, identity, 0);
    }
    cnArray_Free(&isChild);
    return isFine;
}

// ---- the document -----------------------------------------------------------------------------------------

// Extensions that a file requires but that change no triangle.
static bool CheckExtensions(Gltf* gltf) {
    static const char* const harmless[] = {"KHR_mesh_quantization", "KHR_materials_", "KHR_texture_",
                                           "KHR_lights_",           "EXT_texture_",   "KHR_animation_"};
    const cJSON* required = Get(gltf->document, "extensionsRequired");
    for (const cJSON* item = cJSON_IsArray(required) ? required->child : NULL; item != NULL;
         item = item->next) {
        const char* name = cJSON_IsString(item) ? item->valuestring : "?";
        bool isHarmless = false;
        for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; ++i) {
            isHarmless = isHarmless || strncmp(name, harmless[i], strlen(harmless[i])) == 0;
        }
        if (!isHarmless) {
            return cnMesh_Refuse(gltf->reader, "/extensionsRequired: the file needs %.40s, which is not read",
                                 name);
        }
    }
    return true;
}

static bool CollectLists(Gltf* gltf) {
    for (int i = 0; i < cn_gltfListCount; ++i) {
        const cJSON* list = Get(gltf->document, listNames[i]);
        for (const cJSON* item = cJSON_IsArray(list) ? list->child : NULL; item != NULL; item = item->next) {
            // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what the list holds
            if (!cnArray_Push(&gltf->lists[i], item)) {
                return cnMesh_FailMemory(gltf->reader);
            }
        }
    }
    int bufferCount = gltf->lists[cn_buffers].count;
    int nodeCount = gltf->lists[cn_nodes].count;
    return (cnArray_Resize(&gltf->buffers, bufferCount) && cnArray_Resize(&gltf->isPlaced, nodeCount)) ||
           cnMesh_FailMemory(gltf->reader);
}

static bool ReadDocument(Gltf* gltf, const char* text, size_t length, size_t offset) {
    const char* end = text;
    gltf->document = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    if (!cJSON_IsObject(gltf->document)) {
        return cnMesh_RefuseByte(gltf->reader, offset + (size_t)(end - text), "the file is no JSON object");
    }
    if (!CheckExtensions(gltf) || !CollectLists(gltf)) {
        return false;
    }
    const cJSON* version = Get(Get(gltf->document, "asset"), "version");
    if (!cJSON_IsString(version) || strncmp(version->valuestring, "2.", 2) != 0) {
        return cnMesh_Refuse(gltf->reader, "/asset/version must be \"2.0\"");
    }
    static const Affine identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
    int sceneCount = gltf->lists[cn_scenes].count;
    const cJSON* scene = Get(gltf->document, "scene");
    double number = cJSON_IsNumber(scene) ? scene->valuedouble : 0.0;
    if (sceneCount == 0) {
        return ReadWithoutScene(gltf, &identity);
    }
    if (!(number >= 0.0 && number < sceneCount)) {
        return cnMesh_Refuse(gltf->reader, "/scene is %.9g: must be from 0 to %d", number, sceneCount - 1);
    }
    return ReadNodes(gltf, cn_scenes, (int)number, "nodes", &identity, 0);
}

// Head of 12 bytes, then chunks of a length, a kind and bytes: JSON first, then the buffer.
static bool ReadBinary(Gltf* gltf) {
    enum {
        headBytes = 12,
        chunkHead = 8
    };
    const cnMeshReader* reader = gltf->reader;
    const uint8_t* bytes = reader->bytes;
    size_t length = reader->length;
    if (length < headBytes + chunkHead || cnLoad32(bytes + 4, false) != 2 ||
        cnLoad32(bytes + headBytes + 4, false) != 0x4e4f534au) {
        return cnMesh_RefuseByte(gltf->reader, 4, "must be glTF of version 2 with a chunk of JSON");
    }
    size_t left = length - headBytes - chunkHead;
    size_t jsonLength = cnLoad32(bytes + headBytes, false);
    if (jsonLength > left) {
        return cnMesh_RefuseByte(gltf->reader, headBytes, "the chunk of JSON is longer than the file");
    }
    const uint8_t* json = bytes + headBytes + chunkHead;
    left -= jsonLength;
    if (left >= chunkHead) {
        const uint8_t* chunk = json + jsonLength;
        size_t binaryLength = cnLoad32(chunk, false);
        if (binaryLength > left - chunkHead) {
            return cnMesh_RefuseByte(gltf->reader, (size_t)(chunk - bytes),
                                     "the binary chunk is longer than the file");
        }
        if (cnLoad32(chunk + 4, false) == 0x004e4942u) {
            gltf->binary = chunk + chunkHead;
            gltf->binaryLength = binaryLength;
        }
    }
    return ReadDocument(gltf, (const char*)json, jsonLength, headBytes + chunkHead);
}

bool cnReadGltf(cnMeshReader* reader) {
    Gltf gltf = {.reader = reader};
    reader->mergesVertices = true;
    bool isBinary = reader->length >= 4 && memcmp(reader->bytes, "glTF", 4) == 0;
    bool isRead =
        isBinary ? ReadBinary(&gltf) : ReadDocument(&gltf, (const char*)reader->bytes, reader->length, 0);
    cJSON_Delete(gltf.document);
    for (int i = 0; i < cn_gltfListCount; ++i) {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): see above
        cnArray_Free(&gltf.lists[i]);
    }
    for (int i = 0; i < gltf.buffers.count; ++i) {
        cnFree(gltf.buffers.data[i].own, gltf.buffers.data[i].ownLength);
    }
    cnArray_Free(&gltf.buffers);
    cnArray_Free(&gltf.isPlaced);
    return isRead;
}
