// Height fields: rays by marching, distances by sampling, masses by closed forms, triangles and their
// neighbours, updates that equal a fresh build bit by bit, and what is refused.
#include "geometry/meshes/height_field.h"

#include "base/report/error.h"
#include "shapes.h"

enum {
    maxCount = 40
};
static double heightsBuffer[maxCount * maxCount];

// Hills of height about 1 over a few metres, with plateaus, steps and noise; sizes that are no
// multiples of a block.
static cnShapeDef random_def(bool dynamic) {
    int nx = (int)random_in(2.0, maxCount), ny = (int)random_in(2.0, maxCount);
    double roughness = random_in(0.0, 1.0) < 0.3 ? 0.0 : random_in(0.0, 0.6);
    double waveX = random_in(0.0, 0.6), waveY = random_in(0.0, 0.6);
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            double h = 1.5 + sin(waveX * i) * cos(waveY * j) + roughness * random_in(-0.5, 0.5);
            heightsBuffer[j * nx + i] = random_in(0.0, 1.0) < 0.1 ? 1.5 : h;
        }
    }
    return (cnShapeDef){
        .type = cn_heightField,
        .columnCount = nx,
        .rowCount = ny,
        .sizeX = 0.3 * (nx - 1) * random_in(0.5, 1.5),
        .sizeY = 0.3 * (ny - 1) * random_in(0.5, 1.5),
        .heights = heightsBuffer,
        .heightCount = nx * ny,
        .dynamic = dynamic,
        .minHeight = -0.25,
    };
}

// The solid, straight from the definition: the surface by barycentric weights in the triangle that
// holds the point.
static double surface_at(const cnShapeDef* def, double x, double y) {
    double a = (x + 0.5 * def->sizeX) / def->sizeX * (def->columnCount - 1);
    double b = (y + 0.5 * def->sizeY) / def->sizeY * (def->rowCount - 1);
    int i = (int)fmin(fmax(floor(a), 0.0), def->columnCount - 2.0);
    int j = (int)fmin(fmax(floor(b), 0.0), def->rowCount - 2.0);
    double u = a - i, v = b - j;
    const double* h = def->heights + j * def->columnCount + i;
    double far = h[def->columnCount + 1];
    return u >= v ? (1.0 - u) * h[0] + (u - v) * h[1] + v * far
                  : (1.0 - v) * h[0] + (v - u) * h[def->columnCount] + u * far;
}

static double bottom_of(const cnShapeDef* def) {
    double lowest = INFINITY;
    for (int k = 0; k < def->heightCount; ++k) {
        lowest = fmin(lowest, def->heights[k]);
    }
    return def->dynamic ? def->minHeight : lowest - (def->bottomMargin > 0.0 ? def->bottomMargin : 1.0);
}

static bool is_solid(const cnShapeDef* def, double bottom, cnVec3 p) {
    return fabs(p.x) <= 0.5 * def->sizeX && fabs(p.y) <= 0.5 * def->sizeY && p.z >= bottom &&
           p.z <= surface_at(def, p.x, p.y);
}

static cnVec3 point_around(const cnShapeDef* def, double margin) {
    return cnVec(random_in(-0.5 - margin, 0.5 + margin) * def->sizeX,
                 random_in(-0.5 - margin, 0.5 + margin) * def->sizeY, random_in(-1.5, 4.0));
}

// ---- rays -------------------------------------------------------------------------------------------------

static void rays_enter_where_marching_does(void** state) {
    (void)state;
    randomState = 11;
    cnPose identity = {cnVec3_zero, cnQuat_identity};
    int hits = 0, insides = 0;
    for (int round = 0; round < CASES(300); ++round) {
        cnShapeDef def = random_def(round % 3 == 0);
        cnShape shape = make_shape(def);
        double bottom = bottom_of(&def);
        for (int k = 0; k < 20; ++k) {
            cnVec3 from = point_around(&def, 0.3);
            cnVec3 move = cnSub(point_around(&def, 0.3), from);
            if (k % 5 == 0) {
                // along the grid lines themselves, or straight down on them
                int i = (int)random_in(0.0, def.columnCount);
                from.x = def.sizeX * ((double)i / (def.columnCount - 1) - 0.5);
                move.x = 0.0;
                move.y = k % 2 == 0 ? 0.0 : move.y;
            }
            cnRayHit hit = cnShape_CastRay(&shape, identity, from, move);
            const int steps = 4000;
            double first = -1.0;
            for (int step = 0; step <= steps && first < 0.0; ++step) {
                double t = (double)step / steps;
                first = is_solid(&def, bottom, cnMulAdd(from, t, move)) ? t : -1.0;
            }
            double pace = 1.0 / steps;
            if (first >= 0.0) {
                // entered not later than the march saw, unless by a corner that the ray met before
                assert_true(hit.hit);
                assert_true(hit.fraction <= first + 1e-9);
                hits += 1;
                insides += hit.fraction == 0.0;
            }
            if (hit.hit) {
                cnVec3 beyond = cnMulAdd(hit.point, 1e-7, cnNormalize(move));
                bool grazes = first < 0.0 || hit.fraction < first - pace;
                cnVec3 before = cnMulAdd(hit.point, -1e-7, cnNormalize(move));
                if (hit.fraction > 0.0) {
                    // the surface lies between a little before and a little after
                    assert_false(is_solid(&def, bottom, before));
                    assert_true(grazes || is_solid(&def, bottom, beyond));
                    assert_true(cnDot(hit.normal, move) <= 1e-9);
                    assert_near(cnLength(hit.normal), 1.0, 1e-12);
                }
            }
        }
        cnShape_Free(&shape);
    }
    assert_true(hits > CASES(1000) && insides > CASES(100));
}

