// Mesh tools: cuts that lose no volume, pieces that cover their mesh, reduced meshes that stay what they
// were, shapes that hold their points and are as small as an exhaustive search finds them.
#include "assets/mesh_tools/cut_part.h"
#include "cairn/mesh_tools.h"
#include "geometry/hull.h"
#include "helpers.h"

// ---- meshes -----------------------------------------------------------------------------------------------

typedef struct Mesh {
    cnVec3 vertices[8192];
    int32_t triangles[3 * 8192];
    int vertexCount, triangleCount;
} Mesh;

static Mesh mesh;

static void start_mesh(void) {
    mesh.vertexCount = mesh.triangleCount = 0;
}

static int add_vertex(double x, double y, double z) {
    mesh.vertices[mesh.vertexCount] = cnVec(x, y, z);
    return mesh.vertexCount++;
}

static void add_triangle(int a, int b, int c) {
    int32_t* corners = mesh.triangles + 3 * mesh.triangleCount++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

static void add_box(cnVec3 lower, cnVec3 upper) {
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int first = mesh.vertexCount;
    for (int i = 0; i < 8; ++i) {
        add_vertex((i & 1) != 0 ? upper.x : lower.x, (i & 2) != 0 ? upper.y : lower.y,
                   (i & 4) != 0 ? upper.z : lower.z);
    }
    for (int i = 0; i < 12; ++i) {
        add_triangle(first + faces[i][0], first + faces[i][1], first + faces[i][2]);
    }
}

static void add_torus(double ring, double tube, int around, int across) {
    int first = mesh.vertexCount;
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            double a = 2.0 * CN_PI * i / around, b = 2.0 * CN_PI * j / across;
            add_vertex((ring + tube * cnCos(b)) * cnCos(a), (ring + tube * cnCos(b)) * cnSin(a),
                       tube * cnSin(b));
        }
    }
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            int k = (i + 1) % around, l = (j + 1) % across;
            int a = first + i * across + j, b = first + k * across + j;
            int c = first + k * across + l, d = first + i * across + l;
            add_triangle(a, b, c);
            add_triangle(a, c, d);
        }
    }
}

// A profile of radii and heights, closed, turned about z. Radius 0 gives one vertex.
static void add_revolved(const double (*profile)[2], int count, int around) {
    int rows[16];
    for (int i = 0; i < count; ++i) {
        rows[i] = mesh.vertexCount;
        for (int k = 0; k < (profile[i][0] > 0.0 ? around : 1); ++k) {
            double a = 2.0 * CN_PI * k / around;
            add_vertex(profile[i][0] * cnCos(a), profile[i][0] * cnSin(a), profile[i][1]);
        }
    }
    for (int i = 0; i < count; ++i) {
        int next = (i + 1) % count;
        for (int k = 0; k < around; ++k) {
            int l = (k + 1) % around;
            int a = rows[i] + (profile[i][0] > 0.0 ? k : 0), b = rows[i] + (profile[i][0] > 0.0 ? l : 0);
            int c = rows[next] + (profile[next][0] > 0.0 ? l : 0),
                d = rows[next] + (profile[next][0] > 0.0 ? k : 0);
            if (a != b) {
                add_triangle(a, b, c);
            }
            if (c != d) {
                add_triangle(a, c, d);
            }
        }
    }
}

static void add_cup(void) {
    static const double profile[6][2] = {{0, 0}, {1, 0}, {1, 2}, {0.9, 2}, {0.9, 0.1}, {0, 0.1}};
    add_revolved(profile, 6, 32);
}

// A prism over an L or a U, from a table of corners and triangles of the outline.
static void add_prism(const double (*outline)[2], int count, const int (*faces)[3], int faceCount) {
    int first = mesh.vertexCount;
    for (int i = 0; i < 2 * count; ++i) {
        add_vertex(outline[i % count][0], outline[i % count][1], i < count ? 0.0 : 1.0);
    }
    for (int i = 0; i < faceCount; ++i) {
        add_triangle(first + faces[i][0], first + faces[i][2], first + faces[i][1]);
        add_triangle(first + count + faces[i][0], first + count + faces[i][1], first + count + faces[i][2]);
    }
    for (int i = 0; i < count; ++i) {
        int next = (i + 1) % count;
        add_triangle(first + i, first + next, first + count + next);
        add_triangle(first + i, first + count + next, first + count + i);
    }
}

static void add_l(void) {
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 0.5}, {0.5, 0.5}, {0.5, 3}, {0, 3}};
    static const int faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    add_prism(outline, 6, faces, 4);
}

static void add_u(void) {
    static const double outline[8][2] = {{0, 0},     {3, 0},     {3, 3},   {2.5, 3},
                                         {2.5, 0.5}, {0.5, 0.5}, {0.5, 3}, {0, 3}};
    static const int faces[6][3] = {{0, 1, 4}, {1, 2, 3}, {1, 3, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 7}};
    add_prism(outline, 8, faces, 6);
}

static void move_mesh(cnQuat rotation, double scale, cnVec3 offset) {
    for (int i = 0; i < mesh.vertexCount; ++i) {
        mesh.vertices[i] = cnMulAdd(offset, scale, cnRotate(rotation, mesh.vertices[i]));
    }
}

static cnMeshView view_of_mesh(void) {
    return (cnMeshView){mesh.vertices, mesh.vertexCount, mesh.triangles, mesh.triangleCount};
}

