// The public stateless functions of cairn/geometry.h.
#include "cairn/geometry.h"

#include "api/checks.h"
#include "base/report/error.h"
#include "collide/queries/surface.h"
#include "geometry/meshes/trimesh.h"

// A pose with a rotation that can be normalised.
static cnErrorCode CheckPose(cnPose* pose, const char* call) {
    if (!cnIsFiniteVec(pose->position) || !cnIsFiniteQuat(pose->rotation)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, "pose", "the numbers of pose must be finite");
    }
    double length = cnLengthQuat(pose->rotation);
    if (fabs(length - 1.0) > 1e-3) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "pose.rotation",
                      "pose.rotation has the length %g, allowed is 1 within 1e-3", length);
    }
    pose->rotation = cnNormalizeQuat(pose->rotation);
    return CN_ERROR_NONE;
}

static cnErrorCode CheckPointers(const void* shape, const void* out, const char* call) {
    if (shape == NULL || out == NULL) {
        const char* argument = shape == NULL ? "shape" : "out";
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, argument, "%s is null", argument);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnComputeMassProperties(const cnShapeDef* shape, double density, cnMassProperties* out) {
    const char* call = __func__;
    CN_TRY(CheckPointers(shape, out, call));
    if (!cnIsFinite(density)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, "density", "density is %g kg/m³, must be finite", density);
    }
    if (!(density > 0.0) || density > 1e30) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "density",
                      "density is %g kg/m³, allowed is > 0 up to 1e30", density);
    }
    cnShape made;
    CN_TRY(cnShape_Init(&made, shape, call));
    if (made.mesh != NULL && !made.mesh->isClosed) {
        cnShape_Free(&made);
        return cnFail(
            CN_ERROR_DEGENERATE_SHAPE, call, "shape",
            "the mesh is open: it encloses no volume and has no mass (cnCheckMesh counts its open edges)");
    }
    *out = made.mass;
    out->mass = density * made.mass.volume;
    out->inertia = cnScaleMat(density, made.mass.inertia);
    cnShape_Free(&made);
    return CN_ERROR_NONE;
}

cnErrorCode cnComputeBounds(const cnShapeDef* shape, cnPose pose, cnBounds* out) {
    const char* call = __func__;
    CN_TRY(CheckPointers(shape, out, call));
    CN_TRY(CheckPose(&pose, call));
    cnShape made;
    CN_TRY(cnShape_Init(&made, shape, call));
    *out = cnShape_ComputeBounds(&made, pose);
    cnShape_Free(&made);
    return CN_ERROR_NONE;
}

cnErrorCode cnCastRayAtShape(const cnShapeDef* shape, cnPose pose, cnVec3 origin, cnVec3 translation,
                             cnRayHit* out) {
    const char* call = __func__;
    CN_TRY(CheckPointers(shape, out, call));
    CN_TRY(CheckPose(&pose, call));
    if (!(cnIsFiniteVec(origin) && cnIsFiniteVec(translation))) {
        const char* argument = cnIsFiniteVec(origin) ? "translation" : "origin";
        return cnFail(CN_ERROR_NOT_FINITE, call, argument, "%s must be finite", argument);
    }
    cnShape made;
    CN_TRY(cnShape_Init(&made, shape, call));
    *out = cnShape_CastRay(&made, pose, origin, translation);
    cnShape_Free(&made);
    return CN_ERROR_NONE;
}

cnErrorCode cnFindSurfacePoint(const cnShapeDef* shape, cnPose pose, cnVec3 point, cnSurfaceDistance* out) {
    const char* call = __func__;
    CN_TRY(CheckPointers(shape, out, call));
    CN_TRY(CheckPose(&pose, call));
    CN_TRY(cnCheckVec(point, call, "point"));
    cnShape made;
    CN_TRY(cnShape_Init(&made, shape, call));
    cnPlacedShape placed = {&made, pose};
    *out = cnFindSurfaceOfUnion(&placed, 1, point);
    cnShape_Free(&made);
    return CN_ERROR_NONE;
}