// Towards each corner, edge and diagonal of the surface from above: none passes.
static void no_ray_leaks_at_edges(void** state) {
    (void)state;
    randomState = 12;
    cnPose identity = {cnVec3_zero, cnQuat_identity};
    for (int round = 0; round < CASES(200); ++round) {
        cnShapeDef def = random_def(false);
        cnShape shape = make_shape(def);
        for (int k = 0; k < 200; ++k) {
            int i = (int)random_in(0.0, def.columnCount - 1), j = (int)random_in(0.0, def.rowCount - 1);
            cnVec3 a = cnHeightField_GetPoint(shape.field, i, j);
            int way = k % 4;
            cnVec3 b = cnHeightField_GetPoint(shape.field, way == 1 ? i : i + 1, way == 0 ? j : j + 1);
            cnVec3 target = way == 3 ? a : cnMulAdd(a, random_in(0.0, 1.0), cnSub(b, a));
            cnVec3 from = {target.x * random_in(0.0, 1.0), target.y * random_in(0.0, 1.0), 5.0};
            target.z -= 1e-9; // a touch of a ridge from above needs no hit
            bool isOnRim = fabs(target.x) > 0.4999 * def.sizeX || fabs(target.y) > 0.4999 * def.sizeY;
            from = k % 8 < 4 && !isOnRim ? from : cnVec(target.x, target.y, 5.0);
            cnVec3 move = cnScale(1.5, cnSub(target, from));
            cnRayHit hit = cnShape_CastRay(&shape, identity, from, move);
            assert_true(hit.hit);

            assert_true(hit.fraction <= 1.0 / 1.5 + 1e-12);
            assert_near(hit.point.z, surface_at(&def, hit.point.x, hit.point.y), 1e-9);
        }
        cnShape_Free(&shape);
    }
}

// ---- closest points ---------------------------------------------------------------------------------------

// Nearest of the points of a fine lattice on all triangles that are visited.
typedef struct Lattice {
    cnVec3 point;
    double min;
    double spacing; // the largest of all triangles
} Lattice;

static bool sample_triangle(const cnTriangle* triangle, void* context) {
    Lattice* lattice = context;
    enum {
        pieces = 12
    };
    cnVec3 e1 = cnSub(triangle->corners[1], triangle->corners[0]);
    cnVec3 e2 = cnSub(triangle->corners[2], triangle->corners[0]);
    double longest = fmax(cnLength(e1), fmax(cnLength(e2), cnLength(cnSub(e1, e2))));
    lattice->spacing = fmax(lattice->spacing, longest / pieces);
    for (int a = 0; a <= pieces; ++a) {
        for (int b = 0; a + b <= pieces; ++b) {
            cnVec3 p =
                cnMulAdd(cnMulAdd(triangle->corners[0], (double)a / pieces, e1), (double)b / pieces, e2);
            double distance = cnLength(cnSub(p, lattice->point));
            lattice->min = fmin(lattice->min, distance);
        }
    }
    return true;
}