static double volume_of(cnMeshView view) {
    double volume = 0.0;
    cnVec3 origin = view.vertices[view.triangles[0]];
    for (int i = 0; i < view.triangleCount; ++i) {
        const int32_t* t = view.triangles + 3 * i;
        volume += cnDot(cnSub(view.vertices[t[0]], origin),
                        cnCross(cnSub(view.vertices[t[1]], origin), cnSub(view.vertices[t[2]], origin))) /
                  6.0;
    }
    return volume;
}

// ---- decomposing ------------------------------------------------------------------------------------------

static cnDecompositionReport report;
static cnHull* hulls[1024];

static void free_hulls(void) {
    for (int i = 0; i < report.hullCount; ++i) {
        cnHull_Free(hulls[i]);
    }
    report.hullCount = 0;
}

static double diagonal_of_mesh(void) {
    cnVec3 lower = mesh.vertices[0], upper = lower;
    for (int i = 0; i < mesh.vertexCount; ++i) {
        lower = cnMinVec(lower, mesh.vertices[i]);
        upper = cnMaxVec(upper, mesh.vertices[i]);
    }
    return cnLength(cnSub(upper, lower));
}

// How far a point lies outside of all hulls.
static double excess_of(cnVec3 point) {
    double least = 1e300;
    for (int i = 0; i < report.hullCount; ++i) {
        double excess = -1e300;
        for (int face = 0; face < hulls[i]->faceCount; ++face) {
            excess =
                cnMax(excess, cnDot(hulls[i]->planes[face].normal, point) - hulls[i]->planes[face].offset);
        }
        least = cnMin(least, excess);
    }
    return least;
}

// Runs a decomposition and holds its result against what the report says of it: every corner of a hull is one
// of its hull, volumes add up, the surface of the mesh is covered.
static void decompose(cnDecompositionDef def) {
    free_hulls();
    cnMeshView view = view_of_mesh();
    cnDecomposition* d;
    assert_ok(cnBeginDecomposition(&view, &def, &d));
    double progress = 0.0;
    for (int calls = 0; progress < 1.0; ++calls) {
        double before = progress;
        assert_ok(cnDecomposition_Advance(d, &progress));
        assert_true(progress >= before && progress <= 1.0);
        assert_true(calls < 1000000);
    }
    assert_ok(cnDecomposition_GetReport(d, &report));
    assert_in_range(report.hullCount, 1, def.maxHulls > 0 ? (unsigned)def.maxHulls : 32u);
    double sum = 0.0;
    for (int i = 0; i < report.hullCount; ++i) {
        const cnVec3* vertices;
        int count;
        assert_ok(cnDecomposition_GetHull(d, i, &vertices, &count));
        assert_in_range(count, 4, def.maxVertices > 0 ? (unsigned)def.maxVertices : 256u);
        assert_ok(cnHull_Build(&hulls[i], vertices, count, "decompose"));
        assert_int_equal(hulls[i]->vertexCount, count);
        assert_true(cnHull_Validate(hulls[i]));
        double volume;
        cnVec3 centre;
        cnMat33 inertia;
        assert_ok(cnHull_ComputeMass(hulls[i], &volume, &centre, &inertia));
        sum += volume;
    }
    double diagonal = diagonal_of_mesh();
    assert_near(sum, report.hullVolume, 1e-9 * diagonal * diagonal * diagonal);
    double uncovered = 0.0;
    for (int i = 0; i < mesh.triangleCount; ++i) {
        const int32_t* t = mesh.triangles + 3 * i;
        cnVec3 middle = cnAdd(mesh.vertices[t[0]], cnAdd(mesh.vertices[t[1]], mesh.vertices[t[2]]));
        uncovered = cnMax(uncovered, excess_of(cnScale(1.0 / 3.0, middle)));
        uncovered = cnMax(uncovered, excess_of(mesh.vertices[t[0]]));
    }
    assert_true(report.uncovered <= 0.005 * diagonal);
    assert_true(uncovered <= report.uncovered + 1e-6 * diagonal);
    cnEndDecomposition(d);
}

static void convex_meshes_stay_whole(void** state) {
    (void)state;
    start_mesh();
    add_box(cnVec(0, 0, 0), cnVec(1, 2, 3));
    decompose((cnDecompositionDef){0});
    assert_int_equal(report.hullCount, 1);
    assert_int_equal(hulls[0]->vertexCount, 8);
    assert_near(report.volumeRatio, 1.0, 1e-9);
    assert_near(report.volume, 6.0, 1e-9);
    assert_near(report.error, 0.0, 1e-9);
    assert_true(report.withinBounds);

    // a ball of 30 × 15 quads
    start_mesh();
    double profile[16][2];
    for (int i = 0; i < 16; ++i) {
        profile[i][0] = i == 0 || i == 15 ? 0.0 : cnSin(CN_PI * i / 15.0);
        profile[i][1] = -cnCos(CN_PI * i / 15.0);
    }
    add_revolved((const double(*)[2])profile, 16, 30);
    decompose((cnDecompositionDef){.maxVertices = 4096});
    assert_int_equal(report.hullCount, 1);
    assert_near(report.volumeRatio, 1.0, 1e-6);
}

