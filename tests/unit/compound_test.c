// Pairs of several manifolds: meshes, height fields and hollow solids in a world. Laws: nothing stumbles over
// what is flat, what rests is at rest, one impact is told once, threads change nothing.
#include "helpers.h"

static void add_static(cnWorldId world, cnShapeDef def, cnVec3 position, cnMaterialId material) {
    add_geometry(world, (cnGeometryDef){.position = position, .material = material}, def);
}

// ---- ghosts -----------------------------------------------------------------------------------------------

// Sanitized builds, ten times as slow, look at fewer cases.
#define STRIDE (IS_SANITIZED ? 11 : 1)

typedef void Surface(cnWorldId world, cnMaterialId material);

#define BALL                                                                                                 \
    { .type = cn_sphere, .radius = 0.25 }
#define BOX                                                                                                  \
    {                                                                                                        \
        .type = cn_box, .halfExtents = { 0.25, 0.25, 0.25 }                                                  \
    }
#define LYING_CAPSULE                                                                                        \
    { .type = cn_capsule, .radius = 0.25, .height = 0.5 }

// A body slides without friction over what is flat at z = 0, from the middle out to 8 m: less than 1 mm up or
// down, speed kept to 0.1 %.
static void check_slide(Surface* surface, const char* name) {
    static const cnShapeDef shapes[] = {BALL, BOX, LYING_CAPSULE};
    static const double angles[] = {0.0, 0.02, 0.5, CN_PI / 4, 1.2, CN_PI / 2, 2.0, 3.0};
    static const double offsets[] = {0.0, 0.1, 0.33};
    static const double speeds[] = {10.0, 0.3};
    for (int c = 0; c < 3 * 8 * 3 * 2; c += STRIDE) {
        const cnShapeDef* shape = &shapes[c % 3];
        double angle = angles[c / 3 % 8], offset = offsets[c / 24 % 3], speed = speeds[c / 72];
        cnWorldId world = make_world((cnWorldDef){0});
        cnMaterialId material = add_material(world, 0.0, 0.0);
        surface(world, material);
        cnVec3 velocity = cnVec(speed * cnCos(angle), speed * cnSin(angle), 0.0);
        cnQuat turn = cnQuatFromRotationVector(cnVec(0, 0, c / 3 % 2 == 0 ? 0.0 : angle));
        cnBodyId body = cnCreateBody(
            world,
            &(cnBodyDef){.position = {offset, 0.7 * offset, 0.25}, .rotation = turn, .velocity = velocity});
        add_shape(world, body, *shape, material);
        double up = 0, down = 0, slowest = 2.0, fastest = 0.0;
        for (int i = 0; i < (speed > 1.0 ? 45 : 120); ++i) {
            step_world(world, 1);
            cnVec3 v = cnBody_GetVelocity(world, body);
            double z = cnBody_GetPosition(world, body).z - 0.25;
            up = cnMax(up, z);
            down = cnMin(down, z);
            double now = cnDot(v, velocity) / (speed * speed);
            slowest = cnMin(slowest, now);
            fastest = cnMax(fastest, cnLength(v) / speed);
        }
        if (up > 1e-3 || down < -1e-3 || slowest < 0.999 || fastest > 1.001) {
            fail_msg("%s: shape %d, angle %g, offset %g, %g m/s: up %g, down %g, speed %g to %g of it", name,
                     c % 3, angle, offset, speed, up, down, slowest, fastest);
        }
        cnDestroyWorld(world);
    }
}

static void row_of_boxes(cnWorldId world, cnMaterialId material) {
    for (int x = -9; x <= 9; ++x) {
        for (int y = -3; y <= 9; ++y) {
            add_static(world, box_of(0.5, 0.5, 0.5), cnVec(x + 0.5, y + 0.5, -0.5), material);
        }
    }
}

static void bodies_slide_over_flush_boxes(void** state) {
    (void)state;
    check_slide(row_of_boxes, "flush boxes");
}

