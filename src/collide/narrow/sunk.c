// How deep one solid has sunk into another near a contact.
#include "collide/narrow/collide.h"

// A contact's depth is the length of a way out, and it can be told from a detour by what lies that deep: no
// way leads out of the field shorter than the depth of the body's deepest point. That need not be the
// contact's own: where two edges cross, with faces that rise steeply on one side and hardly on the other,
// both points lie close below the steep faces, and it is a piece further along an edge that is deep. So the
// search looks around the point, across the normal, at places brought back onto the body where they have left
// it. The places are fixed, for a climb would take at every kink of the distance whichever way rounding comes
// upon; and their directions are askew to likely edges.
double cnFindSunk(const cnShape* field, const cnShape* body, const cnRelativePose* pose, cnVec3 point,
                  cnVec3 normal, double depth, double enough, cnSurfacePoint* surface) {
    static const double radii[3] = {0.4, 1.0, 2.5}; // in units of the depth
    enum {
        around = 8
    };
    cnVec3 tangent = cnFindTangent(normal);
    double sunk = 0.0;
    for (int i = 0; i <= 3 * around && sunk < enough; ++i) {
        cnSurfacePoint found;
        cnVec3 place = point;
        if (i > 0) {
            cnVec3 direction =
                cnRotateTangent(normal, tangent, (i - 1) % around * (CN_DIRECTION_COUNT / around) + 1);
            place = cnMulAdd(point, radii[(i - 1) / around] * depth, direction);
            cnVec3 onBody = cnMulMatT(pose->axes, cnSub(place, pose->position));
            if (cnShape_FindClosest(body, onBody, INFINITY, &found) && found.distance > 0.0) {
                place = cnToA(pose, found.point);
            }
        }
        // a contact's point is about its depth below the surface: then the search ends soon
        bool isFound = (i == 0 && cnShape_FindClosest(field, place, 1.01 * depth, &found)) ||
                       cnShape_FindClosest(field, place, INFINITY, &found);
        if (!isFound || (i == 0 && found.distance > 0.01 * depth)) {
            return 0.0;
        }
        if (-found.distance > sunk) {
            *surface = found;
            sunk = -found.distance;
        }
    }
    return sunk;
}