// Shapes of boxes come apart into these boxes, however they are placed and whatever their size is.
static void shapes_of_boxes_come_apart_exactly(void** state) {
    (void)state;
    static const double scales[3] = {1.0, 1e-6, 1e9};
    for (int i = 0; i < 12; ++i) {
        cnQuat rotation = i < 3 ? cnQuat_identity : random_rotation();
        double scale = scales[i % 3];
        cnVec3 offset = cnScale(scale, i < 6 ? cnVec3_zero : random_vec(1000.0));
        start_mesh();
        add_l();
        move_mesh(rotation, scale, offset);
        decompose((cnDecompositionDef){0});
        assert_int_equal(report.hullCount, 2);
        assert_near(report.volumeRatio, 1.0, 1e-6);

        start_mesh();
        add_u();
        move_mesh(rotation, scale, offset);
        decompose((cnDecompositionDef){0});
        assert_int_equal(report.hullCount, 3);
        assert_near(report.volumeRatio, 1.0, 1e-6);
        assert_true(report.error <= 1e-6 * scale);
    }
}

static void parts_stay_apart(void** state) {
    (void)state;
    start_mesh();
    for (int i = 0; i < 5; ++i) {
        add_box(cnVec(3.0 * i, 0, 0), cnVec(3.0 * i + 1.0, 1, 1));
    }
    decompose((cnDecompositionDef){0});
    assert_int_equal(report.hullCount, 5);
    assert_near(report.volumeRatio, 1.0, 1e-9);
    // fewer hulls than parts: neighbours share one
    decompose((cnDecompositionDef){.maxHulls = 2});
    assert_int_equal(report.hullCount, 2);
    assert_false(report.withinBounds);
    // the common hulls of two and three boxes: 4 + 7 m³
    assert_near(report.hullVolume, 11.0, 1e-6);
}

static void rings_keep_their_hole(void** state) {
    (void)state;
    start_mesh();
    add_torus(1.2, 0.3, 48, 24);
    double diagonal = diagonal_of_mesh();
    decompose((cnDecompositionDef){.maxHulls = 16});
    assert_true(report.withinBounds);
    assert_true(report.volumeRatio <= 1.10);
    assert_true(report.error <= 0.025 * diagonal);
    // the hole has a radius of 0.9 m; a chord of eight sectors reaches to 0.9 cos(22.5°) = 0.83 m
    for (int i = 0; i < 64; ++i) {
        double angle = 2.0 * CN_PI * i / 64.0;
        assert_true(excess_of(cnVec(0.8 * cnCos(angle), 0.8 * cnSin(angle), 0.0)) > 0.0);
    }
}

// Many corners of the pieces lie within some 1e-7 of one plane, where rounding folds hulls that are built
// carelessly.
static void tight_bounds_are_kept(void** state) {
    (void)state;
    start_mesh();
    add_torus(1.2, 0.3, 48, 24);
    for (int i = 0; i < 3; ++i) {
        double bound = i == 0 ? 0.02 : (i == 1 ? 0.03 : 0.05);
        decompose((cnDecompositionDef){.maxHulls = 64, .maxError = bound});
        assert_true(report.withinBounds && report.error <= bound);
        assert_true(report.uncovered <= 1e-6);
        move_mesh(random_rotation(), 1.0, cnVec3_zero);
    }
}

static void cups_stay_open(void** state) {
    (void)state;
    start_mesh();
    add_cup();
    decompose((cnDecompositionDef){0});
    assert_true(report.withinBounds);
    assert_true(report.volumeRatio <= 1.10);
    for (int i = 0; i < 32; ++i) {
        double angle = 2.0 * CN_PI * i / 32.0;
        assert_true(excess_of(cnVec(0.75 * cnCos(angle), 0.75 * cnSin(angle), 0.25)) > 0.0);
        assert_true(excess_of(cnVec(0.75 * cnCos(angle), 0.75 * cnSin(angle), 1.9)) > 0.0);
    }
}

static void faulty_meshes_are_used_as_far_as_they_can(void** state) {
    (void)state;
    // inside out, and one face turned over
    start_mesh();
    add_box(cnVec(0, 0, 0), cnVec(1, 1, 1));
    for (int i = 0; i < mesh.triangleCount; ++i) {
        int32_t* t = mesh.triangles + 3 * i;
        int32_t swap = t[0];
        t[0] = i == 5 ? t[0] : t[1];
        t[1] = i == 5 ? t[1] : swap;
    }
    decompose((cnDecompositionDef){0});
    assert_near(report.volume, 1.0, 1e-9);
    assert_int_equal(report.hullCount, 1);
    assert_true(report.turnedTriangles > 0);

    // a small hole is closed, a lid that is missing is not
    start_mesh();
    add_torus(1.2, 0.3, 48, 24);
    mesh.triangleCount -= 1;
    decompose((cnDecompositionDef){.maxHulls = 16});
    assert_int_equal(report.filledHoles, 1);
    assert_int_equal(report.sheets, 0);
    assert_true(report.withinBounds);

    start_mesh();
    add_box(cnVec(0, 0, 0), cnVec(1, 2, 3));
    memmove(mesh.triangles + 6, mesh.triangles + 12, sizeof(int32_t) * 30);
    mesh.triangleCount = 10;
    decompose((cnDecompositionDef){0});
    assert_int_equal(report.sheets, 1);
    assert_int_equal(report.hullCount, 5);
    assert_near(report.volumeRatio, 0.0, 0.0);
    assert_true(excess_of(cnVec(0.5, 1.0, 1.5)) > 0.0);
    decompose((cnDecompositionDef){.holeShare = 1.0, .holeShareGiven = true});
    assert_int_equal(report.sheets, 0);
    assert_int_equal(report.hullCount, 1);

    // one triangle alone; it gets the thickness asked
    start_mesh();
    add_vertex(0, 0, 0);
    add_vertex(1, 0, 0);
    add_vertex(0, 1, 0);
    add_triangle(0, 1, 2);
    decompose((cnDecompositionDef){.thickness = 0.02});
    assert_int_equal(report.hullCount, 1);
    assert_near(report.hullVolume, 0.01, 1e-9);
}

