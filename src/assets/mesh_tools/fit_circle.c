// Smallest circles and balls around points, by the points that hold them (Fischer, Gärtner, Kutz: "Fast
// smallest-enclosing-ball computation in high dimensions", ESA 2003, walks the same way in any dimension).
//
// A ball is held by up to four of the points (a circle by three): it is the smallest one around those, and it
// grows when the farthest point outside is taken in and the smallest ball around the old holders and the new
// point is found by looking at all their subsets. The radius grows in every round, and there are finitely
// many sets of holders; a round that does not grow by more than rounding ends the search.
#include "assets/mesh_tools/fit_circle.h"

#include <string.h>

#define GROWTH 1e-13

enum {
    maxRounds = 1000
};

// The centre of the sphere through points that lies in their span, as weights of edges from the first:
// Gram matrix of the edges, solved by elimination. False where the points are dependent.
static bool FindCentre(const cnVec3* holders, int count, cnVec3* centre) {
    double rows[3][4] = {{0.0}};
    int size = count - 1;
    for (int i = 0; i < size; ++i) {
        cnVec3 a = cnSub(holders[i + 1], holders[0]);
        for (int k = 0; k < size; ++k) {
            rows[i][k] = cnDot(a, cnSub(holders[k + 1], holders[0]));
        }
        rows[i][3] = 0.5 * cnLengthSquared(a);
    }
    for (int i = 0; i < size; ++i) {
        int pivot = i;
        for (int k = i + 1; k < size; ++k) {
            pivot = fabs(rows[k][i]) > fabs(rows[pivot][i]) ? k : pivot;
        }
        if (!(fabs(rows[pivot][i]) > 1e-14 * cnLengthSquared(cnSub(holders[i + 1], holders[0])))) {
            return false;
        }
        for (int column = 0; column < 4; ++column) {
            double swap = rows[i][column];
            rows[i][column] = rows[pivot][column];
            rows[pivot][column] = swap;
        }
        for (int k = 0; k < size; ++k) {
            double factor = k == i ? 0.0 : rows[k][i] / rows[i][i];
            for (int column = i; column < size; ++column) {
                rows[k][column] -= factor * rows[i][column];
            }
            rows[k][3] -= factor * rows[i][3];
        }
    }
    *centre = holders[0];
    for (int i = 0; i < size; ++i) {
        *centre = cnMulAdd(*centre, rows[i][3] / rows[i][i], cnSub(holders[i + 1], holders[0]));
    }
    return true;
}

// The smallest ball around up to five points, the last of them on its surface; which hold it are left in
// place.
static cnBall HoldBall(cnVec3* holders, int* count) {
    cnBall best = {cnVec3_zero, -1.0};
    int bestSubset = 0;
    int last = *count - 1;
    for (int subset = 0; subset < 1 << last; ++subset) {
        cnVec3 chosen[5] = {holders[last]};
        int chosenCount = 1;
        for (int i = 0; i < last; ++i) {
            if ((subset >> i & 1) != 0) {
                chosen[chosenCount++] = holders[i];
            }
        }
        cnVec3 centre;
        if (chosenCount > 4 || !FindCentre(chosen, chosenCount, &centre)) {
            continue;
        }
        double radius = cnLength(cnSub(holders[last], centre));
        double reach = 0.0;
        for (int i = 0; i <= last; ++i) {
            reach = cnMax(reach, cnLength(cnSub(holders[i], centre)));
        }
        if (reach <= radius * (1.0 + 1e-12) && (best.radius < 0.0 || reach < best.radius)) {
            best = (cnBall){centre, reach};
            bestSubset = subset;
        }
    }
    cnVec3 newest = holders[last];
    int kept = 0;
    for (int i = 0; i < last; ++i) {
        if ((bestSubset >> i & 1) != 0) {
            holders[kept++] = holders[i];
        }
    }
    holders[kept++] = newest;
    *count = kept;
    return best;
}

static int FindFarthestFrom(const cnVec3* points, int count, cnVec3 centre) {
    int best = 0;
    double farthest = -1.0;
    for (int i = 0; i < count; ++i) {
        double distance = cnLengthSquared(cnSub(points[i], centre));
        if (distance > farthest) {
            farthest = distance;
            best = i;
        }
    }
    return best;
}

// The smallest ball so far, and the points that hold it.
typedef struct HeldBall {
    cnBall ball;
    cnVec3 holders[4];
    int count;
} HeldBall;

static HeldBall BallOf(cnVec3 point) {
    return (HeldBall){.ball = {point, 0.0}, .holders = {point}, .count = 1};
}

// The smallest ball that the holders and one point more make, held by no more than `most` of them. False
// where it would not be larger.
static bool TakeIn(HeldBall* held, cnVec3 point, int most) {
    cnVec3 tried[5];
    memcpy(tried, held->holders, (size_t)held->count * sizeof *tried);
    int count = held->count;
    tried[count++] = point;
    cnBall larger = HoldBall(tried, &count);
    if (!(larger.radius > held->ball.radius) || count > most) {
        return false;
    }
    held->ball = larger;
    held->count = count;
    memcpy(held->holders, tried, (size_t)count * sizeof *tried);
    return true;
}

cnBall cnFindSmallestBall(const cnVec3* points, int count) {
    HeldBall held = BallOf(points[FindFarthestFrom(points, count, points[0])]);
    for (int round = 0; round < maxRounds; ++round) {
        cnVec3 next = points[FindFarthestFrom(points, count, held.ball.centre)];
        double reach = cnLength(cnSub(next, held.ball.centre));
        if (!(reach > held.ball.radius * (1.0 + GROWTH)) || !TakeIn(&held, next, 4)) {
            break;
        }
    }
    // rounding may have left a point outside
    cnVec3 last = points[FindFarthestFrom(points, count, held.ball.centre)];
    return (cnBall){held.ball.centre, cnLength(cnSub(last, held.ball.centre))};
}

static int FindFarthestInPlane(const cnPlanePoint* points, int count, cnVec3 centre, double* reach) {
    int farthest = 0;
    double square = -1.0;
    for (int i = 0; i < count; ++i) {
        double x = points[i].x - centre.x, y = points[i].y - centre.y;
        double distance = x * x + y * y;
        farthest = distance > square ? i : farthest;
        square = cnMax(square, distance);
    }
    *reach = sqrt(square);
    return farthest;
}

cnCircle cnFindSmallestCircle(const cnPlanePoint* points, int count) {
    HeldBall held = BallOf(cnVec(points[0].x, points[0].y, 0.0));
    double reach;
    for (int round = 0; round < maxRounds; ++round) {
        cnPlanePoint next = points[FindFarthestInPlane(points, count, held.ball.centre, &reach)];
        if (!(reach > held.ball.radius * (1.0 + GROWTH)) || !TakeIn(&held, cnVec(next.x, next.y, 0.0), 3)) {
            break;
        }
    }
    FindFarthestInPlane(points, count, held.ball.centre, &reach);
    return (cnCircle){{held.ball.centre.x, held.ball.centre.y}, reach};
}