// A grid of squares of two triangles each, `heights` above it.
static cnShapeDef make_grid(int count, double size, double (*height)(double x, double y)) {
    cnVec3* points = malloc(sizeof *points * (size_t)((count + 1) * (count + 1)));
    int32_t* triangles = malloc(sizeof *triangles * (size_t)(6 * count * count));
    int used = 0;
    for (int j = 0; j <= count; ++j) {
        for (int i = 0; i <= count; ++i) {
            double x = size * (i - 0.5 * count), y = size * (j - 0.5 * count);
            points[j * (count + 1) + i] = cnVec(x, y, height(x, y));
        }
    }
    for (int j = 0; j < count; ++j) {
        for (int i = 0; i < count; ++i) {
            int32_t a = j * (count + 1) + i, b = a + 1, c = a + count + 1, d = c + 1;
            const int32_t corners[6] = {a, b, d, a, d, c};
            memcpy(triangles + used, corners, sizeof corners);
            used += 6;
        }
    }
    return (cnShapeDef){.type = cn_trimesh,
                        .points = points,
                        .pointCount = (count + 1) * (count + 1),
                        .triangles = triangles,
                        .triangleCount = used / 3};
}

static void free_grid(const cnShapeDef* def) {
    free((void*)def->points);
    free((void*)def->triangles);
}

static double flat_height(double x, double y) {
    (void)x;
    (void)y;
    return 0.0;
}

static void flat_mesh(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_grid(40, 0.5, flat_height);
    def.terrain = true;
    def.bottomMargin = 1.0;
    add_static(world, def, cnVec3_zero, material);
    free_grid(&def);
}

static void bodies_slide_over_a_mesh(void** state) {
    (void)state;
    check_slide(flat_mesh, "flat mesh");
}

static cnShapeDef make_field(int columns, int rows, double sizeX, double sizeY,
                             double (*height)(double x, double y)) {
    double* heights = malloc(sizeof *heights * (size_t)(columns * rows));
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            heights[j * columns + i] =
                height(sizeX * i / (columns - 1) - 0.5 * sizeX, sizeY * j / (rows - 1) - 0.5 * sizeY);
        }
    }
    return field_of(columns, rows, sizeX, sizeY, heights);
}

static void flat_field(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_field(41, 36, 22, 20, flat_height);
    add_static(world, def, cnVec(0, 0, 0), material);
    free((void*)def.heights);
}

static void adjacent_fields(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_field(21, 41, 11, 22, flat_height);
    add_static(world, def, cnVec(6.5, 0, 0), material);
    add_static(world, def, cnVec(-4.5, 0, 0), material);
    free((void*)def.heights);
}

static void bodies_slide_over_height_fields(void** state) {
    (void)state;
    check_slide(flat_field, "flat height field");
    check_slide(adjacent_fields, "adjacent height fields");
}

// ---- rest -------------------------------------------------------------------------------------------------

static double bumpy_height(double x, double y) {
    return 0.04 * cnSin(2.3 * x) * cnCos(1.9 * y) + 0.02 * cnSin(5.1 * x + 1.0) + 0.02 * cnCos(4.3 * y);
}

// A bowl, in the middle of which round things stay.
static double bowl_height(double x, double y) {
    return 0.1 * (x * x + y * y);
}

static void bumpy_mesh(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_grid(40, 0.15, bumpy_height);
    def.terrain = true;
    def.bottomMargin = 1.0;
    add_static(world, def, cnVec3_zero, material);
    free_grid(&def);
}

static void bowl_mesh(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_grid(20, 0.1, bowl_height);
    def.terrain = true;
    def.bottomMargin = 1.0;
    add_static(world, def, cnVec3_zero, material);
    free_grid(&def);
}

static void bumpy_field(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_field(41, 41, 6, 6, bumpy_height);
    add_static(world, def, cnVec3_zero, material);
    free((void*)def.heights);
}

static void bowl_field(cnWorldId world, cnMaterialId material) {
    cnShapeDef def = make_field(21, 21, 2, 2, bowl_height);
    add_static(world, def, cnVec3_zero, material);
    free((void*)def.heights);
}

// A body that is rotated by a rotation vector.
static cnBodyId place_body(cnWorldId world, cnShapeDef def, cnVec3 position, cnVec3 rotation,
                           cnMaterialId material) {
    const cnQuat rotated = cnQuatFromRotationVector(rotation);
    return add_body(world, (cnBodyDef){.position = position, .rotation = rotated}, def, material);
}