// A cavity is no part of the solid around it: the walls come apart, the cavity stays.
static void cavities_stay(void** state) {
    (void)state;
    start_mesh();
    add_box(cnVec(0, 0, 0), cnVec(4, 4, 4));
    int first = mesh.triangleCount;
    add_box(cnVec(1, 1, 1), cnVec(3, 3, 3));
    for (int i = first; i < mesh.triangleCount; ++i) {
        int32_t* t = mesh.triangles + 3 * i;
        int32_t swap = t[0];
        t[0] = t[1];
        t[1] = swap;
    }
    decompose((cnDecompositionDef){0});
    assert_near(report.volume, 56.0, 1e-6);
    assert_true(report.volumeRatio <= 1.10);
    assert_true(excess_of(cnVec(2, 2, 2)) > 0.5);
}

static void thousands_of_parts_fit_the_budget(void** state) {
    (void)state;
    start_mesh();
    for (int i = 0; i < 600; ++i) {
        cnVec3 at = random_vec(10.0);
        add_box(at, cnAdd(at, cnVec(0.1, 0.1, 0.1)));
    }
    decompose((cnDecompositionDef){.maxHulls = 8});
    assert_in_range(report.hullCount, 1, 8);
}

static void same_bits_again(void** state) {
    (void)state;
    start_mesh();
    add_torus(1.0, 0.4, 20, 12);
    cnMeshView view = view_of_mesh();
    uint64_t values[2];
    for (int run = 0; run < 2; ++run) {
        cnDecomposition* d;
        assert_ok(cnBeginDecomposition(&view, NULL, &d));
        for (double progress = 0.0; progress < 1.0;) {
            assert_ok(cnDecomposition_Advance(d, &progress));
        }
        cnDecompositionReport result;
        assert_ok(cnDecomposition_GetReport(d, &result));
        cnHash hash = cnHash_Start();
        for (int i = 0; i < result.hullCount; ++i) {
            const cnVec3* vertices;
            int count;
            assert_ok(cnDecomposition_GetHull(d, i, &vertices, &count));
            for (int k = 0; k < count; ++k) {
                cnHash_AddDouble(&hash, vertices[k].x);
                cnHash_AddDouble(&hash, vertices[k].y);
                cnHash_AddDouble(&hash, vertices[k].z);
            }
        }
        values[run] = hash.value;
        cnEndDecomposition(d);
    }
    assert_true(values[0] == values[1]);
}

// ---- cuts -------------------------------------------------------------------------------------------------

// Whatever planes a solid is cut by, the volumes of its pieces add up to its own, and each piece lies on its
// side.
static void cuts_lose_no_volume(void** state) {
    (void)state;
    for (int run = 0; run < CASES(100); ++run) {
        start_mesh();
        add_torus(0.35, 0.12, 16, 10);
        if (run % 3 == 0) {
            add_box(cnVec(0.2, -0.1, -0.1), cnVec(0.4, 0.1, 0.1)); // crosses the torus
        }
        cnCutPart parts[16] = {0};
        for (int i = 0; i < mesh.vertexCount; ++i) {
            assert_true(cnArray_Push(&parts[0].vertices, mesh.vertices[i]));
        }
        for (int i = 0; i < 3 * mesh.triangleCount; ++i) {
            assert_true(cnArray_Push(&parts[0].triangles, mesh.triangles[i]));
        }
        parts[0].isSolid = true;
        double whole = volume_of(view_of_mesh());
        assert_near(cnCutPart_FindVolume(&parts[0]), whole, 1e-12);
        cnCutPlane planes[12];
        int count = 1;
        for (int i = 0; i < 12; ++i) {
            // through vertices and along the axes of symmetry as well
            cnVec3 through = run % 2 == 0 ? mesh.vertices[random_int(mesh.vertexCount)] : random_vec(0.3);
            cnVec3 normal = i % 3 == 0 ? cnVec(0, 0, 1) : (i % 3 == 1 ? cnVec(1, 0, 0) : random_direction());
            planes[i] = (cnCutPlane){normal, cnDot(normal, through)};
            int index = random_int(count);
            cnCutPart left, right;
            cnCutOutcome outcome = cnCutPart_Cut(&parts[index], planes, i, &left, &right);
            assert_true(outcome != cn_cutNoMemory);
            if (outcome == cn_cutMissed) {
                continue;
            }
            assert_near(cnCutPart_FindVolume(&left) + cnCutPart_FindVolume(&right),
                        cnCutPart_FindVolume(&parts[index]), 1e-7);
            for (int k = 0; k < left.vertices.count; ++k) {
                assert_true(cnCutPlane_Distance(planes + i, left.vertices.data[k]) <= 1e-15);
            }
            for (int k = 0; k < right.vertices.count; ++k) {
                assert_true(cnCutPlane_Distance(planes + i, right.vertices.data[k]) >= -1e-15);
            }
            cnCutPart_Free(&parts[index]);
            parts[index] = left;
            parts[count++] = right;
        }
        double sum = 0.0;
        for (int i = 0; i < count; ++i) {
            sum += cnCutPart_FindVolume(&parts[i]);
            cnCutPart_Free(&parts[i]);
        }
        assert_near(sum, whole, 1e-6);
    }
}

