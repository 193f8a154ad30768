#include "collide/queries/surface.h"

// Lengths up to this part of the union's size are nothing, as between shapes that abut.
#define ABUTTING 1e-9

// Directions that are refined, best ones first.
#define MAX_STARTS 8

// A compass search turns by these angles (rad): a coarse one from all starts, a fine one from the best.
#define FIRST_ANGLE 0.3
#define COARSE_ANGLE 1e-3
#define FINE_ANGLE 1e-9

// Of a compass search.
#define COMPASS_ROUNDS 60

static cnSurfaceDistance FindSurface(const cnPlacedShape* placed, cnVec3 point) {
    cnSurfacePoint local;
    cnShape_FindSurface(placed->shape, cnInvTransformPoint(placed->pose, point), &local);
    return (cnSurfaceDistance){
        .distance = local.distance,
        .point = cnTransformPoint(placed->pose, local.point),
        .normal = cnNormalize(cnRotate(placed->pose.rotation, local.normal)),
    };
}

// ---- ways out of a union ----------------------------------------------------------------------------------

typedef struct Search {
    const cnPlacedShape* shapes;
    int count;
    cnVec3 point;
    double reach; // m: a point so far in some direction is outside all that ends
    double slop;  // m, as ABUTTING says
} Search;

// One way out.
typedef struct Exit {
    cnVec3 direction; // unit
    double distance;  // INFINITY: the union does not end in this direction
    cnVec3 normal;    // where it ends
} Exit;

// How far one shape goes on from a distance along a ray on which it, or one that abuts, holds what is there.
static bool ExtendExit(const Search* search, const cnPlacedShape* placed, Exit* exit) {
    cnVec3 move = cnScale(search->reach, exit->direction);
    double after = (exit->distance - search->slop) / search->reach;
    for (;;) {
        cnRayHit hit = cnShape_FindCrossing(placed->shape, placed->pose, search->point, move, after);
        if (!hit.hit) {
            return false;
        }
        double distance = hit.fraction * search->reach;
        if (cnDot(hit.normal, exit->direction) > 0.0) {
            if (distance <= exit->distance) {
                after = hit.fraction;
                continue;
            }
            exit->distance = distance;
            exit->normal = hit.normal;
            return true;
        }
        if (distance > exit->distance + search->slop) {
            return false;
        }
        after = hit.fraction;
    }
}

static Exit FindExit(const Search* search, cnVec3 direction) {
    Exit exit = {.direction = direction, .normal = direction};
    for (bool extends = true; extends;) {
        extends = false;
        for (int i = 0; i < search->count; ++i) {
            extends |= ExtendExit(search, &search->shapes[i], &exit);
        }
    }

    // a half-space that holds what is far away never ends
    cnVec3 end = cnMulAdd(search->point, search->reach, direction);
    for (int i = 0; i < search->count; ++i) {
        bool isPlane = search->shapes[i].shape->type == cn_plane;
        if (isPlane && FindSurface(&search->shapes[i], end).distance < 0.0) {
            exit.distance = INFINITY;
        }
    }
    return exit;
}

// Turns the direction to whatever of eight sides leads out soonest, by ever smaller angles where none does.
static Exit RefineExit(const Search* search, Exit best, double angle, double leastAngle) {
    static const double compass[8][2] = {{1, 0},      {0, 1},       {-1, 0},       {0, -1},
                                         {0.7, 0.71}, {-0.71, 0.7}, {-0.7, -0.71}, {0.71, -0.7}};
    for (int round = 0; round < COMPASS_ROUNDS && angle > leastAngle; ++round) {
        bool isX = fabs(best.direction.x) < 0.5;
        cnVec3 other = isX ? cnVec(1.0, 0.0, 0.0) : cnVec(0.0, 1.0, 0.0);
        cnVec3 across = cnNormalize(cnCross(best.direction, other));
        cnVec3 along = cnCross(best.direction, across);
        cnVec3 from = best.direction;
        double before = best.distance;
        for (int k = 0; k < 8; ++k) {
            cnVec3 side = cnMulAdd(cnScale(compass[k][0], across), compass[k][1], along);
            Exit exit = FindExit(search, cnNormalize(cnMulAdd(from, angle, side)));
            best = exit.distance < best.distance ? exit : best;
        }
        angle *= best.distance < before ? 1.0 : 0.5;
    }
    return best;
}

