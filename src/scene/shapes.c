// Shapes of a scene.
#include "scene/load.h"

#include "assets/heights.h"
#include "base/report/format.h"

#include <stdio.h>
#include <string.h>

// ---- shapes that this build has ---------------------------------------------------------------------------

static void ReadSphere(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    cnJson radius = cnJson_Need(node, "radius");
    def->radius = cnJson_AsNumber(&radius, &cnJson_positive, 1.0);
}

static void ReadBox(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    cnJson halfExtents = cnJson_Need(node, "halfExtents");
    def->halfExtents = cnJson_AsVector(&halfExtents, &cnJson_positive, cnVec(1.0, 1.0, 1.0));
}

static void ReadCapsule(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    cnJson radius = cnJson_Need(node, "radius");
    cnJson height = cnJson_Need(node, "height");
    def->radius = cnJson_AsNumber(&radius, &cnJson_positive, 1.0);
    def->height = cnJson_AsNumber(&height, &cnJson_notNegative, 1.0);
}

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
    cnJson terrain = cnJson_Get(node, "terrain");
    cnJson margin = cnJson_Get(node, "bottomMargin");
    cnJson winding = cnJson_Get(node, "winding");
    cnJson merge = cnJson_Get(node, "mergeVertices");
    const cnSceneMesh* found = cnLoader_FindMesh(loader, &mesh);
    if (found != NULL) {
        def->points = found->points.data;
        def->pointCount = found->points.count;
        def->triangles = found->triangles.data;
        def->triangleCount = found->triangles.count / 3;
    }
    def->terrain = cnJson_AsBoolean(&terrain, false);
    def->bottomMargin = cnJson_AsNumber(&margin, &cnJson_notNegative, 0.0);
    def->winding = (cnWinding)CN_AS_CHOICE(&winding, windings, 0);
    def->mergeVertices = cnJson_AsBoolean(&merge, false);
}

static double ReadPositive(const cnJson* node, const char* key) {
    cnJson value = cnJson_Need(node, key);
    return cnJson_AsNumber(&value, &cnJson_positive, 1.0);
}

static void ReadCylinder(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    def->radius = ReadPositive(node, "radius");
    def->height = ReadPositive(node, "height");
}

static void ReadHollowCylinder(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    def->innerRadius = ReadPositive(node, "innerRadius");
    def->height = ReadPositive(node, "height");
    def->thickness = ReadPositive(node, "thickness");
}

static void ReadCone(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    cnJson top = cnJson_Need(node, "topRadius");
    cnJson bottom = cnJson_Need(node, "bottomRadius");
    def->topRadius = cnJson_AsNumber(&top, &cnJson_notNegative, 1.0);
    def->bottomRadius = cnJson_AsNumber(&bottom, &cnJson_notNegative, 1.0);
    if (!(def->topRadius + def->bottomRadius > 0.0)) {
        cnJson_Fail(&bottom, "is 0 as topRadius is: one of them must be > 0");
    }
    def->height = ReadPositive(node, "height");
}

static void ReadHollowCone(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    ReadCone(loader, node, def);
    def->thickness = ReadPositive(node, "thickness");
}