static void closest_points_are_those_of_samples(void** state) {
    (void)state;
    randomState = 13;
    const cnBounds all = {{-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}};
    int inside = 0, outside = 0;
    for (int round = 0; round < CASES(100); ++round) {
        cnShapeDef def = random_def(round % 2 == 0);
        cnShape shape = make_shape(def);
        double bottom = bottom_of(&def);
        for (int k = 0; k < 10; ++k) {
            cnVec3 p = point_around(&def, 0.3);
            bool isUnder =
                !def.dynamic && p.z < bottom && fabs(p.x) <= 0.5 * def.sizeX && fabs(p.y) <= 0.5 * def.sizeY;
            Lattice lattice = {p, INFINITY, 0.0};
            cnShape_VisitTriangles(&shape, all, sample_triangle, &lattice);
            cnSurfacePoint found;
            bool has = cnShape_FindClosest(&shape, p, INFINITY, &found);
            assert_int_equal(has, !isUnder);
            if (isUnder) {
                continue;
            }
            bool isSolid = is_solid(&def, bottom, p);
            inside += isSolid;
            outside += !isSolid;
            assert_near(fabs(found.distance), cnLength(cnSub(p, found.point)), 1e-12);
            assert_true(isSolid == (found.distance < 0.0));
            assert_true(fabs(found.distance) <= lattice.min + 1e-9);
            assert_true(fabs(found.distance) >= lattice.min - lattice.spacing);
            assert_near(cnLength(found.normal), 1.0, 1e-12);
            cnVec3 back = cnMulAdd(p, -found.distance, found.normal);
            assert_near(cnLength(cnSub(back, found.point)), 0.0, 1e-6);

            // the reach ends right there
            double distance = fabs(found.distance);
            assert_true(cnShape_FindClosest(&shape, p, distance * (1.0 + 1e-9) + 1e-12, &found));
            assert_false(cnShape_FindClosest(&shape, p, distance * (1.0 - 1e-9) - 1e-12, &found) &&
                         distance > 1e-9);
        }
        cnShape_Free(&shape);
    }
    assert_true(inside > CASES(100) && outside > CASES(100));
}

// ---- triangles --------------------------------------------------------------------------------------------

typedef struct Gathered {
    cnTriangle* triangles;
    int count;
    int max; // the visit ends there
} Gathered;

static bool gather(const cnTriangle* triangle, void* context) {
    Gathered* gathered = context;
    gathered->triangles[gathered->count++] = *triangle;
    return gathered->count < gathered->max;
}

static Gathered gather_all(const cnShape* shape, cnBounds bounds) {
    Gathered gathered = {.max = 3 * maxCount * maxCount};
    gathered.triangles = calloc((size_t)gathered.max, sizeof *gathered.triangles);
    cnShape_VisitTriangles(shape, bounds, gather, &gathered);
    return gathered;
}

static bool overlaps(const cnTriangle* t, cnBounds bounds) {
    cnVec3 lower = cnMinVec(t->corners[0], cnMinVec(t->corners[1], t->corners[2]));
    cnVec3 upper = cnMaxVec(t->corners[0], cnMaxVec(t->corners[1], t->corners[2]));
    return lower.x <= bounds.upper.x && upper.x >= bounds.lower.x && lower.y <= bounds.upper.y &&
           upper.y >= bounds.lower.y && lower.z <= bounds.upper.z && upper.z >= bounds.lower.z;
}

static int compare_edges(const void* a, const void* b) {
    const uint32_t* x = a;
    const uint32_t* y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : x[1] > y[1]);
}

// Every edge inside is seen by two triangles, which name each other's normals and agree on its kind.
static void check_edges(const Gathered* all, bool closed) {
    int count = 3 * all->count;
    uint32_t(*edges)[2] = calloc((size_t)count, sizeof *edges);
    for (int k = 0; k < count; ++k) {
        edges[k][0] = all->triangles[k / 3].edges[k % 3];
        edges[k][1] = (uint32_t)k;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int k = 0; k < count;) {
        int end = k;
        while (end < count && edges[end][0] == edges[k][0]) {
            end += 1;
        }
        const cnTriangle* a = &all->triangles[edges[k][1] / 3];
        int edgeA = (int)(edges[k][1] % 3);
        if (end - k == 1) {
            assert_false(closed);
            assert_int_equal(a->edgeKinds[edgeA], cn_edgeBoundary);
            assert_memory_equal(&a->neighbourNormals[edgeA], &a->normal, sizeof a->normal);
        } else if (end - k == 2) {
            const cnTriangle* b = &all->triangles[edges[k + 1][1] / 3];
            int edgeB = (int)(edges[k + 1][1] % 3);
            assert_int_equal(a->vertices[edgeA], b->vertices[(edgeB + 1) % 3]);
            assert_int_equal(b->vertices[edgeB], a->vertices[(edgeA + 1) % 3]);
            assert_memory_equal(&a->neighbourNormals[edgeA], &b->normal, sizeof a->normal);
            assert_memory_equal(&b->neighbourNormals[edgeB], &a->normal, sizeof a->normal);
            assert_int_equal(a->edgeKinds[edgeA], b->edgeKinds[edgeB]);
            // what rises is concave
            cnVec3 opposite = b->corners[(edgeB + 2) % 3];
            double rise = cnDot(a->normal, cnSub(opposite, a->corners[edgeA]));
            assert_true(a->edgeKinds[edgeA] != cn_edgeConcave || rise > 0.0);
            assert_true(a->edgeKinds[edgeA] != cn_edgeConvex || rise < 0.0);
        } else {
            // a side of the bottom, with the walls above it
            assert_true(closed);
            for (int m = k; m < end; ++m) {
                assert_int_equal(all->triangles[edges[m][1] / 3].edgeKinds[edges[m][1] % 3], cn_edgeConvex);
            }
        }
        k = end;
    }
    free(edges);
}