// ---- reduction --------------------------------------------------------------------------------------------

// Reduces the mesh and puts the result in its place; the report.
static cnReductionReport reduce(cnReductionDef def) {
    cnMeshView view = view_of_mesh();
    cnReduction* r;
    assert_ok(cnBeginReduction(&view, &def, &r));
    for (double progress = 0.0; progress < 1.0;) {
        double before = progress;
        assert_ok(cnReduction_Advance(r, &progress));
        assert_true(progress >= before && progress <= 1.0);
    }
    cnReductionReport result;
    cnMeshView reduced;
    assert_ok(cnReduction_GetMesh(r, &reduced, &result));
    assert_int_equal(result.triangleCount, reduced.triangleCount);
    memcpy(mesh.vertices, reduced.vertices, sizeof(cnVec3) * (size_t)reduced.vertexCount);
    memcpy(mesh.triangles, reduced.triangles, 3 * sizeof(int32_t) * (size_t)reduced.triangleCount);
    mesh.vertexCount = reduced.vertexCount;
    mesh.triangleCount = reduced.triangleCount;
    cnEndReduction(r);
    return result;
}

static cnMeshReport check_closed(void) {
    cnShapeDef def = {.type = cn_trimesh,
                      .points = mesh.vertices,
                      .pointCount = mesh.vertexCount,
                      .triangles = mesh.triangles,
                      .triangleCount = mesh.triangleCount};
    cnMeshReport checked;
    assert_ok(cnCheckMesh(&def, true, &checked));
    assert_true(checked.closed && !checked.insideOut);
    assert_int_equal(checked.openEdges, 0);
    assert_int_equal(checked.nonManifoldEdges, 0);
    assert_int_equal(checked.inconsistentEdges, 0);
    assert_int_equal(checked.selfIntersections, 0);
    assert_int_equal(checked.zeroAreaTriangles, 0);
    return checked;
}

static void reduced_rings_stay_rings(void** state) {
    (void)state;
    for (int triangles = 1000; triangles >= 60; triangles /= 2) {
        start_mesh();
        add_torus(1.2, 0.3, 48, 24);
        double volume = volume_of(view_of_mesh());
        cnReductionReport result = reduce((cnReductionDef){.maxTriangles = triangles});
        assert_true(result.withinBounds);
        assert_in_range(mesh.triangleCount, (unsigned)triangles - 2, (unsigned)triangles);
        check_closed();
        // genus 1: V − E + F = 0 with E = 3 F / 2
        assert_int_equal(2 * mesh.vertexCount, mesh.triangleCount);
        assert_near(volume_of(view_of_mesh()), volume, triangles >= 500 ? 0.02 * volume : 0.25 * volume);
    }
}

static void flat_faces_lose_all_that_lies_in_them(void** state) {
    (void)state;
    // a box whose faces are cut to 8 × 8 squares, by the same numbers on both sides of an edge
    start_mesh();
    enum {
        squares = 8
    };
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = 0; side < 2; ++side) {
            int first = mesh.vertexCount;
            for (int i = 0; i <= squares; ++i) {
                for (int k = 0; k <= squares; ++k) {
                    double u = (double)i / squares, v = (double)k / squares, w = side;
                    add_vertex(axis == 0 ? w : (axis == 1 ? v : u), axis == 0 ? u : (axis == 1 ? w : v),
                               axis == 0 ? v : (axis == 1 ? u : w));
                }
            }
            for (int i = 0; i < squares; ++i) {
                for (int k = 0; k < squares; ++k) {
                    int a = first + i * (squares + 1) + k, b = a + squares + 1, c = b + 1, d = a + 1;
                    add_triangle(a, side == 1 ? b : c, side == 1 ? c : b);
                    add_triangle(a, side == 1 ? c : d, side == 1 ? d : c);
                }
            }
        }
    }
    cnReductionReport result = reduce((cnReductionDef){.maxError = 1e-6});
    assert_int_equal(mesh.triangleCount, 12);
    assert_true(result.error <= 1e-6);
    assert_near(volume_of(view_of_mesh()), 1.0, 1e-9);
    check_closed();
}

static double distance_to_mesh(cnVec3 point) {
    double best = 1e300;
    for (int i = 0; i < mesh.triangleCount; ++i) {
        const int32_t* t = mesh.triangles + 3 * i;
        best = cnMin(best, cnFindTriangleDistanceSquared(mesh.vertices[t[0]], mesh.vertices[t[1]],
                                                         mesh.vertices[t[2]], point));
    }
    return sqrt(best);
}

static void reduction_keeps_its_bound(void** state) {
    (void)state;
    static const double bounds[4] = {0.1, 0.03, 0.01, 0.003};
    static cnVec3 before[2048];
    int last = 0;
    for (int i = 0; i < 4; ++i) {
        start_mesh();
        add_torus(1.2, 0.3, 48, 24);
        int count = mesh.vertexCount;
        memcpy(before, mesh.vertices, sizeof(cnVec3) * (size_t)count);
        cnReductionReport result = reduce((cnReductionDef){.maxError = bounds[i]});
        assert_true(result.error <= bounds[i]);
        for (int k = 0; k < count; ++k) {
            assert_true(distance_to_mesh(before[k]) <= result.error + 1e-12);
        }
        // a tighter bound leaves more
        assert_true(result.triangleCount > last);
        last = result.triangleCount;
        check_closed();
    }
    assert_true(last < 2304);
}

