// Pairs that lie flush on one another, a hundred thousandth to a hundredth of their thickness deep and tilted
// by less than their margin: a manifold stands for all of the contact only if it says what a small rotation
// does to it.
//
//   resting_pairs [--cases n] [--pair BELOW ABOVE] [--verbose]
//
// What is stated of each case: rotated by a small angle β about its deepest point, the depth is the largest
// of depth + n·(β t × arm) over the points that were there, up to a bound of β L (L: the smaller solid's
// size). A line has two ends, and the bound is a tenth; of faces with more corners than a manifold's four, up
// to 0.6 is left. A point too few is off by up to 1 and more, what touches elsewhere altogether by any
// number.
#include "base/report/error.h"
#include "collide/narrow/collide_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BOUND 0.1
#define FACE_BOUND 0.75
// Of a pair's cases so many may miss it: rims that cross a face's corner.
#define SHARE 0.005
// And where lines cross rims, where one of four points is missing at times.
#define RIM_SHARE 0.02
// No case misses it by more.
#define WORST 2.5

enum {
    maxPoints = 64,
    maxTriangles = 64
};

typedef enum Kind {
    kindBox,
    kindCylinderStanding,
    kindCylinderLying,
    kindCapsuleLying,
    kindConeStanding,
    kindConeLying,
    kindHollowStanding,
    kindHollowLying,
    kindHollowConeLying,
    kindPrism,
    kindPrismLying,
    kindMesh,
    kindSheet, // from here on only below
    kindField,
    kindPlane,
    kindCount
} Kind;

static const char* const names[kindCount] = {"box",
                                             "cylinder",
                                             "lyingCylinder",
                                             "lyingCapsule",
                                             "cone",
                                             "lyingCone",
                                             "hollowCylinder",
                                             "lyingHollowCylinder",
                                             "lyingHollowCone",
                                             "prism",
                                             "lyingPrism",
                                             "mesh",
                                             "sheet",
                                             "heightField",
                                             "plane"};

// A solid whose flat side or line faces up when it is rotated so.
typedef struct Solid {
    cnShapeDef def;
    cnShape shape;
    cnQuat upright;
    double top;        // m, how far up it reaches then
    double size, thin; // m
    cnVec3 points[maxPoints];
    int32_t triangles[3 * maxTriangles];
    double heights[maxPoints];
} Solid;

typedef struct Result {
    long cases, misses;
    double worst;
} Result;

static Result results[kindCount][kindCount];
static uint64_t randomState;
static cnManifold manifolds[CN_PAIR_MANIFOLDS];
static int manifoldCount;

static double Next(void) {
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return (double)(randomState >> 11) * 0x1p-53;
}

static double Between(double lower, double upper) {
    return lower + (upper - lower) * Next();
}

// ---- solids -----------------------------------------------------------------------------------------------

static double RandomExtent(double scale) {
    double kind = Next();
    return scale * (kind < 0.3 ? Between(0.03, 0.3) : kind < 0.5 ? Between(1.0, 4.0) : Between(0.3, 1.0));
}

static cnQuat Turn(cnVec3 axis, double angle) {
    return cnQuatFromRotationVector(cnScale(angle, axis));
}

static const cnVec3 axisX = {1.0, 0.0, 0.0}, axisY = {0.0, 1.0, 0.0}, axisZ = {0.0, 0.0, 1.0};

static void MakeCylinder(Solid* solid, double scale, bool isHollow, bool lies) {
    double r = RandomExtent(scale), h = RandomExtent(scale), wall = r * Between(0.05, 0.6);
    solid->def =
        isHollow
            ? (cnShapeDef){.type = cn_hollowCylinder, .innerRadius = r - wall, .thickness = wall, .height = h}
            : (cnShapeDef){.type = cn_cylinder, .radius = r, .height = h};
    solid->upright = lies ? Turn(axisZ, -0.5 * CN_PI) : Turn(axisX, 0.5 * CN_PI);
    solid->top = lies ? r : 0.5 * h;
    solid->size = sqrt(r * r + 0.25 * h * h);
    solid->thin = cnMin(0.5 * h, isHollow ? 0.5 * wall : r);
}