static void ReadLine(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def) {
    (void)loader;
    cnJson start = cnJson_Need(node, "start");
    cnJson end = cnJson_Need(node, "end");
    def->start = cnJson_AsVector(&start, &cnJson_any, cnVec3_zero);
    def->end = cnJson_AsVector(&end, &cnJson_any, cnVec(1.0, 0.0, 0.0));
    if (def->start.x == def->end.x && def->start.y == def->end.y && def->start.z == def->end.z) {
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
    cnJson dynamic = cnJson_Get(node, "dynamic");
    cnJson lowest = cnJson_Get(node, "minHeight");
    def->bottomMargin = cnJson_AsNumber(&margin, &cnJson_notNegative, 1.0);
    def->bottomMarginGiven = true;
    def->dynamic = cnJson_AsBoolean(&dynamic, false);
    def->minHeight = cnJson_AsNumber(&lowest, &cnJson_any, 0.0);
}

// ---- the table of shapes ----------------------------------------------------------------------------------

typedef struct ShapeReader {
    const char* word;
    cnShapeType type; // cn_noShape: not in this build
    bool givesMass;
    void (*read)(cnSceneLoader* loader, const cnJson* node, cnShapeDef* def);
    const char* keys[12]; // up to the first null; all have "type"
} ShapeReader;

static const ShapeReader shapeReaders[] = {
    {"sphere", cn_sphere, true, ReadSphere, {"type", "radius"}},
    {"box", cn_box, true, ReadBox, {"type", "halfExtents"}},
    {"capsule", cn_capsule, true, ReadCapsule, {"type", "radius", "height"}},
    {"plane", cn_plane, false, ReadPlane, {"type", "normal", "point", "d", "points"}},
    {"convex", cn_convex, true, ReadConvex, {"type", "points", "mesh"}},
    {"cylinder", cn_cylinder, true, ReadCylinder, {"type", "radius", "height"}},
    {"hollowCylinder",
     cn_hollowCylinder,
     true,
     ReadHollowCylinder,
     {"type", "innerRadius", "height", "thickness"}},
    {"cone", cn_cone, true, ReadCone, {"type", "topRadius", "bottomRadius", "height"}},
    {"hollowCone",
     cn_hollowCone,
     true,
     ReadHollowCone,
     {"type", "topRadius", "bottomRadius", "height", "thickness"}},
    {"line", cn_line, false, ReadLine, {"type", "start", "end"}},
    {"trimesh",
     cn_trimesh,
     true,
     ReadTrimesh,
     {"type", "mesh", "terrain", "bottomMargin", "winding", "mergeVertices"}},
    {"heightField",
     cn_heightField,
     false,
     ReadHeightField,
     {"type", "resolution", "size", "heights", "image", "heightRange", "bottomMargin", "dynamic",
      "minHeight"}},
};

enum {
    cnShapeReaderCount = sizeof shapeReaders / sizeof shapeReaders[0]
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
    const char* words[cnShapeReaderCount];
    for (int i = 0; i < cnShapeReaderCount; ++i) {
        words[i] = shapeReaders[i].word;
    }
    cnJson type = cnJson_Need(node, "type");
    const ShapeReader* reader = &shapeReaders[CN_AS_CHOICE(&type, words, 0)];

    // its keys
    int keyCount = 0;
    while (keyCount < (int)(sizeof reader->keys / sizeof reader->keys[0]) && reader->keys[keyCount] != NULL) {
        ++keyCount;
    }
    if (!cnJson_IsFine(node) || !cnJson_CheckKeys(node, reader->keys, keyCount, reader->word)) {
        return false;
    }
    reader->read(loader, node, def);
    def->type = reader->type;
    *givesMass = reader->givesMass || def->dynamic;
    *isHeightField = strcmp(reader->word, "heightField") == 0;
    if (reader->type == cn_noShape) {
        cnJson_NotYet(node, "shapes of type %s", reader->word);
    }
    return cnLoader_Builds(loader);
}

void cnListShapes(char* text, size_t size) {
    size_t length = (size_t)cnFormat(text, size, "[");
    for (int i = 0; i < cnShapeReaderCount; ++i) {
        const ShapeReader* reader = &shapeReaders[i];
        if (reader->type == cn_noShape) {
            continue;
        }
        length += (size_t)cnFormat(text + length, size - length, "%s{\"name\":\"%s\",\"keys\":[",
                                   i > 0 ? "," : "", reader->word);
        for (int key = 1; reader->keys[key] != NULL; ++key) {
            length += (size_t)cnFormat(text + length, size - length, "%s\"%s\"", key > 1 ? "," : "",
                                       reader->keys[key]);
        }
        length += (size_t)cnFormat(text + length, size - length, "]}");
    }
    cnFormat(text + length, size - length, "]");
}