// Kinetic energy for each kilogram.
static double energy_of(cnWorldId world, cnBodyId body) {
    cnVec3 spin = cnBody_GetAngularMomentum(world, body);
    double turning = cnDot(spin, cnBody_GetAngularVelocity(world, body)) / cnBody_GetMass(world, body);
    return 0.5 * (cnLengthSquared(cnBody_GetVelocity(world, body)) + turning);
}

// What lies still has less than 1e-6 J/kg. That goes for what is round in a faceted bowl too: it is held by
// the facets on both sides of a crease, and a capsule that touches in four points is near to a dozen others.
// One of the wedges on the bumpy mesh stands on a thin triangle, 4 cm wide and 33 cm long. `offset`, m and
// rad, puts them down elsewhere. Where `rattling` is not null bodies may keep up to 1e-4 J/kg, and are
// counted.
static void check_rest(Surface* surface, const cnShapeDef* shapes, int shapeCount, double reach, double fall,
                       double offset, int* rattling, const char* name) {
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = add_material(world, 0.8, 0.0);
    surface(world, material);
    cnBodyId bodies[9];
    int count = reach > 0.0 ? 9 : 1;
    for (int shape = 0; shape < shapeCount; ++shape) {
        for (int i = 0; i < count; ++i) {
            int column = i % 3 - 1, row = i / 3 - 1;
            cnVec3 place = cnVec(reach * column + offset, reach * row + offset, fall);
            bodies[i] = place_body(world, shapes[shape], place, cnVec(0, 0, 0.3 * i + offset), material);
        }
        step_world(world, 300);
        for (int i = 0; i < count; ++i) {
            double energy = energy_of(world, bodies[i]), z = cnBody_GetPosition(world, bodies[i]).z;
            bool rattles = rattling != NULL && energy >= 1e-6 && energy < 1e-4;
            if (rattles) {
                *rattling += 1;
            }
            if (!(energy < 1e-6 || rattles) || z < 0.0) {
                fail_msg("%s: shape %d, body %d: %g J/kg at z = %g", name, shape, i, energy, z);
            }
            cnDestroyBody(world, bodies[i]);
        }
    }
    cnDestroyWorld(world);
}

static const cnVec3 wedge[] = {{-0.2, -0.2, -0.15}, {0.2, -0.2, -0.15}, {0.2, 0.2, -0.15},
                               {-0.2, 0.2, -0.15},  {-0.1, 0, 0.15},    {0.1, 0, 0.15}};
static const cnShapeDef stable[] = {{.type = cn_box, .halfExtents = {0.2, 0.25, 0.15}},
                                    {.type = cn_convex, .points = wedge, .pointCount = 6}};
static const cnShapeDef rolling[] = {{.type = cn_sphere, .radius = 0.15},
                                     {.type = cn_capsule, .radius = 0.1, .height = 0.3},
                                     {.type = cn_box, .halfExtents = {0.1, 0.1, 0.1}}};

// Boxes and wedges in some places. Of a body that stands on thin triangles in three points or more neither
// rounds nor sweeps find what holds it in one of a hundred places (docs/roadmap.md): one in fifty may rattle.
static void check_rest_on_bumps(Surface* surface, const char* name) {
    enum {
        places = 6
    };
    int rattling = 0;
    for (int i = 0; i < places; ++i) {
        check_rest(surface, stable, 2, 1.1, 0.3, 0.013 * i, &rattling, name);
    }
    assert_in_range(rattling, 0, places * 18 / 50);
}

static void bodies_rest_on_a_mesh(void** state) {
    (void)state;
    check_rest_on_bumps(bumpy_mesh, "bumpy mesh");
    check_rest(bowl_mesh, rolling, 3, 0.0, 0.151, 0.0, NULL, "bowl of a mesh");
    check_rest(flat_mesh, rolling, 3, 1.1, 0.151, 0.0, NULL, "flat mesh");
}

static void bodies_rest_on_a_height_field(void** state) {
    (void)state;
    check_rest_on_bumps(bumpy_field, "bumpy height field");
    check_rest(bowl_field, rolling, 3, 0.0, 0.151, 0.0, NULL, "bowl of a height field");
    check_rest(flat_field, rolling, 3, 1.1, 0.151, 0.0, NULL, "flat height field");
}

