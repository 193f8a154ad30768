// Solids of revolution and lines: closed forms of mass, bounds and volumes by sampling, rays by marching,
// closest points of every kind of shape by sampling its surface, and what rests on a plane.
#include "collide/narrow/collide_shapes.h"
#include "geometry/shapes/revolved.h"
#include "shapes.h"

static const cnShapeType revolvedTypes[4] = {cn_cylinder, cn_hollowCylinder, cn_cone, cn_hollowCone};

// Sometimes with a pointed end, a hole that ends within, or a thin wall.
static cnShapeDef random_revolved(cnShapeType type) {
    cnShapeDef def = {
        .type = type,
        .radius = random_in(0.2, 1.0),
        .height = random_in(0.2, 2.0),
        .innerRadius = random_in(0.1, 0.8),
        .thickness = random_in(0.0, 1.0) < 0.3 ? 0.01 : random_in(0.05, 0.5),
        .topRadius = random_in(0.1, 1.0),
        .bottomRadius = random_in(0.1, 1.0),
    };
    if (random_in(0.0, 1.0) < 0.3) {
        *(random_in(0.0, 1.0) < 0.5 ? &def.topRadius : &def.bottomRadius) = 0.0;
    }
    return def;
}

// Written from the definition, not from the engine's profile.
static double outer_at(const cnShapeDef* def, double y) {
    double t = y / def->height;
    return def->type == cn_cylinder         ? def->radius
           : def->type == cn_hollowCylinder ? def->innerRadius + def->thickness
                                            : (1.0 - t) * def->bottomRadius + t * def->topRadius;
}

static double inner_at(const cnShapeDef* def, double y) {
    double t = y / def->height;
    return def->type == cn_hollowCylinder ? def->innerRadius
           : def->type == cn_hollowCone   ? (1.0 - t) * cnMax(0.0, def->bottomRadius - def->thickness) +
                                              t * cnMax(0.0, def->topRadius - def->thickness)
                                        : 0.0;
}

static double lower_end(const cnShapeDef* def) {
    return def->type == cn_cylinder || def->type == cn_hollowCylinder ? -0.5 * def->height : 0.0;
}

static bool is_in(const cnShapeDef* def, cnVec3 p) {
    double radius = sqrt(p.x * p.x + p.z * p.z);
    double lower = lower_end(def);
    return p.y >= lower && p.y <= lower + def->height && radius <= outer_at(def, p.y) &&
           radius >= inner_at(def, p.y);
}

static void masses_have_closed_forms(void** state) {
    (void)state;
    cnMassProperties mass;
    double r = 0.3, h = 1.4;
    cnShapeDef cylinder = {.type = cn_cylinder, .radius = r, .height = h};
    assert_int_equal(cnComputeMassProperties(&cylinder, 7.0, &mass), CN_ERROR_NONE);
    assert_near(mass.mass, 7.0 * CN_PI * r * r * h, 1e-12);
    assert_near(mass.inertia.y.y, 0.5 * mass.mass * r * r, 1e-12);
    assert_near(mass.inertia.x.x, mass.mass * (3.0 * r * r + h * h) / 12.0, 1e-12);
    assert_near_vec(mass.centre, cnVec3_zero, 1e-15);

    cnShapeDef tube = {.type = cn_hollowCylinder, .innerRadius = 0.2, .thickness = 0.1, .height = h};
    assert_int_equal(cnComputeMassProperties(&tube, 7.0, &mass), CN_ERROR_NONE);
    assert_near(mass.mass, 7.0 * CN_PI * 0.05 * h, 1e-12);
    assert_near(mass.inertia.y.y, 0.5 * mass.mass * 0.13, 1e-12);
    assert_near(mass.inertia.z.z, mass.mass * (3.0 * 0.13 + h * h) / 12.0, 1e-12);

    // a cone's centre is a quarter up, its moments 3/10 m r² and 3/20 m r² + 3/80 m h²
    cnShapeDef cone = {.type = cn_cone, .bottomRadius = r, .topRadius = 0.0, .height = h};
    assert_int_equal(cnComputeMassProperties(&cone, 7.0, &mass), CN_ERROR_NONE);
    assert_near(mass.mass, 7.0 * CN_PI * r * r * h / 3.0, 1e-12);
    assert_near_vec(mass.centre, cnVec(0.0, 0.25 * h, 0.0), 1e-14);
    assert_near(mass.inertia.y.y, 0.3 * mass.mass * r * r, 1e-12);
    assert_near(mass.inertia.x.x, mass.mass * (0.15 * r * r + 0.0375 * h * h), 1e-12);

    // a wall of a micrometre is a shell: 2 π r t h
    cnShapeDef shell = {.type = cn_hollowCylinder, .innerRadius = 1.0, .thickness = 1e-6, .height = 1.0};
    assert_int_equal(cnComputeMassProperties(&shell, 1.0, &mass), CN_ERROR_NONE);
    assert_near(mass.volume, 2.0 * CN_PI * 1.0000005 * 1e-6, 1e-15);
}