static void triangles_know_their_neighbours(void** state) {
    (void)state;
    randomState = 14;
    const cnBounds all = {{-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}};
    for (int round = 0; round < CASES(100); ++round) {
        cnShapeDef def = random_def(round % 2 == 0);
        cnShape shape = make_shape(def);
        Gathered every = gather_all(&shape, all);
        int surface = 2 * (def.columnCount - 1) * (def.rowCount - 1);
        int rim = 2 * (def.columnCount - 1) + 2 * (def.rowCount - 1);
        assert_int_equal(every.count, surface + (def.dynamic ? 2 * rim + 2 : 0));
        check_edges(&every, def.dynamic);

        // six times the volume of a closed surface, from the triangles themselves
        double sixVolume = 0.0;
        for (int k = 0; k < every.count; ++k) {
            const cnTriangle* t = &every.triangles[k];
            cnVec3 normal = cnCross(cnSub(t->corners[1], t->corners[0]), cnSub(t->corners[2], t->corners[0]));
            assert_near(cnDot(normal, t->normal), cnLength(normal), 1e-12);
            sixVolume += cnDot(t->corners[0], cnCross(t->corners[1], t->corners[2]));
        }
        if (def.dynamic) {
            assert_near(shape.mass.volume, sixVolume / 6.0, 1e-9 * shape.mass.volume);
        }

        // a box meets those that overlap it, each once
        cnVec3 centre = point_around(&def, 0.1);
        cnVec3 half = cnAbs(random_vec(0.6));
        cnBounds box = {cnSub(centre, half), cnAdd(centre, half)};
        Gathered some = gather_all(&shape, box);
        int found = 0;
        for (int k = 0; k < every.count; ++k) {
            int times = 0;
            for (int m = 0; m < some.count; ++m) {
                times += some.triangles[m].index == every.triangles[k].index;
            }
            assert_true(times == 1 || (times == 0 && !overlaps(&every.triangles[k], box)));
            found += times;
        }
        assert_int_equal(found, some.count);

        // a visit ends when the visitor says so
        Gathered one = {.max = 1, .triangles = every.triangles};
        cnShape_VisitTriangles(&shape, all, gather, &one);
        assert_int_equal(one.count, 1);
        free(every.triangles);
        free(some.triangles);
        cnShape_Free(&shape);
    }
}

// A direction is free at a vertex where no edge of the triangles around it rises along it.
static void vertices_are_free_where_no_edge_rises(void** state) {
    (void)state;
    randomState = 15;
    const cnBounds all = {{-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}};
    int freeCount = 0;
    for (int round = 0; round < CASES(60); ++round) {
        cnShapeDef def = random_def(round % 2 == 0);
        cnShape shape = make_shape(def);
        Gathered every = gather_all(&shape, all);
        for (int k = 0; k < 60; ++k) {
            const cnTriangle* near = &every.triangles[(int)random_in(0.0, every.count)];
            int corner = (int)random_in(0.0, 3.0);
            int vertex = near->vertices[corner];
            cnVec3 direction = cnNormalize(cnAdd(near->normal, random_vec(0.4)));
            bool isFree = true;
            double closest = INFINITY;
            for (int m = 0; m < 3 * every.count; ++m) {
                const cnTriangle* t = &every.triangles[m / 3];
                if (t->vertices[m % 3] != vertex) {
                    continue;
                }
                for (int to = 1; to < 3; ++to) {
                    cnVec3 along = cnSub(t->corners[(m % 3 + to) % 3], t->corners[m % 3]);
                    double rise = cnDot(along, direction) / cnLength(along);
                    isFree = isFree && rise <= 1e-3;
                    closest = fmin(closest, fabs(rise - 1e-3));
                }
            }
            if (closest > 2e-3) {
                assert_int_equal(shape.kind->isFreeAtVertex(&shape, vertex, direction), isFree);
                freeCount += isFree;
            }
        }
        free(every.triangles);
        cnShape_Free(&shape);
    }
    assert_true(freeCount > CASES(60));
}