static void borders_stay(void** state) {
    (void)state;
    // a square sheet of 16 × 16: two triangles are enough, and its border stays where it is
    start_mesh();
    for (int i = 0; i <= 16; ++i) {
        for (int k = 0; k <= 16; ++k) {
            add_vertex(i / 16.0, k / 16.0, 0.0);
        }
    }
    for (int i = 0; i < 16; ++i) {
        for (int k = 0; k < 16; ++k) {
            int a = 17 * i + k;
            add_triangle(a, a + 17, a + 18);
            add_triangle(a, a + 18, a + 1);
        }
    }
    reduce((cnReductionDef){.maxError = 1e-6});
    assert_int_equal(mesh.triangleCount, 2);
    double area = 0.0;
    for (int i = 0; i < mesh.triangleCount; ++i) {
        const int32_t* t = mesh.triangles + 3 * i;
        area += 0.5 * cnCross(cnSub(mesh.vertices[t[1]], mesh.vertices[t[0]]),
                              cnSub(mesh.vertices[t[2]], mesh.vertices[t[0]]))
                          .z;
    }
    assert_near(area, 1.0, 1e-9);
}

// ---- shapes that hold points ------------------------------------------------------------------------------

static double volume_of_shape(const cnShapeDef* shape) {
    double r = shape->radius;
    switch (shape->type) {
    case cn_box:
        return 8.0 * shape->halfExtents.x * shape->halfExtents.y * shape->halfExtents.z;
    case cn_sphere:
        return 4.0 / 3.0 * CN_PI * r * r * r;
    case cn_capsule:
        return CN_PI * r * r * (shape->height + 4.0 / 3.0 * r);
    default:
        return CN_PI * r * r * shape->height;
    }
}

// Fits, and checks that all points are inside.
static double fit(cnShapeType type, const cnVec3* points, int count, cnShapeDef* shape, cnPose* pose) {
    assert_ok(cnFitShape(type, points, count, shape, pose));
    assert_int_equal(shape->type, type);
    for (int i = 0; i < count; ++i) {
        assert_true(cnIsPointInShape(shape, *pose, points[i]));
    }
    return volume_of_shape(shape);
}

static const cnShapeType fitted[4] = {cn_sphere, cn_box, cn_capsule, cn_cylinder};

