#include "api/render.h"

#include "api/checks.h"
#include "geometry/meshes/height_field.h"
#include "geometry/meshes/trimesh.h"
#include "world/world.h"

#include <string.h>

cnErrorCode cnWorld_InterpolatePoses(cnWorldId id, double alpha) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnCheckRange(alpha, 0.0, 1.0, call, "alpha", ""));
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if ((world->bodies.flags[row] & cn_bodyLive) != 0) {
            cnWriteRenderPose(world, row, alpha);
        }
    }
    return CN_ERROR_NONE;
}

// ---- matrices ---------------------------------------------------------------------------------------------

static bool IsProxyDrawn(const cnWorld* world, int proxy) {
    if (proxy < 0 || proxy >= world->proxies.capacity || world->proxies.geometry[proxy] < 0) {
        return false;
    }
    int body = world->proxies.body[proxy];
    return (world->geometries.flags[world->proxies.geometry[proxy]] & cn_geometryEnabled) != 0 &&
           (body < 0 || (world->bodies.flags[body] & cn_bodyEnabled) != 0);
}

static void WriteColumn(float* out, cnVec3 axis, float scale) {
    out[0] = (float)axis.x * scale;
    out[1] = (float)axis.y * scale;
    out[2] = (float)axis.z * scale;
    out[3] = 0.0f;
}

static void WriteMatrix(const cnWorld* world, int proxy, const float scale[3], double alpha, float* out) {
    cnPose pose = {world->proxies.localPosition[proxy], world->proxies.localRotation[proxy]};
    int body = world->proxies.body[proxy];
    if (body >= 0) {
        pose = cnMulPose(cnInterpolatedPose(world, body, alpha), pose);
    }
    cnMat33 rotation = cnMatFromQuat(cnNormalizeQuat(pose.rotation));
    WriteColumn(out, rotation.x, scale[0]);
    WriteColumn(out + 4, rotation.y, scale[1]);
    WriteColumn(out + 8, rotation.z, scale[2]);
    WriteColumn(out + 12, pose.position, 1.0f);
    out[15] = 1.0f;
}

cnErrorCode cnWorld_WriteMatrices(cnWorldId id, const int32_t* proxies, const float* scales, int count,
                                  double alpha, float* out) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (count > 0 && (proxies == NULL || out == NULL)) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "proxies", "proxies or out is null");
    }
    CN_TRY(cnCheckRange(alpha, 0.0, 1.0, call, "alpha", ""));
    static const float ones[3] = {1.0f, 1.0f, 1.0f};
    for (int i = 0; i < count; ++i) {
        float* matrix = out + (size_t)16 * (size_t)i;
        if (IsProxyDrawn(world, proxies[i])) {
            WriteMatrix(world, proxies[i], scales != NULL ? scales + (size_t)3 * (size_t)i : ones, alpha,
                        matrix);
        } else {
            memset(matrix, 0, 16 * sizeof(float));
        }
    }
    return CN_ERROR_NONE;
}

// ---- surfaces of hulls, meshes and height fields ----------------------------------------------------------

static const cnShape* SurfaceOf(cnWorldId id, int row, const char* call) {
    static const cnShape none = {0};
    const cnWorld* world = cnReadWorld(id, call);
    if (world == NULL || row < 0 || row >= world->shapes.ids.rowCount || world->shapes.shapes[row] == NULL) {
        return &none;
    }
    return world->shapes.shapes[row];
}

int cnWorld_GetShapeVertexCount(cnWorldId id, int row) {
    const cnShape* shape = SurfaceOf(id, row, __func__);
    if (shape->field != NULL) {
        return cnHeightField_GetVertexCount(shape->field);
    }
    return shape->hull != NULL ? shape->hull->vertexCount
                               : (shape->mesh != NULL ? shape->mesh->vertexCount : 0);
}

// A face of k edges is a fan of k − 2 triangles.
int cnWorld_GetShapeTriangleCount(cnWorldId id, int row) {
    const cnShape* shape = SurfaceOf(id, row, __func__);
    const cnHull* hull = shape->hull;
    if (shape->field != NULL) {
        return cnHeightField_GetTriangleCount(shape->field);
    }
    return hull != NULL ? hull->edgeCount - 2 * hull->faceCount
                        : (shape->mesh != NULL ? shape->mesh->triangleCount : 0);
}

static cnErrorCode FailNoSurface(int row, const char* call) {
    return cnFail(CN_ERROR_OUT_OF_RANGE, call, "shapeRow",
                  "row %d is no convex shape, trimesh or height field", row);
}

cnErrorCode cnWorld_CopyShapeVertices(cnWorldId id, int row, double* out) {
    const char* call = __func__;
    const cnShape* shape = SurfaceOf(id, row, call);
    if (shape->field != NULL && out != NULL) {
        cnHeightField_CopyVertices(shape->field, out);
        return CN_ERROR_NONE;
    }
    const cnVec3* vertices =
        shape->hull != NULL ? shape->hull->vertices : (shape->mesh != NULL ? shape->mesh->vertices : NULL);
    if (vertices == NULL || out == NULL) {
        return FailNoSurface(row, call);
    }
    memcpy(out, vertices, (size_t)cnWorld_GetShapeVertexCount(id, row) * sizeof(cnVec3));
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_CopyShapeTriangles(cnWorldId id, int row, uint32_t* out) {
    const char* call = __func__;
    const cnShape* shape = SurfaceOf(id, row, call);
    const cnHull* hull = shape->hull;
    if (shape->field != NULL && out != NULL) {
        cnHeightField_CopyTriangles(shape->field, out);
        return CN_ERROR_NONE;
    }
    if ((hull == NULL && shape->mesh == NULL) || out == NULL) {
        return FailNoSurface(row, call);
    }
    if (hull == NULL) {
        memcpy(out, shape->mesh->triangles, 3 * (size_t)shape->mesh->triangleCount * sizeof *out);
        return CN_ERROR_NONE;
    }
    for (int face = 0; face < hull->faceCount; ++face) {
        int first = hull->faceEdges[face];
        for (int edge = hull->edges[first].next; hull->edges[edge].next != first;
             edge = hull->edges[edge].next) {
            *out++ = hull->edges[first].origin;
            *out++ = hull->edges[edge].origin;
            *out++ = hull->edges[hull->edges[edge].next].origin;
        }
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnWorld_CopyShapeTwins(cnWorldId id, int row, int32_t* out) {
    const char* call = __func__;
    const cnTrimesh* mesh = SurfaceOf(id, row, call)->mesh;
    if (mesh == NULL || out == NULL) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "shapeRow", "row %d is no trimesh", row);
    }
    memcpy(out, mesh->twins, 3 * (size_t)mesh->triangleCount * sizeof *out);
    return CN_ERROR_NONE;
}