// ---- mass -------------------------------------------------------------------------------------------------

static cnMassProperties mass_of(cnShapeDef def) {
    cnMassProperties mass;
    def.type = cn_heightField;
    def.dynamic = true;
    def.heightCount = def.columnCount * def.rowCount;
    assert_int_equal(cnComputeMassProperties(&def, 2.0, &mass), CN_ERROR_NONE);
    return mass;
}

static void expect_mass(cnMassProperties mass, double expected, cnVec3 centre, cnMat33 inertia) {
    double tolerance = 1e-12 * expected;
    assert_near(mass.mass, expected, tolerance);
    assert_near(cnLength(cnSub(mass.centre, centre)), 0.0, 1e-12);
    const double* a = &mass.inertia.x.x;
    const double* b = &inertia.x.x;
    for (int k = 0; k < 9; ++k) {
        assert_near(a[k], b[k], 10.0 * tolerance);
    }
}

static void masses_have_closed_forms(void** state) {
    (void)state;
    static double heights[37 * 23];

    // a slab 3 x 2 x 0.5 between 1 and 1.5, of 2 kg/m³
    for (int k = 0; k < 37 * 23; ++k) {
        heights[k] = 1.5;
    }
    cnShapeDef def = {
        .columnCount = 37, .rowCount = 23, .sizeX = 3.0, .sizeY = 2.0, .heights = heights, .minHeight = 1.0};
    double m = 6.0;
    expect_mass(mass_of(def), m, cnVec(0.0, 0.0, 1.25),
                cnDiagonal(cnScale(m / 12.0, cnVec(4.0 + 0.25, 9.0 + 0.25, 9.0 + 4.0))));

    // a wedge that rises along x from minHeight = −1 to 0: a right triangle of legs 3 and 1, 2 long
    for (int j = 0; j < 23; ++j) {
        for (int i = 0; i < 37; ++i) {
            heights[j * 37 + i] = (double)i / 36.0 - 1.0;
        }
    }
    def.minHeight = -1.0;
    m = 6.0;
    cnMat33 wedge = cnDiagonal(
        cnVec(m * (1.0 / 18.0 + 4.0 / 12.0), m * (9.0 / 18.0 + 1.0 / 18.0), m * (9.0 / 18.0 + 4.0 / 12.0)));
    wedge.x.z = wedge.z.x = -m * 3.0 / 36.0; // ∫xz about the centroid is m·base·height/36
    expect_mass(mass_of(def), m, cnVec(0.5, 0.0, -1.0 + 1.0 / 3.0), wedge);

    // a pyramid over a square of side 2 and 3 high: level lines are the squares max(|x|, |y|), which the grid
    // holds where the diagonals x = y are its own; those of x = −y are cut flat, one cell each
    enum {
        side = 41
    };
    static double pyramid[side * side];
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            int far = abs(2 * i - (side - 1)) > abs(2 * j - (side - 1)) ? abs(2 * i - (side - 1))
                                                                        : abs(2 * j - (side - 1));
            pyramid[j * side + i] = 3.0 * (1.0 - (double)far / (side - 1));
        }
    }
    cnShapeDef pile = {.columnCount = side, .rowCount = side, .sizeX = 2.0, .sizeY = 2.0, .heights = pyramid};
    cnMassProperties mass = mass_of(pile);
    // each cell of the diagonal x = −y loses the tetrahedron above its cut: base half a cell,
    // height a step of 3/20
    int half = (side - 1) / 2;
    double cell = 2.0 / (side - 1), step = 3.0 / half;
    double lost = 2.0 * (side - 1) * (0.5 * cell * cell) * step / 3.0;
    assert_near(mass.mass, 2.0 * 4.0 * 3.0 / 3.0 - lost, 1e-12);
    double whole = 8.0;
    assert_near(mass.centre.z, 0.75, 3.0 * lost / whole);
    assert_near(mass.inertia.z.z, whole * 4.0 / 10.0, 4.0 * lost);
    assert_near(mass.inertia.x.x, whole * (4.0 / 20.0 + 9.0 * 3.0 / 80.0), 4.0 * lost);
    assert_near(mass.inertia.y.y, mass.inertia.x.x, 1e-12);

    // a static field has none
    pile.type = cn_heightField;
    pile.heightCount = side * side;
    assert_int_equal(cnComputeMassProperties(&pile, 2.0, &mass), CN_ERROR_NONE);
    assert_true(mass.mass == 0.0);
}

// ---- changes ----------------------------------------------------------------------------------------------