static void MakeCone(Solid* solid, double scale, bool isHollow, bool lies) {
    double r = RandomExtent(scale), h = RandomExtent(scale), wall = r * Between(0.05, 0.6);
    double other = Next() < 0.4 ? 0.0 : r * Between(0.2, 1.5);
    bool flips = Next() < 0.5;
    double bottom = flips ? other : r, top = flips ? r : other;
    solid->def = (cnShapeDef){.type = isHollow ? cn_hollowCone : cn_cone,
                              .bottomRadius = bottom,
                              .topRadius = top,
                              .height = h,
                              .thickness = isHollow ? wall : 0.0};
    double slope = sqrt(h * h + (bottom - top) * (bottom - top));
    if (lies) {
        cnVec3 out = cnVec(h / slope, (bottom - top) / slope, 0.0);
        solid->upright = cnMulQuat(Turn(axisY, -0.5 * CN_PI), Turn(axisZ, -cnAtan2(out.y, out.x)));
        solid->top = out.x * bottom;
    } else {
        bool isTop = bottom == 0.0 || (top > 0.0 && Next() < 0.5);
        solid->upright = Turn(axisX, isTop ? 0.5 * CN_PI : -0.5 * CN_PI);
        solid->top = isTop ? h : 0.0;
    }
    solid->size = sqrt(cnMax(bottom, top) * cnMax(bottom, top) + h * h);
    solid->thin = cnMin(0.5 * h, isHollow ? 0.5 * wall * h / slope : r);
}

static void MakePrism(Solid* solid, double scale, bool lies) {
    int corners = 3 + (int)(6.0 * Next());
    double r = RandomExtent(scale), z = 0.5 * RandomExtent(scale), inner = r * cnCos(CN_PI / corners);
    for (int i = 0; i < 2 * corners; ++i) {
        int corner = i / 2;
        double angle = 2.0 * CN_PI * corner / corners;
        solid->points[i] = cnVec(r * cnCos(angle), r * cnSin(angle), i % 2 == 0 ? z : -z);
    }
    solid->def = (cnShapeDef){.type = cn_convex, .points = solid->points, .pointCount = 2 * corners};
    solid->upright =
        lies ? cnMulQuat(Turn(axisY, -0.5 * CN_PI), Turn(axisZ, -CN_PI / corners)) : cnQuat_identity;
    solid->top = lies ? inner : z;
    solid->size = sqrt(r * r + z * z);
    solid->thin = cnMin(z, inner);
}