// A hollow cone is its outer cone less its hole, parallel axes and all.
static void hollow_cones_are_differences(void** state) {
    (void)state;
    for (int i = 0; i < 200; ++i) {
        cnShapeDef def = random_revolved(cn_hollowCone);
        cnShapeDef hole = {.type = cn_cone,
                           .bottomRadius = cnMax(0.0, def.bottomRadius - def.thickness),
                           .topRadius = cnMax(0.0, def.topRadius - def.thickness),
                           .height = def.height};
        if (!(hole.bottomRadius + hole.topRadius > 0.0)) {
            continue;
        }
        cnShapeDef outer = def;
        outer.type = cn_cone;
        cnShape shapes[3] = {make_shape(outer), make_shape(hole), make_shape(def)};
        cnMassProperties o = shapes[0].mass, m = shapes[1].mass, d = shapes[2].mass;
        assert_near(d.volume, o.volume - m.volume, 1e-12);
        double y = (o.volume * o.centre.y - m.volume * m.centre.y) / (o.volume - m.volume);
        assert_near(d.centre.y, y, 1e-10);
        assert_near(d.inertia.y.y, o.inertia.y.y - m.inertia.y.y, 1e-12);
        double fromOuter = o.centre.y - y, fromHole = m.centre.y - y;
        assert_near(d.inertia.x.x,
                    o.inertia.x.x + o.volume * fromOuter * fromOuter - m.inertia.x.x -
                        m.volume * fromHole * fromHole,
                    1e-10);
    }
}

static void volumes_and_bounds_are_those_of_samples(void** state) {
    (void)state;
    for (int i = 0; i < CASES(120); ++i) {
        cnShapeDef def = random_revolved(revolvedTypes[i % 4]);
        def.thickness = cnMax(def.thickness, 0.05);
        cnShape shape = make_shape(def);
        cnVec3 size = cnSub(shape.bounds.upper, shape.bounds.lower);
        const int count = 20000;
        int inside = 0;
        for (int k = 0; k < count; ++k) {
            cnVec3 fraction = {random_in(0.0, 1.0), random_in(0.0, 1.0), random_in(0.0, 1.0)};
            cnVec3 p = cnAdd(shape.bounds.lower, cnMul(size, fraction));
            inside += is_in(&def, p);
        }
        double p = (double)inside / count;
        double box = size.x * size.y * size.z;
        assert_near(shape.mass.volume, p * box, 5.0 * box * sqrt(p * (1.0 - p) / count) + 1e-4);

        // tight in the world: the rims' samples reach every side and pass none
        cnPose pose = {random_vec(2.0), random_rotation()};
        cnBounds bounds = cnShape_ComputeBounds(&shape, pose);
        cnVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = cnNeg(lower);
        for (int k = 0; k < 2000; ++k) {
            double y = lower_end(&def) + (k % 2) * def.height;
            double angle = CN_PI * k / 1000.0;
            double outer = outer_at(&def, def.type == cn_cone || def.type == cn_hollowCone ? y : 0.0);
            cnVec3 rim = cnTransformPoint(pose, cnVec(outer * cnCos(angle), y, outer * cnSin(angle)));
            lower = cnMinVec(lower, rim);
            upper = cnMaxVec(upper, rim);
        }
        assert_near_vec(bounds.lower, lower, 2e-5);
        assert_near_vec(bounds.upper, upper, 2e-5);
        assert_true(lower.x >= bounds.lower.x - 1e-12 && upper.z <= bounds.upper.z + 1e-12);
        assert_true(shape.boundingRadius <= 0.5 * cnLength(size) + 1e-12);
    }
}

