// Convex hulls as shapes.
#include "base/report/format.h"
#include "geometry/distance.h"
#include "geometry/shapes/shape_checks.h"
#include "geometry/shapes/shape_kinds.h"

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

// The width of a face if it is less than `min`, else some number not below it. `*support` is where the
// climb starts and ends.
static double MeasureWidth(const cnHull* hull, int face, double min, int* support) {
    // any vertex shows a width at least; climbing raises it
    cnVec3 back = cnNeg(hull->planes[face].normal);
    double offset = hull->planes[face].offset;
    double width = offset + cnDot(back, hull->vertices[*support]);
    if (width >= min) {
        return width;
    }
    *support = hull->vertexCount < CLIMB_FROM ? cnHull_GetSupport(hull, back)
                                              : cnHull_ClimbToSupport(hull, back, *support);
    return offset + cnDot(back, hull->vertices[*support]);
}

static double ComputeMinHalfWidth(const cnShape* shape) {
    // faces in order of size lie all about; those around one vertex after the other lie close, so that
    // climbs are short
    const cnHull* hull = shape->hull;
    double min = INFINITY;
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
                min = cnMin(min, MeasureWidth(hull, face, min, &support));
            }
            edge = hull->edges[hull->edges[edge].twin].next;
        } while (edge != first);
    }
    return 0.5 * min;
}

static cnErrorCode Init(cnShape* shape, const cnShapeDef* def, const char* call) {
    for (int i = 0; def->points != NULL && i < def->pointCount; ++i) {
        char argument[32];
        cnFormat(argument, sizeof argument, "points[%d]", i);
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
    shape->inradius = ComputeMinHalfWidth(shape);
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

// The point of a face next to a point above its plane.
static cnVec3 FindClosestOnFace(const cnHull* hull, int face, cnVec3 point, double height,
                                uint32_t* feature) {
    cnVec3 normal = hull->planes[face].normal;
    cnVec3 foot = cnMulAdd(point, -height, normal);
    cnVec3 nearest = foot;
    double nearestSquared = INFINITY;
    *feature = (uint32_t)face;
    int start = hull->faceEdges[face];
    int edge = start;
    do {
        int next = hull->edges[edge].next;
        cnVec3 origin = hull->vertices[hull->edges[edge].origin];
        cnVec3 along = cnSub(hull->vertices[hull->edges[next].origin], origin);
        cnVec3 fromOrigin = cnSub(foot, origin);
        if (cnDot(cnCross(along, fromOrigin), normal) < 0.0) {
            double t = cnFindClosestOnSegment(origin, along, foot);
            cnVec3 candidate = cnMulAdd(origin, t, along);
            double distanceSquared = cnLengthSquared(cnSub(candidate, foot));
            if (distanceSquared < nearestSquared) {
                nearestSquared = distanceSquared;
                nearest = candidate;
                int twin = hull->edges[edge].twin;
                *feature = t == 0.0   ? 0x20000u | hull->edges[edge].origin
                           : t == 1.0 ? 0x20000u | hull->edges[next].origin
                                      : 0x10000u | (uint32_t)(edge < twin ? edge : twin);
            }
        }
        edge = next;
    } while (edge != start);
    return nearest;
}

bool cnHull_FindClosest(const cnHull* hull, cnVec3 point, double reach, cnSurfacePoint* out) {
    // the face the point is farthest in front of, or least behind
    int highestFace = 0;
    double highest = -INFINITY;
    for (int face = 0; face < hull->faceCount; ++face) {
        double height = cnDot(hull->planes[face].normal, point) - hull->planes[face].offset;
        if (height > highest) {
            highest = height;
            highestFace = face;
        }
    }
    out->normal = hull->planes[highestFace].normal;
    if (highest > reach) {
        out->distance = highest;
        return false;
    }
    if (highest <= 0.0) {
        out->point = cnMulAdd(point, -highest, out->normal);
        out->distance = highest;
        out->feature = (uint32_t)highestFace;
        return true;
    }

    // outside: the nearest point lies on a face that the point is in front of
    cnVec3 nearest = FindClosestOnFace(hull, highestFace, point, highest, &out->feature);
    double nearestSquared = cnLengthSquared(cnSub(point, nearest));
    for (int face = 0; face < hull->faceCount && nearestSquared > highest * highest; ++face) {
        double height = cnDot(hull->planes[face].normal, point) - hull->planes[face].offset;
        if (height > 0.0 && face != highestFace) {
            uint32_t feature;
            cnVec3 candidate = FindClosestOnFace(hull, face, point, height, &feature);
            double distanceSquared = cnLengthSquared(cnSub(point, candidate));
            if (distanceSquared < nearestSquared) {
                nearestSquared = distanceSquared;
                nearest = candidate;
                out->feature = feature;
            }
        }
    }
    double distance = sqrt(nearestSquared);
    out->point = nearest;
    out->distance = distance;
    if (distance > 0.0) {
        out->normal = cnScale(1.0 / distance, cnSub(point, nearest));
    }
    return true;
}

static bool FindClosest(const cnShape* shape, cnVec3 point, double reach, cnSurfacePoint* out) {
    return cnHull_FindClosest(shape->hull, point, reach, out) && fabs(out->distance) <= reach;
}

const cnShapeKind cnConvexKind = {Init,        Measure,           ComputeBounds, CastRay,
                                  FindClosest, .hasVolume = true, .free = Free,  .getBytes = GetBytes};