// Puts an exit among the best so far.
static void Consider(Exit* starts, Exit exit) {
    for (int i = 0; i < MAX_STARTS; ++i) {
        if (exit.distance < starts[i].distance) {
            Exit last = starts[i];
            starts[i] = exit;
            exit = last;
        }
    }
}

static Exit FindNearestExit(const Search* search) {
    Exit starts[MAX_STARTS];
    for (int i = 0; i < MAX_STARTS; ++i) {
        starts[i] = (Exit){.direction = cnVec(0.0, 0.0, 1.0), .distance = INFINITY};
    }
    for (int i = 0; i < search->count; ++i) {
        cnSurfaceDistance found = FindSurface(&search->shapes[i], search->point);
        if (found.distance <= search->slop) {
            Consider(starts, FindExit(search, found.normal));
            Consider(starts, FindExit(search, cnNeg(found.normal)));
        }
    }
    for (int k = 0; k < 27; ++k) {
        const int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
        if (x != 0 || y != 0 || z != 0) {
            cnVec3 direction = cnNormalize(cnVec(x, y, z));
            Consider(starts, FindExit(search, cnRotate(search->shapes[0].pose.rotation, direction)));
        }
    }
    Exit best = starts[0];
    for (int i = 0; i < MAX_STARTS && starts[i].distance < INFINITY; ++i) {
        Exit exit = RefineExit(search, starts[i], FIRST_ANGLE, COARSE_ANGLE);
        best = exit.distance < best.distance ? exit : best;
    }
    return RefineExit(search, best, COARSE_ANGLE, FINE_ANGLE);
}

// ---- unions -----------------------------------------------------------------------------------------------

// Farther from the point than all of a shape that ends.
static double GetReach(const cnPlacedShape* placed, cnVec3 point) {
    cnVec3 centre = cnTransformPoint(placed->pose, placed->shape->centre);
    double radius = placed->shape->type == cn_plane ? 0.0 : placed->shape->boundingRadius;
    return cnLength(cnSub(centre, point)) + radius;
}

// Whether another shape goes on where one ends.
static bool IsCovered(const Search* search, int own, const cnSurfaceDistance* found) {
    cnVec3 beyond = cnMulAdd(found->point, search->slop, found->normal);
    for (int i = 0; i < search->count; ++i) {
        if (i != own && FindSurface(&search->shapes[i], beyond).distance < 0.0) {
            return true;
        }
    }
    return false;
}

cnSurfaceDistance cnFindSurfaceOfUnion(const cnPlacedShape* shapes, int count, cnVec3 point) {
    cnSurfaceDistance best = {.distance = INFINITY};
    int nearest = 0;
    double reach = 0.0;
    for (int i = 0; i < count; ++i) {
        cnSurfaceDistance found = FindSurface(&shapes[i], point);
        reach = cnMax(reach, GetReach(&shapes[i], point));
        if (found.distance < best.distance) {
            best = found;
            nearest = i;
        }
    }
    Search search = {shapes, count, point, 1.001 * reach, ABUTTING * reach};
    if (count == 1 || best.distance > search.slop || !IsCovered(&search, nearest, &best)) {
        return best;
    }
    Exit exit = FindNearestExit(&search);
    if (exit.distance < INFINITY) {
        best.distance = -exit.distance;
        best.point = cnMulAdd(point, exit.distance, exit.direction);
        best.normal = exit.distance > 0.0 ? exit.direction : exit.normal;
    }
    return best;
}