// A box of triangles, every face two of them.
static cnShapeDef mesh_of_box(cnVec3 half, cnVec3* points) {
    static const int32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 8; ++i) {
        points[i] = cnVec((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                          (i & 4) != 0 ? half.z : -half.z);
    }
    return (cnShapeDef){
        .type = cn_trimesh, .points = points, .pointCount = 8, .triangles = triangles, .triangleCount = 12};
}

// Meshes on meshes: two crossed planks on a block, a tower, a tube standing and a tube lying; all at rest
// after 2 s, within a millimetre of where they were put.
static void meshes_rest_on_meshes(void** state) {
    (void)state;
    static const struct {
        cnVec3 half, place, turn;
    } blocks[] = {
        {{0.3, 0.3, 0.1}, {0, 0, 0.1}, {0, 0, 0.2}},    {{0.1, 0.6, 0.05}, {0, 0, 0.25}, {0, 0, 0}},
        {{0.6, 0.1, 0.05}, {0, 0, 0.35}, {0, 0, 0}},    {{0.2, 0.2, 0.2}, {2, 0, 0.2}, {0, 0, 0}},
        {{0.2, 0.2, 0.2}, {2.1, 0.05, 0.6}, {0, 0, 0}}, {{0.2, 0.2, 0.2}, {2, 0, 1.0}, {0, 0, 0.7}},
        {{0.2, 0.2, 0.2}, {2.4, 0, 0.2}, {0, 0, 0}},
    };
    Surface* grounds[] = {flat_mesh, flat_field};
    for (int g = 0; g < 2; ++g) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnMaterialId material = add_material(world, 0.6, 0.0);
        grounds[g](world, material);
        cnBodyId bodies[9];
        cnVec3 places[9];
        int count = (int)(sizeof blocks / sizeof blocks[0]);
        for (int i = 0; i < count; ++i) {
            cnVec3 points[8];
            cnShapeDef def = mesh_of_box(blocks[i].half, points);
            places[i] = blocks[i].place;
            bodies[i] = place_body(world, def, places[i], blocks[i].turn, material);
        }
        cnShapeDef tube = {.type = cn_hollowCylinder, .innerRadius = 0.2, .thickness = 0.05, .height = 0.4};
        places[count] = cnVec(-2, 0, 0.2);
        bodies[count] = place_body(world, tube, places[count], cnVec(CN_PI / 2, 0, 0), material);
        ++count;
        places[count] = cnVec(-2, 2, 0.25);
        bodies[count] = place_body(world, tube, places[count], cnVec(0, 0, 0), material);
        ++count;
        step_world(world, 120);
        for (int i = 0; i < count; ++i) {
            double energy = energy_of(world, bodies[i]);
            double off = cnLength(cnSub(cnBody_GetPosition(world, bodies[i]), places[i]));
            if (!(energy < 1e-6) || !(off < 1e-3)) {
                fail_msg("ground %d, body %d: %g J/kg, %g m off", g, i, energy, off);
            }
        }
        cnDestroyWorld(world);
    }
}

// What lies below a surface, far below or half in it, is pushed up and rests on it; out of a block of
// triangles likewise.
static void buried_bodies_come_out(void** state) {
    (void)state;
    static const cnShapeDef shapes[] = {
        BALL, BOX, LYING_CAPSULE, {.type = cn_cylinder, .radius = 0.25, .height = 0.5}};
    for (int c = 0; c < 24; ++c) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnMaterialId material = add_material(world, 0.5, 0.0);
        if (c / 8 == 0) {
            flat_mesh(world, material);
        } else if (c / 8 == 1) {
            flat_field(world, material);
        } else {
            cnVec3 points[8];
            cnShapeDef def = mesh_of_box(cnVec(4, 4, 2), points);
            add_static(world, def, cnVec(0, 0, -2), material);
        }
        cnBodyId body = place_body(world, shapes[c % 4], cnVec(0.1, 0.2, c / 4 % 2 == 0 ? -0.1 : -0.7),
                                   cnVec3_zero, material);
        step_world(world, 600);
        double z = cnBody_GetPosition(world, body).z;
        if (!(fabs(z - 0.25) < 2e-3)) {
            fail_msg("case %d ends at z = %g", c, z);
        }
        cnDestroyWorld(world);
    }
}