static void rays_meet_what_marching_meets(void** state) {
    (void)state;
    int hits = 0, holes = 0, missed = 0;
    for (int i = 0; i < CASES(4000); ++i) {
        cnShapeDef def = random_revolved(revolvedTypes[i % 4]);
        cnShape shape = make_shape(def);
        cnVec3 origin = random_vec(i % 3 == 0 ? 0.8 : 3.0);
        cnVec3 translation = cnScale(random_in(0.3, 2.0), cnSub(random_vec(1.0), origin));
        if (i % 7 == 0) {
            translation.x = translation.z = 0.0; // along the axis, and along the walls of cylinders
        } else if (i % 7 == 1) {
            translation.y = 0.0;
        }
        cnPose pose = {cnVec3_zero, cnQuat_identity};
        cnRayHit hit = cnShape_CastRay(&shape, pose, origin, translation);
        const int steps = 2000;
        double entered = is_in(&def, origin) ? 0.0 : -1.0;
        for (int k = 1; k <= steps && entered < 0.0; ++k) {
            if (is_in(&def, cnMulAdd(origin, (double)k / steps, translation))) {
                double lower = (double)(k - 1) / steps, upper = (double)k / steps;
                for (int m = 0; m < 50; ++m) {
                    double middle = 0.5 * (lower + upper);
                    *(is_in(&def, cnMulAdd(origin, middle, translation)) ? &upper : &lower) = middle;
                }
                entered = upper;
            }
        }
        if (hit.hit && hit.fraction > 0.0) {
            // what marching missed is a chord shorter than its step
            assert_true(entered < 0.0 || entered >= hit.fraction - 1e-9);
            cnVec3 in = cnMulAdd(hit.point, -1e-7, hit.normal);
            cnVec3 out = cnMulAdd(hit.point, 1e-7, hit.normal);
            cnSurfacePoint closest;
            assert_true(cnShape_FindClosest(&shape, hit.point, 1.0, &closest));
            assert_near(closest.distance, 0.0, 1e-9);
            assert_true(is_in(&def, in) && !is_in(&def, out));
            assert_true(cnDot(hit.normal, translation) <= 1e-9);
            assert_near(cnLength(hit.normal), 1.0, 1e-12);
            ++hits;
            double radius = sqrt(hit.point.x * hit.point.x + hit.point.z * hit.point.z);
            holes += hit.normal.x * hit.point.x + hit.normal.z * hit.point.z < -0.1 * radius;
        }
        if (entered >= 0.0) {
            assert_true(hit.hit);
            assert_true(hit.fraction <= entered + 1e-9);
            missed += hit.fraction < entered - 1.5 / steps;
        }
    }
    assert_true(hits > CASES(800) && holes > CASES(60) && missed < CASES(40));
}

static void rays_pass_through_holes(void** state) {
    (void)state;
    cnShape tube = make_shape(tube_of(0.2, 0.1, 1.0));
    cnPose pose = {cnVec3_zero, cnQuat_identity};
    assert_false(cnShape_CastRay(&tube, pose, cnVec(0.1, -2.0, 0.1), cnVec(0.0, 4.0, 0.0)).hit);
    assert_false(cnShape_CastRay(&tube, pose, cnVec(0.0, -2.0, 0.0), cnVec(0.2, 4.0, 0.0)).hit);
    assert_true(cnShape_CastRay(&tube, pose, cnVec(0.25, -2.0, 0.0), cnVec(0.0, 4.0, 0.0)).hit);

    // from inside the hole, from the wall, and from 1e6 m away
    cnRayHit hit = cnShape_CastRay(&tube, pose, cnVec3_zero, cnVec(0.0, 0.0, 1.0));
    assert_near(hit.fraction, 0.2, 1e-15);
    assert_near_vec(hit.normal, cnVec(0.0, 0.0, -1.0), 1e-15);
    hit = cnShape_CastRay(&tube, pose, cnVec(0.25, 0.0, 0.0), cnVec(0.0, 0.0, 1.0));
    assert_near(hit.fraction, 0.0, 0.0);
    hit = cnShape_CastRay(&tube, pose, cnVec(-1e6, 0.4, 0.1), cnVec(2e6, 0.0, 0.0));
    assert_near(hit.point.x, -sqrt(0.08), 1e-9);
}

static double sample_distance(cnVec3 point, const cnVec3* surface, int count) {
    double nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
        nearest = cnMin(nearest, cnLengthSquared(cnSub(surface[i], point)));
    }
    return sqrt(nearest);
}