static void updates_equal_a_fresh_build(void** state) {
    (void)state;
    randomState = 16;
    static double region[maxCount * maxCount];
    for (int round = 0; round < CASES(100); ++round) {
        cnShapeDef def = random_def(round % 2 == 0);
        cnShape changed, fresh;
        changed = make_shape(def);
        for (int k = 0; k < 10; ++k) {
            int i0 = (int)random_in(0.0, def.columnCount), j0 = (int)random_in(0.0, def.rowCount);
            int i1 = (int)random_in(i0, def.columnCount), j1 = (int)random_in(j0, def.rowCount);
            int count = 0;
            for (int j = j0; j <= j1; ++j) {
                for (int i = i0; i <= i1; ++i) {
                    double h = random_in(-0.2, 6.0);
                    region[count++] = heightsBuffer[j * def.columnCount + i] = h;
                }
            }
            cnFieldRegion where = {i0, i1, j0, j1};
            assert_true(cnHeightField_CheckRegion(changed.field, where, "test"));
            assert_int_equal(cnHeightField_Write(&changed, where, region, count, "test"), CN_ERROR_NONE);
        }
        fresh = make_shape(def);
        assert_memory_equal(&changed.bounds, &fresh.bounds, sizeof fresh.bounds);
        assert_memory_equal(&changed.mass, &fresh.mass, sizeof fresh.mass);
        assert_memory_equal(&changed.centre, &fresh.centre, sizeof fresh.centre);
        assert_true(changed.boundingRadius == fresh.boundingRadius);
        assert_true(changed.inradius == fresh.inradius);
        const cnHeightField* f = fresh.field;
        size_t bytes = f->bytes - sizeof *f;
        assert_int_equal(changed.field->bytes, f->bytes);
        assert_memory_equal(changed.field + 1, f + 1, bytes);
        cnShape_Free(&fresh);
        cnShape_Free(&changed);
    }
}

static void bounds_are_tight(void** state) {
    (void)state;
    const double heights[6] = {1.0, 2.0, 3.0, -0.5, 0.25, 0.5};
    cnShapeDef def = field_of(3, 2, 4.0, 2.0, heights);
    def.bottomMargin = 0.25;
    cnBounds bounds;
    cnPose pose = {{1.0, 2.0, 3.0}, cnQuat_identity};
    assert_int_equal(cnComputeBounds(&def, pose, &bounds), CN_ERROR_NONE);
    assert_near(cnLength(cnSub(bounds.lower, cnVec(-1.0, 1.0, 2.25))), 0.0, 1e-15);
    assert_near(cnLength(cnSub(bounds.upper, cnVec(3.0, 3.0, 6.0))), 0.0, 1e-15);
    def.bottomMargin = 0.0;
    assert_int_equal(cnComputeBounds(&def, pose, &bounds), CN_ERROR_NONE);
    assert_near(bounds.lower.z, 1.5, 0.0);
    def.bottomMarginGiven = true;
    assert_int_equal(cnComputeBounds(&def, pose, &bounds), CN_ERROR_NONE);
    assert_near(bounds.lower.z, 2.5, 0.0);
    def.dynamic = true;
    def.minHeight = -1.0;
    assert_int_equal(cnComputeBounds(&def, pose, &bounds), CN_ERROR_NONE);
    assert_near(bounds.lower.z, 2.0, 0.0);
}