// A ball of radius r in a tube of inner radius R rolls to and fro as a pendulum of length R − r whose mass
// counts 7/5; it stays in the tube. (The normal of the start of a step pushes it for the whole step, which
// lets its swing grow by 2 % each time.)
static void a_ball_in_a_tube_swings_as_a_pendulum(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = add_material(world, 1.0, 0.0);
    add_static(world, tube_of(1.0, 0.1, 2.0), cnVec3_zero, material);
    double swing = 0.9, angle = 0.2;
    cnShapeDef ball = {.type = cn_sphere, .radius = 0.1};
    cnVec3 place = cnVec(swing * cnSin(angle), 0.0, -swing * cnCos(angle));
    cnBodyId body = place_body(world, ball, place, cnVec3_zero, material);
    double period = 2.0 * CN_PI * sqrt(1.4 * swing / GRAVITY), first = 0.0, last = 0.0, before = place.x;
    int crossings = 0;
    for (int i = 1; i <= 360; ++i) {
        step_world(world, 1);
        cnVec3 p = cnBody_GetPosition(world, body);
        double distance = sqrt(p.x * p.x + p.z * p.z);
        assert_true(fabs(distance - swing) < 2e-3 && fabs(p.y) < 1e-3);
        assert_true(fabs(p.x) < 1.15 * place.x);
        if (before > 0.0 && p.x <= 0.0) {
            last = i / 60.0;
            first = crossings++ == 0 ? last : first;
        }
        before = p.x;
    }
    assert_int_equal(crossings, 3);
    double measured = (last - first) / (crossings - 1);
    if (fabs(measured / period - 1.0) > 0.03) {
        fail_msg("period %g s, expected %g s", measured, period);
    }
    cnDestroyWorld(world);
}

// A ball rolls over many triangles: one impact, then contact, then, when it is lifted, one separation.
static void one_impact_over_many_triangles(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = add_material(world, 0.5, 0.0);
    flat_mesh(world, material);
    cnShapeDef ball = {.type = cn_sphere, .radius = 0.2};
    cnBodyId body = place_body(world, ball, cnVec(-3, 0.1, 0.21), cnVec3_zero, material);
    cnBody_SetVelocity(world, body, cnVec(4, 0.5, 0));
    int told[4] = {0};
    for (int i = 0; i < 70; ++i) {
        step_world(world, 1);
        told[cnBody_GetContactForces(world, body, (cnBodyId){0}).state] += 1;
    }
    cnBody_SetVelocity(world, body, cnVec(0, 0, 2));
    for (int i = 0; i < 20; ++i) {
        step_world(world, 1);
        told[cnBody_GetContactForces(world, body, (cnBodyId){0}).state] += 1;
    }
    assert_int_equal(told[cn_contactImpact], 1);
    assert_int_equal(told[cn_contactSeparation], 1);
    assert_true(told[cn_contactContact] > 60);
    cnDestroyWorld(world);
}

// ---- threads ----------------------------------------------------------------------------------------------

static void threads_change_nothing(void** state) {
    (void)state;
    char hashes[3][17];
    for (int threads = 1; threads <= 3; ++threads) {
        cnWorldId world = make_world((cnWorldDef){.threads = threads});
        cnMaterialId material = add_material(world, 0.4, 0.0);
        bumpy_mesh(world, material);
        for (int i = 0; i < 60; ++i) {
            const cnShapeDef* def = i % 2 == 0 ? &stable[i / 2 % 2] : &rolling[i / 2 % 3];
            place_body(world, *def, cnVec(0.45 * (i % 6) - 1, 0.5 * (i / 6 % 5) - 1, i < 30 ? 0.4 : 0.9),
                       cnVec(0.1 * i, 0.2, 0.3 * i), material);
        }
        step_world(world, 90);
        assert_int_equal(cnWorld_GetHash(world, hashes[threads - 1]), CN_ERROR_NONE);
        cnDestroyWorld(world);
    }
    assert_string_equal(hashes[0], hashes[1]);
    assert_string_equal(hashes[0], hashes[2]);
}

int main(void) {
    return run_all(bodies_slide_over_flush_boxes, bodies_slide_over_a_mesh, bodies_slide_over_height_fields,
                   bodies_rest_on_a_mesh, bodies_rest_on_a_height_field, meshes_rest_on_meshes,
                   buried_bodies_come_out, a_ball_in_a_tube_swings_as_a_pendulum,
                   one_impact_over_many_triangles, threads_change_nothing);
}