static void shapes_find_themselves(void** state) {
    (void)state;
    static cnVec3 points[2000];
    for (int run = 0; run < 12; ++run) {
        cnQuat rotation = random_rotation();
        double scale = run % 3 == 0 ? 1e-3 : (run % 3 == 1 ? 1.0 : 1e6);
        cnVec3 offset = cnScale(scale, random_vec(10.0));
        cnVec3 half = cnVec(random_in(0.2, 2.0), random_in(0.2, 2.0), random_in(0.2, 2.0));
        cnShapeDef shape;
        cnPose pose;
        for (int i = 0; i < 8; ++i) {
            cnVec3 corner =
                cnMul(half, cnVec((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
            points[i] = cnMulAdd(offset, scale, cnRotate(rotation, corner));
        }
        double cube = scale * scale * scale;
        double volume = 8.0 * half.x * half.y * half.z * cube;
        assert_near(fit(cn_box, points, 8, &shape, &pose), volume, 1e-7 * volume);
        double radius = scale * cnLength(half);
        assert_near(fit(cn_sphere, points, 8, &shape, &pose), 4.0 / 3.0 * CN_PI * radius * radius * radius,
                    1e-9 * radius * radius * radius);

        // a cylinder and a capsule of 64 sides
        double r = random_in(0.1, 1.0), height = random_in(1.0, 4.0);
        int count = 0;
        for (int i = 0; i < 64; ++i) {
            double angle = 2.0 * CN_PI * i / 64.0;
            for (int end = -1; end <= 1; end += 2) {
                cnVec3 at = cnVec(r * cnCos(angle), 0.5 * end * height, r * cnSin(angle));
                points[count++] = cnMulAdd(offset, scale, cnRotate(rotation, at));
            }
        }
        volume = CN_PI * r * r * height * cube;
        assert_near(fit(cn_cylinder, points, count, &shape, &pose), volume, 1e-5 * volume);
        count = 0;
        for (int i = 0; i < 64; ++i) {
            for (int k = 0; k <= 16; ++k) {
                double angle = 2.0 * CN_PI * i / 64.0, up = 0.5 * CN_PI * k / 16.0;
                for (int end = -1; end <= 1; end += 2) {
                    if (count == 2000) {
                        break;
                    }
                    cnVec3 at = cnVec(r * cnCos(up) * cnCos(angle), end * (0.5 * height + r * cnSin(up)),
                                      r * cnCos(up) * cnSin(angle));
                    points[count++] = cnMulAdd(offset, scale, cnRotate(rotation, at));
                }
            }
        }
        volume = CN_PI * r * r * (height + 4.0 / 3.0 * r) * cube;
        double found = fit(cn_capsule, points, count, &shape, &pose);
        assert_true(found <= volume * 1.001);
    }
}

// The volume of a shape with a given direction: an exhaustive search tries very many.
static double volume_along(cnShapeType type, const cnVec3* points, int count, cnQuat rotation) {
    cnMat33 axes = cnMatFromQuat(rotation);
    cnVec3 lower = cnMulMatT(axes, points[0]), upper = lower;
    for (int i = 1; i < count; ++i) {
        lower = cnMinVec(lower, cnMulMatT(axes, points[i]));
        upper = cnMaxVec(upper, cnMulMatT(axes, points[i]));
    }
    cnVec3 size = cnSub(upper, lower);
    if (type == cn_box) {
        return size.x * size.y * size.z;
    }
    // circles around all pairs and triples across the axis: the largest of the smallest
    double best = 0.0;
    for (int a = 0; a < count; ++a) {
        for (int b = a + 1; b < count; ++b) {
            for (int c = b + 1; c < count; ++c) {
                cnVec3 p = cnMulMatT(axes, points[a]), q = cnMulMatT(axes, points[b]),
                       s = cnMulMatT(axes, points[c]);
                p.y = q.y = s.y = 0.0;
                double pq = cnLength(cnSub(p, q)), qs = cnLength(cnSub(q, s)), sp = cnLength(cnSub(s, p));
                double longest = cnMax(pq, cnMax(qs, sp));
                double area = cnLength(cnCross(cnSub(q, p), cnSub(s, p)));
                bool isObtuse = 2.0 * longest * longest >= pq * pq + qs * qs + sp * sp;
                best = cnMax(best, isObtuse ? 0.5 * longest : pq * qs * sp / (2.0 * area));
            }
        }
    }
    return CN_PI * best * best * size.y;
}

static void shapes_are_nearly_the_smallest(void** state) {
    (void)state;
    double worst[2] = {0.0, 0.0};
    for (int run = 0; run < CASES(20); ++run) {
        cnVec3 points[12];
        cnVec3 stretch = cnVec(random_in(0.2, 1.0), random_in(0.2, 1.0), random_in(0.2, 1.0));
        int count = 5 + random_int(8);
        for (int i = 0; i < count; ++i) {
            points[i] = cnMul(stretch, random_vec(1.0));
        }
        for (int kind = 0; kind < 2; ++kind) {
            cnShapeType type = kind == 0 ? cn_box : cn_cylinder;
            cnShapeDef shape;
            cnPose pose;
            double found = fit(type, points, count, &shape, &pose);
            // random rotations, and then moves from the best of them
            double best = 1e300;
            cnQuat bestRotation = cnQuat_identity;
            for (int i = 0; i < (kind == 0 ? 8000 : 800); ++i) {
                bool isMove = i >= (kind == 0 ? 4000 : 400);
                double reach = isMove ? 0.3 * cnExp(-6.0 * random_in(0.0, 1.0)) : 0.0;
                cnQuat rotation = isMove
                                      ? cnMulQuat(bestRotation, cnQuatFromRotationVector(random_vec(reach)))
                                      : random_rotation();
                double volume = volume_along(type, points, count, rotation);
                if (volume < best) {
                    best = volume;
                    bestRotation = rotation;
                }
            }
            worst[kind] = cnMax(worst[kind], found / best);
        }
    }
    print_message("box and cylinder: at most %.4f and %.4f of what an exhaustive search finds\n", worst[0],
                  worst[1]);
    assert_true(worst[0] <= 1.01);
    assert_true(worst[1] <= 1.01);
}

static void spheres_are_the_smallest(void** state) {
    (void)state;
    for (int run = 0; run < CASES(300); ++run) {
        cnVec3 points[40];
        int count = 2 + random_int(39);
        bool isRound = run % 3 == 0;
        for (int i = 0; i < count; ++i) {
            points[i] = isRound ? random_direction() : random_vec(1.0);
        }
        cnShapeDef shape;
        cnPose pose;
        fit(cn_sphere, points, count, &shape, &pose);
        // moving the centre anywhere makes the farthest point lie farther
        for (int i = 0; i < 50; ++i) {
            cnVec3 centre = cnAdd(pose.position, random_vec(i % 2 == 0 ? 0.1 : 1e-4));
            double reach = 0.0;
            for (int k = 0; k < count; ++k) {
                reach = cnMax(reach, cnLength(cnSub(points[k], centre)));
            }
            assert_true(reach >= shape.radius * (1.0 - 1e-9));
        }
    }
}

static void flat_points_get_thin_shapes(void** state) {
    (void)state;
    static const cnVec3 line[3] = {{1, 1, 1}, {2, 3, 4}, {3, 5, 7}};
    static const cnVec3 square[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.5, 0.5, 1}};
    for (int i = 0; i < 4; ++i) {
        cnShapeDef shape;
        cnPose pose;
        fit(fitted[i], line, 3, &shape, &pose);
        fit(fitted[i], line, 2, &shape, &pose);
        double volume = fit(fitted[i], square, 5, &shape, &pose);
        assert_true(fitted[i] != cn_box || volume < 1e-5);
    }
}

// ---- arguments and memory ---------------------------------------------------------------------------------

static void faults_are_named(void** state) {
    (void)state;
    start_mesh();
    add_box(cnVec(0, 0, 0), cnVec(1, 1, 1));
    cnMeshView view = view_of_mesh();
    cnDecomposition* d;
    cnReduction* r;
    assert_int_equal(cnBeginDecomposition(NULL, NULL, &d), CN_ERROR_NULL_ARGUMENT);
    assert_last_error(CN_ERROR_NULL_ARGUMENT, "mesh", "null");
    assert_null(d);
    cnDecompositionDef def = {.maxHulls = 1025};
    assert_int_equal(cnBeginDecomposition(&view, &def, &d), CN_ERROR_OUT_OF_RANGE);
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "maxHulls", "1025");
    def = (cnDecompositionDef){.maxVertices = 3};
    assert_int_equal(cnBeginDecomposition(&view, &def, &d), CN_ERROR_OUT_OF_RANGE);
    def = (cnDecompositionDef){.maxVolumeRatio = 0.9};
    assert_int_equal(cnBeginDecomposition(&view, &def, &d), CN_ERROR_OUT_OF_RANGE);
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "maxVolumeRatio", "above 1");
    def = (cnDecompositionDef){.maxError = NAN};
    assert_int_equal(cnBeginDecomposition(&view, &def, &d), CN_ERROR_OUT_OF_RANGE);
    mesh.vertices[3].y = INFINITY;
    assert_int_equal(cnBeginDecomposition(&view, NULL, &d), CN_ERROR_NOT_FINITE);
    assert_last_error(CN_ERROR_NOT_FINITE, "vertices", "vertices[3]");
    mesh.vertices[3].y = 1.0;
    mesh.triangles[4] = 8;
    assert_int_equal(cnBeginDecomposition(&view, NULL, &d), CN_ERROR_OUT_OF_RANGE);
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "triangles", "triangles[1]");
    mesh.triangles[4] = 2;
    cnReductionDef none = {0};
    assert_int_equal(cnBeginReduction(&view, &none, &r), CN_ERROR_OUT_OF_RANGE);
    assert_last_error(CN_ERROR_OUT_OF_RANGE, "def", "neither");
    for (int i = 0; i < mesh.vertexCount; ++i) {
        mesh.vertices[i] = cnVec(1, 2, 3);
    }
    assert_int_equal(cnBeginDecomposition(&view, NULL, &d), CN_ERROR_DEGENERATE_SHAPE);
    cnShapeDef shape;
    cnPose pose;
    assert_int_equal(cnFitShape(cn_box, mesh.vertices, 8, &shape, &pose), CN_ERROR_DEGENERATE_SHAPE);
    assert_int_equal(cnFitShape(cn_plane, mesh.vertices, 8, &shape, &pose), CN_ERROR_OUT_OF_RANGE);

    // a result before the end
    start_mesh();
    add_l();
    view = view_of_mesh();
    assert_ok(cnBeginDecomposition(&view, NULL, &d));
    cnDecompositionReport early;
    assert_int_equal(cnDecomposition_GetReport(d, &early), CN_ERROR_WRONG_PHASE);
    cnEndDecomposition(d);
    cnEndDecomposition(NULL);
    cnEndReduction(NULL);
}