static void wrong_definitions_are_rejected(void** state) {
    (void)state;
    double heights[4] = {0.0, 1.0, 2.0, 3.0};
    const cnShapeDef good = field_of(2, 2, 1.0, 1.0, heights);
    cnShapeDef def = good;
    def.columnCount = 1;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "columnCount", "is 1, allowed are 2 to 16384");
    def = good;
    def.rowCount = 16385;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "rowCount", "is 16385");
    def = good;
    def.sizeX = 0.0;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "sizeX", "allowed is > 0");
    def.sizeX = 1e-31;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "sizeX", "1e-30");
    def = good;
    def.sizeY = NAN;
    assert_shape_rejected(def, CN_ERROR_NOT_FINITE, "sizeY", "finite");
    def = good;
    def.heights = NULL;
    assert_shape_rejected(def, CN_ERROR_NULL_ARGUMENT, "heights", "null");
    def = good;
    def.heightCount = 3;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "heights", "has 3 numbers, allowed are 4");
    def = good;
    def.bottomMargin = -1.0;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "bottomMargin", "allowed is >= 0");
    def = good;
    def.dynamic = true;
    def.minHeight = 0.5;
    assert_shape_rejected(def, CN_ERROR_OUT_OF_RANGE, "heights[0]", "minHeight = 0.5 m or more");
    def.minHeight = INFINITY;
    assert_shape_rejected(def, CN_ERROR_NOT_FINITE, "minHeight", "finite");
    heights[2] = NAN;
    assert_shape_rejected(good, CN_ERROR_NOT_FINITE, "heights[2]", "finite");
    heights[2] = 2e30;
    assert_shape_rejected(good, CN_ERROR_OUT_OF_RANGE, "heights[2]", "up to 1e30");
    heights[0] = heights[1] = heights[2] = heights[3] = 0.0;
    def = good;
    def.dynamic = true;
    assert_shape_rejected(def, CN_ERROR_DEGENERATE_SHAPE, "heights", "minHeight = 0 m");

    // changes: nothing is touched when one is refused
    cnShape shape = make_shape(good);
    const double change[4] = {5.0, 6.0, INFINITY, 8.0};
    assert_false(cnHeightField_CheckRegion(shape.field, (cnFieldRegion){0, 2, 0, 1}, "test"));
    assert_false(cnHeightField_CheckRegion(shape.field, (cnFieldRegion){1, 0, 0, 1}, "test"));
    assert_false(cnHeightField_CheckRegion(shape.field, (cnFieldRegion){0, 1, -1, 1}, "test"));
    cnFieldRegion all = {0, 1, 0, 1};
    assert_int_equal(cnHeightField_Write(&shape, all, change, 4, "test"), CN_ERROR_NOT_FINITE);
    assert_int_equal(cnHeightField_Write(&shape, all, change, 2, "test"), CN_ERROR_OUT_OF_RANGE);
    assert_memory_equal(shape.field->heights, heights, sizeof heights);
    cnShape_Free(&shape);
}

// ---- in a world -------------------------------------------------------------------------------------------

// A geometry of a shape that is changed later on.
static void add_field(cnWorldId world, cnBodyId body, cnShapeId field) {
    cnShapeInstance instance = {.shape = field};
    assert_made(
        cnCreateGeometry(world, &(cnGeometryDef){.body = body, .shapes = &instance, .shapeCount = 1}));
}

static cnBodyId add_ball(cnWorldId world, cnVec3 position) {
    return add_body(world, (cnBodyDef){.position = position}, sphere_of(0.5), defaultMaterial);
}

static cnShapeId add_flat_field(cnWorldId world) {
    static double flat[33 * 33];
    cnShapeDef def = field_of(33, 33, 16.0, 16.0, flat);
    cnShapeId shape = cnCreateShape(world, &def);
    add_field(world, (cnBodyId){0}, shape);
    return shape;
}