static void MakeBox(Solid* solid, double scale, bool isMesh) {
    static const int32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    cnVec3 half = cnVec(RandomExtent(scale), RandomExtent(scale), RandomExtent(scale));
    for (int i = 0; i < 8; ++i) {
        cnVec3 side = cnVec(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
        solid->points[i] = cnMul(half, side);
    }
    memcpy(solid->triangles, faces, sizeof faces);
    solid->def = isMesh ? (cnShapeDef){.type = cn_trimesh,
                                       .points = solid->points,
                                       .pointCount = 8,
                                       .triangles = solid->triangles,
                                       .triangleCount = 12}
                        : (cnShapeDef){.type = cn_box, .halfExtents = half};
    solid->top = half.z;
    solid->size = cnLength(half);
    solid->thin = cnMin(half.x, cnMin(half.y, half.z));
}

// An open mesh, whose border things may stand over; and ground without one.
static void MakeGround(Solid* solid, Kind kind, double scale) {
    enum {
        cells = 4
    };
    int count = 0;
    for (int i = 0; i < (cells + 1) * (cells + 1); ++i) {
        int column = i % (cells + 1), row = i / (cells + 1);
        double x = 2.0 * column / cells - 1.0, y = 2.0 * row / cells - 1.0;
        solid->points[i] = cnVec(4.0 * scale * x, 4.0 * scale * y, 0.0);
    }
    for (int i = 0; i < cells * (cells + 1); ++i) {
        if (i % (cells + 1) < cells) {
            int32_t a = i, b = i + 1, c = i + cells + 2, d = i + cells + 1;
            int32_t both[6] = {a, b, c, a, c, d};
            memcpy(solid->triangles + count, both, sizeof both);
            count += 6;
        }
    }
    if (kind == kindSheet) {
        solid->def = (cnShapeDef){.type = cn_trimesh,
                                  .points = solid->points,
                                  .pointCount = (cells + 1) * (cells + 1),
                                  .triangles = solid->triangles,
                                  .triangleCount = count / 3};
    } else if (kind == kindField) {
        solid->def = (cnShapeDef){.type = cn_heightField,
                                  .columnCount = 6,
                                  .rowCount = 6,
                                  .sizeX = 8.0 * scale,
                                  .sizeY = 8.0 * scale,
                                  .heights = solid->heights,
                                  .heightCount = 36};
    } else {
        solid->def = (cnShapeDef){.type = cn_plane, .normal = axisZ};
    }
    solid->size = 6.0 * scale;
    solid->thin = scale;
}

static bool MakeSolid(Solid* solid, Kind kind, double scale) {
    memset(solid, 0, sizeof *solid);
    solid->upright = cnQuat_identity;
    switch (kind) {
    case kindBox:
    case kindMesh:
        MakeBox(solid, scale, kind == kindMesh);
        break;
    case kindCylinderStanding:
    case kindCylinderLying:
        MakeCylinder(solid, scale, false, kind == kindCylinderLying);
        break;
    case kindHollowStanding:
    case kindHollowLying:
        MakeCylinder(solid, scale, true, kind == kindHollowLying);
        break;
    case kindCapsuleLying: {
        double r = RandomExtent(scale), h = RandomExtent(scale);
        solid->def = (cnShapeDef){.type = cn_capsule, .radius = r, .height = h};
        solid->upright = Turn(axisZ, -0.5 * CN_PI);
        solid->top = solid->thin = r;
        solid->size = r + 0.5 * h;
        break;
    }
    case kindConeStanding:
    case kindConeLying:
    case kindHollowConeLying:
        MakeCone(solid, scale, kind == kindHollowConeLying, kind != kindConeStanding);
        break;
    case kindPrism:
    case kindPrismLying:
        MakePrism(solid, scale, kind == kindPrismLying);
        break;
    default:
        MakeGround(solid, kind, scale);
        break;
    }
    return cnShape_Init(&solid->shape, &solid->def, "resting_pairs") == CN_ERROR_NONE;
}

// ---- the law ----------------------------------------------------------------------------------------------

// The deepest depth, and where it is.
static double Collide(const Solid* below, cnPose pose1, const Solid* above, cnPose pose2, double margin,
                      cnVec3* where) {
    if (cnIsConcave(below->shape.type, above->shape.type)) {
        static cnCandidates scratch;
        manifoldCount = cnCollideConcaveShapes(&below->shape, pose1, &above->shape, pose2, margin, NULL,
                                               &scratch, manifolds);
        cnArray_Free(&scratch.list);
    } else {
        cnCollideCache cache = {0};
        manifoldCount =
            cnCollideShapes(&below->shape, pose1, &above->shape, pose2, margin, &cache, manifolds) > 0;
    }
    double deepest = -INFINITY;
    for (int i = 0; i < manifoldCount; ++i) {
        for (int k = 0; k < manifolds[i].pointCount; ++k) {
            if (manifolds[i].depths[k] > deepest) {
                deepest = manifolds[i].depths[k];
                *where = cnAdd(manifolds[i].origin, cnToD(manifolds[i].points[k]));
            }
        }
    }
    return deepest;
}

// The deepest that the points which were found last will be, with body 2 rotated about a place.
static double PredictDepth(cnVec3 rotation, cnVec3 about) {
    double deepest = -INFINITY;
    for (int i = 0; i < manifoldCount; ++i) {
        for (int k = 0; k < manifolds[i].pointCount; ++k) {
            cnVec3 point = cnAdd(manifolds[i].origin, cnToD(manifolds[i].points[k]));
            cnVec3 move = cnCross(rotation, cnSub(point, about));
            deepest = cnMax(deepest, manifolds[i].depths[k] + cnDot(cnToD(manifolds[i].normal), move));
        }
    }
    return deepest;
}

static cnPose RotateAbout(cnPose pose, cnVec3 rotation, cnVec3 about) {
    cnQuat turn = cnQuatFromRotationVector(rotation);
    return (cnPose){cnAdd(about, cnRotate(turn, cnSub(pose.position, about))),
                    cnNormalizeQuat(cnMulQuat(turn, pose.rotation))};
}

static cnVec3 RandomTilt(double angle) {
    double heading = Between(-CN_PI, CN_PI);
    return cnVec(angle * cnCos(heading), angle * cnSin(heading), 0.0);
}

static bool IsLine(Kind kind) {
    return kind == kindCylinderLying || kind == kindCapsuleLying || kind == kindConeLying ||
           kind == kindHollowLying || kind == kindHollowConeLying;
}

// Lines cross a standing hollow cylinder's two rims in up to four points.
static bool IsOnRims(Kind below, Kind above) {
    return (IsLine(above) && below == kindHollowStanding) || (IsLine(below) && above == kindHollowStanding);
}

static double BoundOf(Kind below, Kind above) {
    bool hasLine = IsLine(below) || IsLine(above);
    return hasLine && !IsOnRims(below, above) ? LINE_BOUND : FACE_BOUND;
}

static void CheckPair(long number, Kind kindBelow, Kind kindAbove, const Solid* below, const Solid* above,
                      bool isVerbose) {
    double thin = cnMin(below->thin, above->thin), size = cnMin(below->size, above->size);
    double margin = 0.02 * thin, depth = thin * pow(10.0, Between(-5.0, -2.0));
    double yaw1 = Next() < 0.5 ? 0.0 : Between(-CN_PI, CN_PI);
    double yaw2 = Next() < 0.5 ? 0.5 * CN_PI * (int)(4.0 * Next()) : Between(-CN_PI, CN_PI);
    double reach = 0.4 * (cnMin(below->size, 4.0) + above->size);
    cnPose pose1 = {cnVec3_zero, cnMulQuat(Turn(axisZ, yaw1), below->upright)};
    pose1.rotation = kindBelow == kindPlane ? cnQuat_identity : pose1.rotation;
    cnPose pose2 = {cnVec(Between(-reach, reach), Between(-reach, reach), below->top + above->top - depth),
                    cnMulQuat(Turn(axisZ, yaw2), cnMulQuat(Turn(axisX, CN_PI), above->upright))};

    // beside each other, or over one another's edges
    cnVec3 about = cnVec3_zero;
    double flush = Collide(below, pose1, above, pose2, margin, &about);
    if (!(flush > 0.3 * depth && flush < 2.0 * depth)) {
        return;
    }
    double tilt = (Next() < 0.5 ? Between(0.0, 0.3) : pow(10.0, Between(-6.0, -1.0))) * margin / size;
    pose2 = RotateAbout(pose2, RandomTilt(tilt), about);
    double before = Collide(below, pose1, above, pose2, margin, &about);
    if (!(before > -0.5 * margin && before < 0.05 * thin)) {
        return;
    }
    double angle = 0.3 * margin / size * Between(0.1, 1.0);
    cnVec3 rotation = RandomTilt(angle);
    double predicted = PredictDepth(rotation, about);
    pose2 = RotateAbout(pose2, rotation, about);
    double after = Collide(below, pose1, above, pose2, margin, &about);
    double miss = (after - predicted) / (angle * size);
    Result* result = &results[kindBelow][kindAbove];
    result->cases += 1;
    result->misses += miss > BoundOf(kindBelow, kindAbove);
    result->worst = cnMax(result->worst, miss);
    if (isVerbose && miss > BoundOf(kindBelow, kindAbove)) {
        printf("case %ld: %s on %s, %.2g of their thickness deep: %.3g, predicted %.3g, found %.3g\n", number,
               names[kindAbove], names[kindBelow], depth / thin, before, predicted, after);
    }
}

static void RunCase(long number, int onlyBelow, int onlyAbove, bool isVerbose) {
    static Solid below, above;
    randomState = (uint64_t)(number + 1) * 0x9e3779b97f4a7c15u | 1u;
    for (int i = 0; i < 8; ++i) {
        Next();
    }
    Kind kindBelow = (Kind)(kindCount * Next()), kindAbove = (Kind)(kindSheet * Next());
    kindBelow = onlyBelow >= 0 ? (Kind)onlyBelow : kindBelow;
    kindAbove = onlyAbove >= 0 ? (Kind)onlyAbove : kindAbove;
    double ratio = kindBelow >= kindSheet ? Between(0.1, 1.0) : pow(10.0, Between(-0.7, 0.7));
    if (!MakeSolid(&below, kindBelow, 1.0)) {
        return; // two mantles that meet in a hollow cone
    }
    if (MakeSolid(&above, kindAbove, ratio)) {
        CheckPair(number, kindBelow, kindAbove, &below, &above, isVerbose);
        cnShape_Free(&above.shape);
    }
    cnShape_Free(&below.shape);
}

// How many pairs of kinds broke the law.
static int Report(void) {
    int broken = 0;
    for (int below = 0; below < kindCount; ++below) {
        for (int above = 0; above < kindCount; ++above) {
            const Result* result = &results[below][above];
            double share = IsOnRims((Kind)below, (Kind)above) ? RIM_SHARE : SHARE;
            // a few are chance
            bool breaks =
                (double)result->misses > 2.0 + share * (double)result->cases || result->worst > WORST;
            broken += breaks;
            if (breaks) {
                printf("%s on %s: %ld of %ld cases miss %.2f, the worst by %.3g\n", names[above],
                       names[below], result->misses, result->cases, BoundOf((Kind)below, (Kind)above),
                       result->worst);
            }
        }
    }
    return broken;
}

static int FindKind(const char* name) {
    for (int kind = 0; kind < kindCount; ++kind) {
        if (strcmp(name, names[kind]) == 0) {
            return kind;
        }
    }
    fprintf(stderr, "resting_pairs: no kind is named %s\n", name);
    exit(2);
}

int main(int argc, char** argv) {
    long cases = 20000;
    int below = -1, above = -1;
    bool isVerbose = false;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc) {
            cases = atol(argv[++i]);
        } else if (strcmp(argv[i], "--pair") == 0 && i + 2 < argc) {
            below = FindKind(argv[++i]);
            above = FindKind(argv[++i]);
        } else if (strcmp(argv[i], "--verbose") == 0) {
            isVerbose = true;
        } else {
            fprintf(stderr, "usage: resting_pairs [--cases n] [--pair BELOW ABOVE] [--verbose]\n");
            return 2;
        }
    }
    long checked = 0;
    for (long number = 0; number < cases; ++number) {
        RunCase(number, below, above, isVerbose);
    }
    for (int i = 0; i < kindCount * kindCount; ++i) {
        checked += results[i / kindCount][i % kindCount].cases;
    }
    int broken = Report();
    printf("resting_pairs: %ld of %ld cases touch, %d pairs of kinds break the law\n", checked, cases,
           broken);
    return broken == 0 && checked > cases / 4 ? 0 : 1;
}