// Ends anywhere leave nothing behind.
static void ends_early_leave_nothing(void** state) {
    (void)state;
    free_hulls();
    start_mesh();
    add_torus(1.0, 0.4, 12, 8);
    cnMeshView view = view_of_mesh();
    static Ration ration;
    for (int calls = 0; calls < 400; calls += 7) {
        start_ration(&ration, LONG_MAX);
        cnDecomposition* d;
        assert_ok(cnBeginDecomposition(&view, NULL, &d));
        double progress = 0.0;
        for (int i = 0; i < calls; ++i) {
            assert_ok(cnDecomposition_Advance(d, &progress));
        }
        cnEndDecomposition(d);
        end_ration(&ration);
    }
}

static void memory_may_run_out_anywhere(void** state) {
    (void)state;
    free_hulls();
    start_mesh();
    add_l();
    cnMeshView view = view_of_mesh();
    static Ration ration;
    long need = 0;
    for (int tool = 0; tool < 3; ++tool) {
        for (long left = 0;; left += 1 + left / 50) {
            start_ration(&ration, left);
            cnErrorCode code;
            if (tool == 0) {
                cnDecomposition* d;
                code = cnBeginDecomposition(&view, NULL, &d);
                for (double progress = 0.0; code == CN_ERROR_NONE && progress < 1.0;) {
                    code = cnDecomposition_Advance(d, &progress);
                }
                cnEndDecomposition(d);
            } else if (tool == 1) {
                cnReduction* r;
                cnReductionDef def = {.maxTriangles = 4};
                code = cnBeginReduction(&view, &def, &r);
                for (double progress = 0.0; code == CN_ERROR_NONE && progress < 1.0;) {
                    code = cnReduction_Advance(r, &progress);
                }
                cnEndReduction(r);
            } else {
                cnShapeDef shape;
                cnPose pose;
                code = cnFitShape(cn_box, view.vertices, view.vertexCount, &shape, &pose);
            }
            end_ration(&ration);
            need = left;
            if (code == CN_ERROR_NONE) {
                break;
            }
            assert_int_equal(code, CN_ERROR_OUT_OF_MEMORY);
        }
        assert_true(need > 3);
    }
}

static int tear_down(void** state) {
    (void)state;
    free_hulls();
    return 0;
}

int main(void) {
    return run_all_then(tear_down, convex_meshes_stay_whole, shapes_of_boxes_come_apart_exactly,
                        parts_stay_apart, rings_keep_their_hole, tight_bounds_are_kept, cups_stay_open,
                        faulty_meshes_are_used_as_far_as_they_can, cavities_stay,
                        thousands_of_parts_fit_the_budget, same_bits_again, cuts_lose_no_volume,
                        reduced_rings_stay_rings, flat_faces_lose_all_that_lies_in_them,
                        reduction_keeps_its_bound, borders_stay, shapes_find_themselves,
                        shapes_are_nearly_the_smallest, spheres_are_the_smallest, flat_points_get_thin_shapes,
                        faults_are_named, ends_early_leave_nothing, memory_may_run_out_anywhere);
}
