// How deep one solid has sunk into another near a point.
#include "collide/collide.h"

// Steps of the climb.
#define STEPS 8

// A contact's depth is the length of a way out, and it can be told from a detour by what lies that deep: no way leads out of the
// field shorter than the depth of the body's deepest point. That need not be the contact's own: where two edges cross, with
// faces that rise steeply on one side and hardly on the other, both points lie close below the steep faces, and it is a piece
// further along the edge that is deep. So the search climbs from the point away from the nearest surface, and back onto the body
// whenever it has left it.
double cnFindSunk(const cnShape* field, const cnShape* body, const cnRelativePose* pose, cnVec3 point,
                  double enough, cnSurfacePoint* surface) {
    cnSurfacePoint found;
    double sunk = 0.0, part = 2.0;
    for (int i = 0; i < STEPS && sunk < enough && cnShape_FindClosest(field, point, INFINITY, &found); ++i) {
        if (-found.distance > sunk) {
            *surface = found;
            sunk = -found.distance;
        } else if (i == 0) {
            return 0.0;
        } else {
            part *= 0.5;
        }
        cnVec3 from = cnMulAdd(surface->point, -sunk, surface->normal);
        point = cnMulAdd(from, -part * (enough - sunk), surface->normal);
        cnVec3 onBody = cnMulMatT(pose->axes, cnSub(point, pose->position));
        if (cnShape_FindClosest(body, onBody, INFINITY, &found) && found.distance > 0.0) {
            point = cnToA(pose, found.point);
        }
    }
    return sunk;
}
