// Shapes of a scene.
#include "scene/load.h"

#include "assets/heights.h"
#include "base/report/format.h"
#include "geometry/shape_forms.h"

#include <stddef.h>
#include <string.h>

// ---- keys -------------------------------------------------------------------------------------------------

// Kinds of values that are read as they are, into the field with the key's name.
typedef enum ValueKind {
    value_ofItsOwn = 0, // read by the function of the type
    value_positive,
    value_notNegative,
    value_number,
    value_vector,
    value_positiveVector,
    value_flag,
} ValueKind;

typedef struct ShapeKey {
    cnShapeType type;
    const char* key;
    bool isInFiles, isNeeded;
    ValueKind kind;
    uint32_t offset; // in the definition
} ShapeKey;

enum {
    in_everywhere = 1,
    in_file = 1,
    in_script = 0,
    is_needed = 1,
    is_optional = 0,
};

#define OWN(word, key, where, need, ...) {cn_##word, #key, in_##where, is_##need, value_ofItsOwn, 0},
#define FIELD(word, key, where, need, kind, ...)                                                             \
    {cn_##word, #key, in_##where, is_##need, value_##kind, offsetof(cnShapeDef, key)},

static const ShapeKey shapeKeys[] = {CN_SHAPE_PARAMETERS(OWN, FIELD)};

enum {
    shapeKeyCount = sizeof shapeKeys / sizeof shapeKeys[0]
};

static void ReadField(const cnJson* node, const ShapeKey* key, cnShapeDef* def) {
    cnJson value = key->isNeeded ? cnJson_Need(node, key->key) : cnJson_Get(node, key->key);
    const cnJsonRange* range = key->kind == value_positive || key->kind == value_positiveVector
                                   ? &cnJson_positive
                               : key->kind == value_notNegative ? &cnJson_notNegative
                                                                : &cnJson_any;
    char* field = (char*)def + key->offset;
    if (key->kind == value_flag) {
        bool flag = cnJson_AsBoolean(&value, false);
        memcpy(field, &flag, sizeof flag);
    } else if (key->kind == value_vector || key->kind == value_positiveVector) {
        cnVec3 vector = cnJson_AsVector(&value, range, cnVec3_zero);
        memcpy(field, &vector, sizeof vector);
    } else {
        double number = cnJson_AsNumber(&value, range, 0.0);
        memcpy(field, &number, sizeof number);
    }
}

// ---- what is read in a way of its own ---------------------------------------------------------------------

static double LargestPart(cnVec3 v) {
    cnVec3 a = cnAbs(v);
    return cnMax(a.x, cnMax(a.y, a.z));
}

// Three points: the normal is (p1 − p0) × (p2 − p0).
static void ReadPlaneThroughPoints(const cnJson* node, cnShapeDef* def) {
    cnVec3 points[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    if (!cnJson_CheckCount(node, 3, "a list of three points")) {
        return;
    }
    for (cnJson item = cnJson_First(node, "a list of three points"); cnJson_More(&item); cnJson_Next(&item)) {
        points[item.index] = cnJson_AsVector(&item, &cnJson_any, cnVec3_zero);
    }

    // edges in units of the longer one, so that nothing overflows or vanishes
    cnVec3 edge1 = cnSub(points[1], points[0]);
    cnVec3 edge2 = cnSub(points[2], points[0]);
    double scale = cnMax(LargestPart(edge1), LargestPart(edge2));
    if (scale > 0.0) {
        edge1 = cnScale(1.0 / scale, edge1);
        edge2 = cnScale(1.0 / scale, edge2);
    }
    cnVec3 normal = cnCross(edge1, edge2);
    if (!(cnLength(normal) > 1e-12 * cnLength(edge1) * cnLength(edge2))) {
        cnJson_Fail(node, "lie on a line: must be three points that span a plane");
        return;
    }
    def->normal = cnNormalize(normal);
    def->offset = cnDot(def->normal, points[0]);
}

static void ReadPlane(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    static const char* const forms[] = {"point", "d", "points"};
    enum {
        byPoint,
        byOffset,
        byPoints
    };
    int form = cnJson_NeedOneOf(node, forms, 3);
    cnJson value = form >= 0 ? cnJson_Get(node, forms[form]) : *node;
    cnJson normalNode = cnJson_Get(node, "normal");
    if (form == byPoints) {
        if (cnJson_IsGiven(&normalNode)) {
            cnJson_Fail(&normalNode, "must not be given with three points");
        }
        ReadPlaneThroughPoints(&value, def);
        return;
    }

    // normal·x = d is taken literally: a normal of length 2 halves the distance
    normalNode = cnJson_Need(node, "normal");
    cnVec3 normal = cnJson_AsDirection(&normalNode, cnVec(0.0, 0.0, 1.0));
    double scale = LargestPart(normal);
    cnVec3 scaled = cnScale(1.0 / scale, normal);
    double length = scale * cnLength(scaled);
    def->normal = cnNormalize(scaled);
    if (form == byPoint) {
        def->offset = cnDot(def->normal, cnJson_AsVector(&value, &cnJson_any, cnVec3_zero));
    } else if (form == byOffset) {
        def->offset = cnJson_AsNumber(&value, &cnJson_any, 0.0) / length;
        if (!(fabs(def->offset) <= CN_LARGEST_NUMBER)) {
            cnJson_Fail(&value, "puts the plane farther away than 1e30 m: must be of a smaller magnitude");
        }
    }
}

static void ReadConvex(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    static const char* const forms[] = {"points", "mesh"};
    int form = cnJson_NeedOneOf(node, forms, 2);
    if (form == 1) {
        cnJson mesh = cnJson_Get(node, "mesh");
        const cnSceneMesh* found = cnLoader_FindMesh(loader, &mesh);
        if (found != NULL) {
            def->points = found->points.data;
            def->pointCount = found->points.count;
        }
        return;
    }
    cnJson points = cnJson_Get(node, "points");
    loader->points.count = 0;
    for (cnJson item = cnJson_First(&points, "a list of points"); cnJson_More(&item); cnJson_Next(&item)) {
        cnVec3 point = cnJson_AsVector(&item, &cnJson_any, cnVec3_zero);
        if (!cnArray_Push(&loader->points, point)) {
            cnLoader_FailMemory(&item);
        }
    }
    if (loader->points.count < 4) {
        cnJson_FailMust(&points, "a list of at least 4 points that span a solid");
    }
    def->points = loader->points.data;
    def->pointCount = loader->points.count;
}

static void ReadTrimesh(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    static const char* const windings[] = {"ccw", "cw", "recalculated"};
    cnJson mesh = cnJson_Need(node, "mesh");
    cnJson winding = cnJson_Get(node, "winding");
    const cnSceneMesh* found = cnLoader_FindMesh(loader, &mesh);
    if (found != NULL) {
        def->points = found->points.data;
        def->pointCount = found->points.count;
        def->triangles = found->triangles.data;
        def->triangleCount = found->triangles.count / 3;
    }
    def->winding = (cnWinding)CN_AS_CHOICE(&winding, windings, 0);
}

static void CheckCone(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    if (!(def->topRadius + def->bottomRadius > 0.0)) {
        cnJson bottom = cnJson_Get(node, "bottomRadius");
        cnJson_Fail(&bottom, "is 0 as topRadius is: one of them must be > 0");
    }
}

static void CheckLine(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    if (def->start.x == def->end.x && def->start.y == def->end.y && def->start.z == def->end.z) {
        cnJson end = cnJson_Get(node, "end");
        cnJson_Fail(&end, "is the start: a line must have a length");
    }
}

// ---- height fields ----------------------------------------------------------------------------------------

static void ReadHeights(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    cnJson heights = cnJson_Get(node, "heights");
    loader->heights.count = 0;
    for (cnJson item = cnJson_First(&heights, "a list of heights"); cnJson_More(&item); cnJson_Next(&item)) {
        double height = cnJson_AsNumber(&item, &cnJson_any, 0.0);
        if (!cnArray_Push(&loader->heights, height)) {
            cnLoader_FailMemory(&item);
        }
    }
    if (loader->heights.count != def->columnCount * def->rowCount) {
        cnJson_Fail(&heights, "is a list of %d: must have nx*ny = %d numbers", loader->heights.count,
                    def->columnCount * def->rowCount);
    }
    cnJson range = cnJson_Get(node, "heightRange");
    if (cnJson_IsGiven(&range)) {
        cnJson_Fail(&range, "is for heights from an image only");
    }
    def->heights = loader->heights.data;
    def->heightCount = loader->heights.count;
}

static void ReadFieldImage(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    double limits[2] = {0.0, 1.0};
    cnJson image = cnJson_Get(node, "image");
    cnJson range = cnJson_Get(node, "heightRange");
    cnJson_AsText(&image, "the path of a .png file");
    if (!cnJson_IsGiven(&range)) {
        cnJson_FailMust(&range, "[lo, hi]: the heights of black and white");
    }
    cnJson_AsNumbers(&range, limits, 2, &cnJson_any);
    if (!(limits[0] < limits[1])) {
        cnJson_Fail(&range, "is [%.9g, %.9g]: the first must be less than the second", limits[0], limits[1]);
    }
    cnHeightData grid;
    if (!cnJson_IsFine(node) || !cnLoader_ReadHeights(loader, &image, &grid)) {
        return;
    }
    if (grid.columnCount != def->columnCount || grid.rowCount != def->rowCount) {
        cnJson_Fail(&image, "is \"%.60s\", an image of %d × %d: must be of the resolution [%d, %d]",
                    image.value->valuestring, grid.columnCount, grid.rowCount, def->columnCount,
                    def->rowCount);
        return;
    }
    def->heightCount = def->columnCount * def->rowCount;
    if (!cnArray_Resize(&loader->heights, def->heightCount)) {
        cnLoader_FailMemory(&image);
        return;
    }
    def->heights = loader->heights.data;
    for (int i = 0; i < def->heightCount; ++i) {
        loader->heights.data[i] = cnHeightOfGrey(grid.heights[i], limits[0], limits[1]);
    }
}

static void ReadHeightField(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    static const char* const forms[] = {"heights", "image"};
    enum {
        byHeights,
        byImage,
        maxHeights = 1 << 14
    };

    // the grid
    double size[2] = {1.0, 1.0};
    def->columnCount = def->rowCount = 2;
    cnJson resolution = cnJson_Need(node, "resolution");
    if (cnJson_IsFine(node) && cnJson_CheckCount(&resolution, 2, "two counts of heights [nx, ny]")) {
        cnJson columns = cnJson_At(&resolution, 0);
        cnJson rows = cnJson_At(&resolution, 1);
        def->columnCount = cnJson_AsInteger(&columns, 2, maxHeights, 2);
        def->rowCount = cnJson_AsInteger(&rows, 2, maxHeights, 2);
    }
    cnJson sizeNode = cnJson_Need(node, "size");
    cnJson_AsNumbers(&sizeNode, size, 2, &cnJson_positive);
    def->sizeX = size[0];
    def->sizeY = size[1];

    // the heights
    int form = cnJson_NeedOneOf(node, forms, 2);
    if (form == byHeights) {
        ReadHeights(loader, node, def);
    } else if (form == byImage) {
        ReadFieldImage(loader, node, def);
    }

    // what is solid
    cnJson margin = cnJson_Get(node, "bottomMargin");
    def->bottomMargin = cnJson_AsNumber(&margin, &cnJson_notNegative, 1.0);
    def->bottomMarginGiven = true;
}

// ---- any shape --------------------------------------------------------------------------------------------

typedef void ShapeReader(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def);

// Reads what is no plain field, and checks what belongs together.
static ShapeReader* const readers[cn_shapeTypeCount] = {
    [cn_plane] = ReadPlane,
    [cn_convex] = ReadConvex,
    [cn_cone] = CheckCone,
    [cn_hollowCone] = CheckCone,
    [cn_line] = CheckLine,
    [cn_trimesh] = ReadTrimesh,
    [cn_heightField] = ReadHeightField,
};

#define WORD(Name, word, ...) #word,

static const char* const shapeWords[] = {CN_SHAPE_TYPES(WORD)};

enum {
    shapeCount = sizeof shapeWords / sizeof shapeWords[0]
};

bool cnReadShape(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def, bool* givesMass,
                 bool* isHeightField) {
    *def = (cnShapeDef){.type = cn_noShape};
    *givesMass = false;
    *isHeightField = false;
    if (!cJSON_IsObject(node->value)) {
        cnJson_FailMust(node, "an object with the key \"type\"");
        return false;
    }

    // the type
    cnJson typeNode = cnJson_Need(node, "type");
    int index = CN_AS_CHOICE(&typeNode, shapeWords, 0);
    const cnShapeType type = (cnShapeType)(cn_noShape + 1 + index);

    // its keys
    const char* keys[shapeKeyCount + 1] = {"type"};
    int keyCount = 1;
    for (int i = 0; i < shapeKeyCount; ++i) {
        if (shapeKeys[i].type == type && shapeKeys[i].isInFiles) {
            keys[keyCount++] = shapeKeys[i].key;
        }
    }
    if (!cnJson_IsFine(node) || !cnJson_CheckKeys(node, keys, keyCount, shapeWords[index])) {
        return false;
    }
    def->type = type;
    for (int i = 0; i < shapeKeyCount; ++i) {
        if (shapeKeys[i].type == type && shapeKeys[i].isInFiles && shapeKeys[i].kind != value_ofItsOwn) {
            ReadField(node, &shapeKeys[i], def);
        }
    }
    if (readers[type] != NULL) {
        readers[type](loader, node, def);
    }
    *givesMass = cnShape_IsType(type, cn_formVolume) || def->dynamic;
    *isHeightField = type == cn_heightField;
    return cnLoader_Builds(loader);
}

void cnListShapes(char* text, size_t size) {
    size_t length = (size_t)cnFormat(text, size, "[");
    for (int i = 0; i < shapeCount; ++i) {
        length += (size_t)cnFormat(text + length, size - length, "%s{\"name\":\"%s\",\"keys\":[",
                                   i > 0 ? "," : "", shapeWords[i]);
        const char* between = "";
        for (int key = 0; key < shapeKeyCount; ++key) {
            if (shapeKeys[key].isInFiles && shapeKeys[key].type == (cnShapeType)(cn_noShape + 1 + i)) {
                length +=
                    (size_t)cnFormat(text + length, size - length, "%s\"%s\"", between, shapeKeys[key].key);
                between = ",";
            }
        }
        length += (size_t)cnFormat(text + length, size - length, "]}");
    }
    cnFormat(text + length, size - length, "]");
}