// The nearest of the samples is no nearer than what is found, and one lies close to what is found.
static void check_closest(const cnShape* shape, bool (*isInside)(const cnShape*, const cnShapeDef*, cnVec3),
                          const cnShapeDef* def) {
    enum {
        sampleCount = 4000
    };
    static cnVec3 surface[sampleCount];
    int count = 0;
    cnVec3 size = cnSub(shape->bounds.upper, shape->bounds.lower);
    for (int i = 0; count < sampleCount && i < 20 * sampleCount; ++i) {
        cnVec3 a = cnAdd(shape->centre, cnMul(size, random_vec(0.8)));
        cnVec3 b = cnAdd(shape->centre, cnMul(size, random_vec(0.8)));
        cnRayHit ray = cnShape_CastRay(shape, (cnPose){cnVec3_zero, cnQuat_identity}, a, cnSub(b, a));
        if (ray.hit && ray.fraction > 0.0) {
            surface[count++] = ray.point;
        }
    }
    assert_true(count > 500);
    for (int i = 0; i < 30; ++i) {
        cnVec3 point = cnAdd(shape->centre, cnMul(size, random_vec(0.8)));
        cnSurfacePoint closest;
        assert_true(cnShape_FindClosest(shape, point, 100.0, &closest));
        bool inside = isInside(shape, def, point);
        assert_true(inside == (closest.distance < 0.0) || fabs(closest.distance) < 1e-9);
        double sampled = sample_distance(point, surface, count);
        assert_true(sampled >= fabs(closest.distance) - 1e-9);
        assert_true(sampled <= fabs(closest.distance) + 0.25 * shape->boundingRadius);

        // the point lies there, along the normal, on the surface
        assert_near_vec(cnMulAdd(closest.point, closest.distance, closest.normal), point, 1e-9);
        assert_near(cnLength(closest.normal), 1.0, 1e-9);
        assert_false(isInside(shape, def, cnMulAdd(closest.point, 1e-6, closest.normal)));
        if (inside) {
            assert_true(isInside(shape, def, cnMulAdd(closest.point, -1e-6, closest.normal)));
        }
        cnSurfacePoint again;
        assert_true(cnShape_FindClosest(shape, closest.point, 100.0, &again));
        assert_near(again.distance, 0.0, 1e-9);

        // reach
        assert_false(cnShape_FindClosest(shape, point, 0.99 * fabs(closest.distance) - 1e-9, &again));
    }
}

static bool is_in_revolved(const cnShape* shape, const cnShapeDef* def, cnVec3 point) {
    (void)shape;
    return is_in(def, point);
}

static bool is_in_convex(const cnShape* shape, const cnShapeDef* def, cnVec3 point) {
    (void)def;
    cnRayHit hit =
        cnShape_CastRay(shape, (cnPose){cnVec3_zero, cnQuat_identity}, point, cnVec(1e-9, 0.0, 0.0));
    return hit.hit && hit.fraction == 0.0;
}

static void closest_points_are_those_of_samples(void** state) {
    (void)state;
    for (int i = 0; i < CASES(60); ++i) {
        cnShapeDef def = random_revolved(revolvedTypes[i % 4]);
        def.thickness = cnMax(def.thickness, 0.05);
        cnShape shape = make_shape(def);
        check_closest(&shape, is_in_revolved, &def);
    }
    for (int i = 0; i < CASES(40); ++i) {
        static const cnShapeType types[4] = {cn_sphere, cn_box, cn_capsule, cn_convex};
        cnVec3 points[20];
        for (int k = 0; k < 20; ++k) {
            points[k] = random_vec(1.0);
        }
        cnShape shape = make_shape((cnShapeDef){.type = types[i % 4],
                                                .radius = 0.4,
                                                .height = 1.0,
                                                .halfExtents = {0.3, 0.6, 0.9},
                                                .points = points,
                                                .pointCount = 20});
        check_closest(&shape, is_in_convex, NULL);
        cnShape_Free(&shape);
    }
    cnShape plane = make_shape((cnShapeDef){.type = cn_plane, .normal = {0.0, 0.0, 2.0}, .offset = 1.0});
    cnSurfacePoint closest;
    assert_true(cnShape_FindClosest(&plane, cnVec(3.0, 4.0, 0.5), 1.0, &closest));
    assert_near(closest.distance, -0.5, 1e-15);
    assert_near_vec(closest.point, cnVec(3.0, 4.0, 1.0), 1e-15);
}

