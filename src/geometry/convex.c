// Convex hulls as shapes.
#include "geometry/shape_checks.h"
#include "geometry/shape_kinds.h"

#include <stdio.h>

// From this size on, climbing along edges beats looking at every vertex.
#define CLIMB_FROM 64

static cnBounds ComputeBounds(const cnShape* shape, cnPose pose) {
    const cnHull* hull = shape->hull;
    cnMat33 axes = cnMatFromQuat(pose.rotation);
    cnVec3 lower = cnMulMat(axes, hull->vertices[0]);
    cnVec3 upper = lower;
    for (int i = 1; i < hull->vertexCount; ++i) {
        cnVec3 vertex = cnMulMat(axes, hull->vertices[i]);
        lower = cnMinVec(lower, vertex);
        upper = cnMaxVec(upper, vertex);
    }
    return (cnBounds){cnAdd(pose.position, lower), cnAdd(pose.position, upper)};
}

static void ComputeMass(const cnShape* shape, cnMassProperties* mass) {
    *mass = (cnMassProperties){0};
    cnHull_ComputeMass(shape->hull, &mass->volume, &mass->centre, &mass->inertia);
    mass->mass = mass->volume;
}

// The width of a face if it is less than `least`, else some number not below it. `*support` is where the climb starts and ends.
static double MeasureWidth(const cnHull* hull, int face, double least, int* support) {
    // any vertex shows a width at least; climbing raises it
    cnVec3 back = cnNeg(hull->planes[face].normal);
    double offset = hull->planes[face].offset;
    double width = offset + cnDot(back, hull->vertices[*support]);
    if (width >= least) {
        return width;
    }
    *support = hull->vertexCount < CLIMB_FROM ? cnHull_GetSupport(hull, back)
                                              : cnHull_ClimbToSupport(hull, back, *support);
    return offset + cnDot(back, hull->vertices[*support]);
}

static double ComputeLeastHalfWidth(const cnShape* shape) {
    // faces in order of size lie all about; those around one vertex after the other lie close, so that climbs are short
    const cnHull* hull = shape->hull;
    double least = INFINITY;
    int support = 0;
    for (int vertex = 0; vertex < hull->vertexCount; ++vertex) {
        int first = hull->vertexEdges[vertex];
        int edge = first;
        do {
            // each face at its lowest vertex only
            int face = hull->edges[edge].face;
            int lowest = vertex;
            for (int other = hull->edges[edge].next; other != edge; other = hull->edges[other].next) {
                lowest = hull->edges[other].origin < lowest ? hull->edges[other].origin : lowest;
            }
            if (lowest == vertex) {
                least = cnMin(least, MeasureWidth(hull, face, least, &support));
            }
            edge = hull->edges[hull->edges[edge].twin].next;
        } while (edge != first);
    }
    return 0.5 * least;
}

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    for (int i = 0; def->points != NULL && i < def->pointCount; ++i) {
        char argument[32];
        snprintf(argument, sizeof argument, "points[%d]", i);
        cnErrorCode code = cnCheckLengths(def->points[i], call, argument);
        if (code != CN_ERROR_NONE) {
            return code;
        }
    }
    return cnHull_Build(&shape->hull, def->points, def->pointCount, call);
}

static void Measure(cnShape* shape) {
    for (int i = 0; i < shape->hull->vertexCount; ++i) {
        double distance = cnLength(cnSub(shape->hull->vertices[i], shape->centre));
        shape->boundingRadius = cnMax(shape->boundingRadius, distance);
    }
    shape->leastHalfExtent = ComputeLeastHalfWidth(shape);
    ComputeMass(shape, &shape->mass);
}

static void Free(cnShape* shape) {
    cnHull_Free(shape->hull);
}

static size_t GetBytes(const cnShape* shape) {
    return shape->hull->bytes;
}

static cnLocalRayHit CastRay(const cnShape* shape, cnVec3 origin, cnVec3 translation) {
    // cut the segment by all faces (Cyrus & Beck 1978)
    const cnHull* hull = shape->hull;
    double enter = -1.0;
    double leave = 1.0;
    int enterFace = -1;
    for (int face = 0; face < hull->faceCount; ++face) {
        const cnHullPlane* plane = hull->planes + face;
        double height = cnDot(plane->normal, origin) - plane->offset;
        double rise = cnDot(plane->normal, translation);
        if (rise < 0.0) {
            double fraction = -height / rise;
            if (height > 0.0 && fraction > enter) {
                enter = fraction;
                enterFace = face;
            }
        } else if (height > 0.0) {
            return (cnLocalRayHit){0};
        } else if (rise > 0.0) {
            leave = cnMin(leave, -height / rise);
        }
    }
    if (enterFace < 0) {
        return (cnLocalRayHit){.hit = true, .inside = true};
    }
    if (enter > leave) {
        return (cnLocalRayHit){0};
    }
    return (cnLocalRayHit){.hit = true, .fraction = enter, .normal = hull->planes[enterFace].normal};
}

const cnShapeKind cnConvexKind = {
    .hasVolume = true,
    .init = Init,
    .measure = Measure,
    .computeBounds = ComputeBounds,
    .castRay = CastRay,
    .free = Free,
    .getBytes = GetBytes,
};