static void what_rests_on_it_follows(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnShapeId field = add_flat_field(world);
    cnBodyId near = add_ball(world, cnVec(-4.1, -4.2, 0.5));
    cnBodyId far = add_ball(world, cnVec(4.1, 4.2, 0.5));
    step_world(world, 60);
    assert_near(cnBody_GetPosition(world, near).z, 0.5, 1e-4);

    // a pit below one ball, not below the other: the first falls, the second stays where it is
    double pit[17 * 17];
    for (int k = 0; k < 17 * 17; ++k) {
        pit[k] = -2.0;
    }
    double before = cnBody_GetPosition(world, far).z;
    assert_int_equal(cnHeightField_SetHeights(world, field, 0, 16, 0, 16, pit, 17 * 17), CN_ERROR_NONE);
    assert_near(cnHeightField_GetHeight(world, field, 16, 16), -2.0, 0.0);
    assert_near(cnHeightField_GetHeight(world, field, 17, 16), 0.0, 0.0);
    step_world(world, 15);
    assert_near(cnBody_GetPosition(world, near).z, 0.5 - 0.5 * 9.80665 / 16.0, 0.03);
    step_world(world, 165);
    assert_near(cnBody_GetPosition(world, near).z, -1.5, 1e-3);
    assert_near(cnBody_GetPosition(world, far).z, before, 1e-4);

    // a plateau below both, a little each step: they rise with it
    for (int step = 1; step <= 120; ++step) {
        static double plateau[33 * 33];
        for (int k = 0; k < 33 * 33; ++k) {
            plateau[k] = -2.0 + 0.01 * step;
        }
        assert_int_equal(cnHeightField_SetHeights(world, field, 0, 32, 0, 32, plateau, 33 * 33),
                         CN_ERROR_NONE);
        step_world(world, 1);
    }
    step_world(world, 120);
    assert_near(cnBody_GetPosition(world, near).z, -0.3, 1e-3);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// Weightless, five metres above: a spike that is raised there is met, which needs new bounds in
// the broad phase.
static void bounds_in_the_world_follow(void** state) {
    (void)state;
    cnWorldId world = make_world(weightless);
    cnShapeId field = add_flat_field(world);
    cnBodyId ball = add_ball(world, cnVec(0.0, 0.0, 5.0));
    step_world(world, 5);
    assert_near(cnBody_GetPosition(world, ball).z, 5.0, 0.0);
    assert_int_equal(cnHeightField_SetHeight(world, field, 16, 16, 4.6), CN_ERROR_NONE);
    step_world(world, 60);
    assert_true(cnBody_GetPosition(world, ball).z > 5.05);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

// A dynamic field is a solid: it lies on its bottom, and weighs what its heights say.
static void a_dynamic_field_is_a_body(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    add_ground(world, defaultMaterial);
    double heights[5 * 4];
    for (int k = 0; k < 20; ++k) {
        heights[k] = 0.4;
    }
    cnShapeDef def = field_of(5, 4, 2.0, 1.5, heights);
    def.dynamic = true;
    def.minHeight = -0.1;
    cnShapeId shape = cnCreateShape(world, &def);
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {0.0, 0.0, 0.5}});
    add_field(world, body, shape);
    assert_near(cnBody_GetMass(world, body), 1000.0 * 2.0 * 1.5 * 0.5, 1e-9);
    step_world(world, 120);
    assert_near(cnBody_GetPosition(world, body).z, 0.1, 1e-3);
    assert_near(cnLength(cnBody_GetVelocity(world, body)), 0.0, 1e-3);

    // a ball lies on it
    cnBodyId ball = add_ball(world, cnVec(0.1, 0.2, 1.0));
    step_world(world, 120);
    assert_near(cnBody_GetPosition(world, ball).z, 1.0, 2e-3);

    // half as thick, half the mass
    for (int k = 0; k < 20; ++k) {
        heights[k] = 0.15;
    }
    assert_int_equal(cnHeightField_SetHeights(world, shape, 0, 4, 0, 3, heights, 20), CN_ERROR_NONE);
    assert_near(cnBody_GetMass(world, body), 1000.0 * 2.0 * 1.5 * 0.25, 1e-9);
    step_world(world, 120);
    assert_near(cnBody_GetPosition(world, body).z, 0.1, 1e-3);
    assert_near(cnBody_GetPosition(world, ball).z, 0.75, 2e-3);
    assert_int_equal(cnHeightField_SetHeight(world, shape, 0, 0, -0.2), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

static void wrong_changes_are_rejected(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnShapeId field = add_flat_field(world);
    cnShapeId ball = cnCreateShape(world, &(cnShapeDef){.type = cn_sphere, .radius = 0.5});
    double heights[4] = {1.0, 2.0, 3.0, 4.0};
    assert_int_equal(cnHeightField_SetHeight(world, ball, 0, 0, 1.0), CN_ERROR_OUT_OF_RANGE);
    assert_message_has("allowed is a height field");
    assert_int_equal(cnHeightField_SetHeight(world, field, 33, 0, 1.0), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnHeightField_SetHeight(world, field, 0, 0, NAN), CN_ERROR_NOT_FINITE);
    assert_int_equal(cnHeightField_SetHeights(world, field, 0, 1, 0, 1, heights, 3), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnHeightField_SetHeights(world, field, 0, 1, 0, 1, NULL, 4), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnHeightField_SetHeights(world, field, 1, 0, 0, 1, heights, 4), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnHeightField_GetHeights(world, field, 0, 1, 0, 1, heights, 5), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnHeightField_SetHeights(world, field, 31, 32, 4, 5, heights, 4), CN_ERROR_NONE);
    double read[6] = {0.0};
    assert_int_equal(cnHeightField_GetHeights(world, field, 30, 32, 4, 5, read, 6), CN_ERROR_NONE);
    const double expected[6] = {0.0, 1.0, 2.0, 0.0, 3.0, 4.0};
    assert_memory_equal(read, expected, sizeof read);
    assert_int_equal(cnReleaseShape(world, field), CN_ERROR_NONE);
    assert_int_equal(cnHeightField_SetHeight(world, field, 0, 0, 1.0), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

int main(void) {
    return run_all(rays_enter_where_marching_does, no_ray_leaks_at_edges, closest_points_are_those_of_samples,
                   triangles_know_their_neighbours, vertices_are_free_where_no_edge_rises,
                   masses_have_closed_forms, updates_equal_a_fresh_build, bounds_are_tight,
                   wrong_definitions_are_rejected, what_rests_on_it_follows, bounds_in_the_world_follow,
                   a_dynamic_field_is_a_body, wrong_changes_are_rejected);
}