// Features tell the sides apart and stay the same along one.
static void features_name_sides_and_rims(void** state) {
    (void)state;
    cnShape tube = make_shape(tube_of(1.0, 0.5, 4.0));
    static const struct {
        cnVec3 point;
        uint32_t feature;
        double distance;
    } expected[] = {
        {{2.0, 0.0, 0.0}, cn_outerWall, 0.5},       {{0.0, 1.0, 0.5}, cn_innerWall, 0.5},
        {{0.0, 3.0, 1.2}, cn_upperFace, 1.0},       {{1.1, -1.95, 0.0}, cn_lowerFace, -0.05},
        {{4.5, 6.0, 0.0}, cn_outerUpperRim, 5.0},   {{4.5, -6.0, 0.0}, cn_outerLowerRim, 5.0},
        {{0.25, 3.0, 0.0}, cn_innerUpperRim, 1.25}, {{0.0, -3.0, 0.25}, cn_innerLowerRim, 1.25},
        {{1.4, 0.0, 0.0}, cn_outerWall, -0.1},      {{1.1, 0.0, 0.0}, cn_innerWall, -0.1},
    };
    for (int i = 0; i < (int)(sizeof expected / sizeof expected[0]); ++i) {
        cnSurfacePoint closest;
        assert_true(cnShape_FindClosest(&tube, expected[i].point, 10.0, &closest));
        assert_int_equal(closest.feature, expected[i].feature);
        assert_near(closest.distance, expected[i].distance, 1e-12);
    }

    // a solid has no inner surface, and a pointed one an apex
    cnShape cone = make_shape((cnShapeDef){.type = cn_cone, .bottomRadius = 1.0, .height = 1.0});
    cnSurfacePoint closest;
    assert_true(cnShape_FindClosest(&cone, cnVec(0.0, 0.25, 0.0), 10.0, &closest));
    assert_near(closest.distance, -0.25, 1e-15);
    assert_int_equal(closest.feature, cn_lowerFace);
    assert_true(cnShape_FindClosest(&cone, cnVec(0.0, 3.0, 0.0), 10.0, &closest));
    assert_near(closest.distance, 2.0, 1e-15);
    assert_near_vec(closest.normal, cnVec(0.0, 1.0, 0.0), 1e-15);
}

static void impossible_shapes_are_named(void** state) {
    (void)state;
    static const struct {
        cnShapeDef def;
        cnErrorCode code;
        const char* message;
    } refused[] = {
        {{.type = cn_cylinder, .radius = -1.0, .height = 1.0}, CN_ERROR_OUT_OF_RANGE, "radius is -1 m"},
        {{.type = cn_cylinder, .radius = 1.0}, CN_ERROR_OUT_OF_RANGE, "height is 0 m, allowed is > 0"},
        {{.type = cn_hollowCylinder, .thickness = 1.0, .height = 1.0},
         CN_ERROR_OUT_OF_RANGE,
         "innerRadius is 0 m"},
        {{.type = cn_hollowCylinder, .innerRadius = 1.0, .height = 1.0},
         CN_ERROR_OUT_OF_RANGE,
         "thickness is 0 m"},
        {{.type = cn_hollowCylinder, .innerRadius = 1.0, .thickness = 0.1, .height = INFINITY},
         CN_ERROR_NOT_FINITE,
         "height is inf m"},
        {{.type = cn_cone, .height = 1.0}, CN_ERROR_OUT_OF_RANGE, "one of them must be > 0"},
        {{.type = cn_cone, .topRadius = -0.5, .bottomRadius = 1.0, .height = 1.0},
         CN_ERROR_OUT_OF_RANGE,
         "topRadius is -0.5 m, allowed is >= 0"},
        {{.type = cn_hollowCone, .topRadius = 1.0, .height = 1.0}, CN_ERROR_OUT_OF_RANGE, "thickness is 0 m"},
        {{.type = cn_line, .start = {1.0, 2.0, 3.0}, .end = {1.0, 2.0, 3.0}},
         CN_ERROR_OUT_OF_RANGE,
         "the line must have a length"},
        {{.type = cn_line, .start = {1.0, NAN, 3.0}}, CN_ERROR_NOT_FINITE, "start is"},
    };
    for (int i = 0; i < (int)(sizeof refused / sizeof refused[0]); ++i) {
        cnShape shape;
        assert_int_equal(cnShape_Init(&shape, &refused[i].def, "test"), refused[i].code);
        assert_message_has(refused[i].message);
    }
}

static void inradii_are_half_widths(void** state) {
    (void)state;
    assert_true(make_shape((cnShapeDef){.type = cn_cylinder, .radius = 0.3, .height = 2.0}).inradius == 0.3);
    assert_near(make_shape((cnShapeDef){.type = cn_cone, .bottomRadius = 3.0, .height = 4.0}).inradius,
                cnMin(2.0, 3.0 * 4.0 / 5.0), 1e-12);
    assert_near(make_shape(tube_of(0.5, 0.1, 3.0)).inradius, 0.05, 1e-12);
    assert_true(make_shape((cnShapeDef){.type = cn_line, .end = {1.0, 0.0, 0.0}}).inradius == 1e30);
}

// ---- planes and lines -------------------------------------------------------------------------------------

static cnManifold on_plane(const cnShape* shape, cnPose pose, double margin) {
    cnShape plane = make_shape(groundPlane);
    cnManifold manifold;
    cnCollideCache cache = {0};
    cnCollideShapes(shape, pose, &plane, (cnPose){cnVec3_zero, cnQuat_identity}, margin, &cache, &manifold);
    return manifold;
}

static const cnQuat upright = {0.70710678118654752440, 0.0, 0.0, 0.70710678118654752440}; // y to z

static void caps_stand_on_four_points(void** state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        cnShapeDef def = {.type = revolvedTypes[i],
                          .radius = 0.5,
                          .height = 1.0,
                          .innerRadius = 0.4,
                          .thickness = 0.1,
                          .topRadius = 0.2,
                          .bottomRadius = 0.5};
        cnShape shape = make_shape(def);
        double up = i < 2 ? 0.5 : 0.0;
        cnManifold manifold = on_plane(&shape, (cnPose){{3.0, 4.0, up - 1e-4}, upright}, 0.01);
        assert_int_equal(manifold.pointCount, 4);
        assert_near(manifold.normal.z, 1.0, 1e-6);
        for (int k = 0; k < 4; ++k) {
            cnVec3 p = cnAdd(manifold.origin,
                             cnVec(manifold.points[k].x, manifold.points[k].y, manifold.points[k].z));
            assert_near(manifold.depths[k], 1e-4, 1e-7);
            assert_near(cnLength(cnVec(p.x - 3.0, p.y - 4.0, 0.0)), 0.5, 1e-6);
            assert_near(p.z, -0.5e-4, 1e-6);
        }

        // tilted slightly: the deepest point's depth is right
        double tilt = random_in(-0.05, 0.05);
        cnQuat tilted = cnMulQuat(cnQuatFromRotationVector(cnVec(0.0, tilt, 0.0)), upright);
        cnPose pose = {{0.0, 0.0, i < 2 ? 0.5 : 0.0}, tilted};
        cnBounds bounds = cnShape_ComputeBounds(&shape, pose);
        manifold = on_plane(&shape, pose, 1.0);
        double deepest = -INFINITY;
        for (int k = 0; k < manifold.pointCount; ++k) {
            deepest = cnMax(deepest, manifold.depths[k]);
        }
        assert_near(deepest, -bounds.lower.z, 1e-4 * shape.inradius);
    }
}

static void the_deepest_point_is_found_in_any_pose(void** state) {
    (void)state;
    for (int i = 0; i < CASES(4000); ++i) {
        cnShape shape = make_shape(random_revolved(revolvedTypes[i % 4]));
        cnPose pose = {cnVec(0.0, 0.0, random_in(-1.0, 1.0)), random_rotation()};
        cnBounds bounds = cnShape_ComputeBounds(&shape, pose);
        cnManifold manifold = on_plane(&shape, pose, 0.05);
        assert_true((manifold.pointCount > 0) == (bounds.lower.z <= 0.05));
        double deepest = -INFINITY;
        for (int k = 0; k < manifold.pointCount; ++k) {
            deepest = cnMax(deepest, manifold.depths[k]);
        }
        if (manifold.pointCount > 0) {
            assert_near(deepest, -bounds.lower.z, 1e-4 * shape.inradius + 1e-6);
        }
    }
}

static void lying_solids_rest_on_two_points(void** state) {
    (void)state;
    cnShape cylinder = make_shape((cnShapeDef){.type = cn_cylinder, .radius = 0.5, .height = 2.0});
    cnQuat turn = cnQuatFromRotationVector(cnVec(0.0, 0.7, 0.0));
    cnManifold manifold = on_plane(&cylinder, (cnPose){{0.0, 0.0, 0.499}, turn}, 0.01);
    // y lies across z already
    assert_int_equal(manifold.pointCount, 2);
    assert_near(manifold.depths[0], 0.001, 1e-6);
    double apart = (double)manifold.points[0].y - (double)manifold.points[1].y;
    assert_near(fabs(apart), 2.0, 1e-6);

    // a cone on its side: its axis rises by half the apex angle
    cnShape cone = make_shape((cnShapeDef){.type = cn_cone, .bottomRadius = 0.6, .height = 0.8});
    double half = cnAtan2(0.6, 0.8);
    cnQuat lying = cnQuatFromRotationVector(cnVec(-half, 0.0, 0.0));
    manifold = on_plane(&cone, (cnPose){{0.0, 0.0, 0.6 * cnCos(half)}, lying}, 0.01);
    assert_int_equal(manifold.pointCount, 2);
    for (int k = 0; k < 2; ++k) {
        assert_near(manifold.depths[k], 0.0, 1e-6);
    }
}

static void lines_report_the_first_surface(void** state) {
    (void)state;
    cnShape line =
        make_shape((cnShapeDef){.type = cn_line, .start = {0.0, 0.0, 3.0}, .end = {0.0, 0.0, -1.0}});
    cnShape box = make_shape(box_of(1.0, 1.0, 1.0));
    cnPose identity = {cnVec3_zero, cnQuat_identity};
    cnPose moved = {cnVec(0.5, 0.0, 0.25), cnQuat_identity};
    cnManifold manifold;
    cnCollideCache cache = {0};

    // from 3.25 m down to 1 m, of 4 m: depth 1.75 m, and the normal out of the surface moves the line
    assert_int_equal(cnCollideShapes(&line, moved, &box, identity, 0.01, &cache, &manifold), 1);
    assert_near(manifold.depths[0], 1.75, 1e-6);
    assert_near(manifold.normal.z, 1.0, 1e-6);
    assert_near(manifold.origin.z + manifold.points[0].z, 1.0, 1e-6);
    assert_int_equal(cnCollideShapes(&box, identity, &line, moved, 0.01, &cache, &manifold), 1);
    assert_near(manifold.normal.z, -1.0, 1e-6);
    assert_near(manifold.origin.x + manifold.points[0].x, 0.5, 1e-6);

    // a plane, from inside, past it, and lines among themselves
    cnShape plane = make_shape((cnShapeDef){.type = cn_plane, .normal = {0.0, 0.6, 0.8}});
    assert_int_equal(cnCollideShapes(&line, identity, &plane, identity, 0.01, &cache, &manifold), 1);
    assert_near(manifold.depths[0], 1.0, 1e-6);
    assert_near(manifold.normal.y, 0.6, 1e-6);
    cnPose within = {cnVec(0.0, 0.0, -3.0), cnQuat_identity};
    assert_int_equal(cnCollideShapes(&line, within, &box, identity, 0.01, &cache, &manifold), 1);
    assert_near(manifold.depths[0], 4.0, 1e-6);
    assert_near(manifold.normal.z, 1.0, 1e-6);
    cnPose beside = {cnVec(1.001, 0.0, 0.0), cnQuat_identity};
    assert_int_equal(cnCollideShapes(&line, beside, &box, identity, 0.01, &cache, &manifold), 0);
    assert_int_equal(cnCollideShapes(&line, identity, &line, identity, 0.01, &cache, &manifold), 0);
    assert_false(cnCanCollide(cn_line, cn_line));
    assert_false(cnShape_FindClosest(&line, cnVec3_zero, 1.0, &(cnSurfacePoint){0}));
}

int main(void) {
    return run_all(masses_have_closed_forms, hollow_cones_are_differences,
                   volumes_and_bounds_are_those_of_samples, rays_meet_what_marching_meets,
                   rays_pass_through_holes, closest_points_are_those_of_samples, features_name_sides_and_rims,
                   impossible_shapes_are_named, inradii_are_half_widths, caps_stand_on_four_points,
                   the_deepest_point_is_found_in_any_pose, lying_solids_rest_on_two_points,
                   lines_report_the_first_surface);
}
