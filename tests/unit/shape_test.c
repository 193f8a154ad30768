// Shapes: what is refused, closed forms of mass, bounds by sampling, rays by marching.
#include "geometry/shape.h"
#include "shapes.h"

static cnMassProperties mass_of(cnShapeDef def, double density) {
    cnMassProperties mass;
    assert_int_equal(cnComputeMassProperties(&def, density, &mass), CN_ERROR_NONE);
    return mass;
}

static int box_points(cnVec3 half, cnPose pose, cnVec3* points) {
    for (int i = 0; i < 8; ++i) {
        points[i] = cnTransformPoint(
            pose, cnMul(half, cnVec(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0)));
    }
    return 8;
}

static void masses_have_closed_forms(void** state) {
    (void)state;
    cnMassProperties ball = mass_of(sphere_of(0.5), 1000.0);
    assert_near(ball.mass, 1000.0 * CN_PI / 6.0, 1e-9);
    assert_near(ball.inertia.x.x, 0.4 * ball.mass * 0.25, 1e-9);

    cnMassProperties box = mass_of(box_of(0.5, 1.0, 1.5), 2.0);
    assert_near(box.volume, 6.0, 1e-12);
    assert_near_mat(box.inertia, cnDiagonal(cnVec(12.0 / 12.0 * 13.0, 12.0 / 12.0 * 10.0, 12.0 / 12.0 * 5.0)),
                    1e-12);

    // a capsule of no length is a ball; a long one is nearly a rod
    cnMassProperties round = mass_of((cnShapeDef){.type = cn_capsule, .radius = 0.5}, 1000.0);
    assert_near_mat(round.inertia, ball.inertia, 1e-9);
    cnMassProperties rod = mass_of((cnShapeDef){.type = cn_capsule, .radius = 0.01, .height = 100.0}, 1.0);
    assert_near(rod.inertia.x.x, rod.mass * 100.0 * 100.0 / 12.0, 1e-3 * rod.inertia.x.x);

    cnMassProperties plane = mass_of((cnShapeDef){.type = cn_plane, .normal = {0.0, 0.0, 2.0}}, 1.0);
    assert_near(plane.volume, 0.0, 0.0);

    // unit corner: m = 1/6, about the centroid I = m 3/80 · ..., products m/80 ∓
    const cnVec3 corner[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    cnMassProperties tetrahedron =
        mass_of((cnShapeDef){.type = cn_convex, .points = corner, .pointCount = 4}, 6.0);
    assert_near(tetrahedron.mass, 1.0, 1e-14);
    assert_near(tetrahedron.centre.x, 0.25, 1e-15);
    assert_near(tetrahedron.inertia.x.x, 3.0 / 40.0, 1e-15);
    assert_near(tetrahedron.inertia.x.y, 1.0 / 80.0, 1e-15);
}

// ∫ over a capsule by slices across its axis.
static void a_capsule_is_its_slices(void** state) {
    (void)state;
    double r = 0.3, h = 0.7;
    cnMassProperties mass = mass_of((cnShapeDef){.type = cn_capsule, .radius = r, .height = 2.0 * h}, 1.0);
    double volume = 0.0, axial = 0.0, lateral = 0.0;
    const int slices = 200000;
    for (int i = 0; i < slices; ++i) {
        double y = (h + r) * (2.0 * (i + 0.5) / slices - 1.0);
        double beyond = cnMax(0.0, fabs(y) - h);
        double squared = r * r - beyond * beyond;
        double slice = CN_PI * squared * 2.0 * (h + r) / slices;
        volume += slice;
        axial += 0.5 * slice * squared;
        lateral += slice * (0.25 * squared + y * y);
    }
    assert_near(mass.volume, volume, 1e-8);
    assert_near_mat(mass.inertia, cnDiagonal(cnVec(lateral, axial, lateral)), 1e-8);
}

static void a_box_as_a_hull_weighs_the_same(void** state) {
    (void)state;
    for (int i = 0; i < 200; ++i) {
        cnVec3 half = {random_in(0.1, 2.0), random_in(0.1, 2.0), random_in(0.1, 2.0)};
        cnPose pose = {random_vec(i % 2 == 0 ? 1.0 : 1000.0), random_rotation()};
        cnVec3 points[8];
        int count = box_points(half, pose, points);
        cnMassProperties box = mass_of((cnShapeDef){.type = cn_box, .halfExtents = half}, 3.0);
        cnMassProperties hull =
            mass_of((cnShapeDef){.type = cn_convex, .points = points, .pointCount = count}, 3.0);
        assert_near(hull.mass, box.mass, 1e-9 * box.mass);
        assert_near(cnLength(cnSub(hull.centre, pose.position)), 0.0, 1e-9);
        cnMat33 turned = cnRotateMat(cnMatFromQuat(pose.rotation), box.inertia);
        assert_near_mat(hull.inertia, turned, 1e-9 * (box.inertia.x.x + box.inertia.y.y + box.inertia.z.z));
    }
}

static void hulls_of_spheres_converge(void** state) {
    (void)state;
    static cnVec3 points[4096];
    double errors[2];
    for (int round = 0; round < 2; ++round) {
        // a spiral from pole to pole
        int count = round == 0 ? 256 : 4096;
        for (int i = 0; i < count; ++i) {
            double y = 1.0 - 2.0 * (i + 0.5) / count;
            double r = sqrt(1.0 - y * y);
            points[i] = cnVec(r * cos(2.399963229728653 * i), y, r * sin(2.399963229728653 * i));
        }
        cnMassProperties mass =
            mass_of((cnShapeDef){.type = cn_convex, .points = points, .pointCount = count}, 1.0);
        errors[round] = 1.0 - mass.volume / (4.0 / 3.0 * CN_PI);
        assert_near(mass.inertia.x.x, 8.0 / 15.0 * CN_PI, 20.0 / count);
        assert_near(cnLength(mass.centre), 0.0, 1.0 / count);
    }
    assert_true(errors[0] > 0.0 && errors[0] < 0.05);
    assert_true(errors[1] > 0.0 && errors[1] < errors[0] / 12.0);
}

static void impossible_shapes_are_named(void** state) {
    (void)state;
    assert_shape_rejected((cnShapeDef){0}, CN_ERROR_OUT_OF_RANGE, "type", "type is 0");
    assert_shape_rejected(sphere_of(-1.0), CN_ERROR_OUT_OF_RANGE, "radius", "radius is -1 m, allowed is > 0");
    assert_shape_rejected((cnShapeDef){.type = cn_sphere}, CN_ERROR_OUT_OF_RANGE, "radius",
                          "radius is 0 m, allowed is > 0");
    assert_shape_rejected(sphere_of(NAN), CN_ERROR_NOT_FINITE, "radius", "finite");
    assert_shape_rejected(sphere_of(INFINITY), CN_ERROR_NOT_FINITE, "radius", "finite");
    assert_shape_rejected(sphere_of(2e30), CN_ERROR_OUT_OF_RANGE, "radius", "1e30");
    assert_shape_rejected(sphere_of(1e-200), CN_ERROR_DEGENERATE_SHAPE, "shape", "volume");
    assert_shape_rejected(box_of(1.0, 0.0, 1.0), CN_ERROR_OUT_OF_RANGE, "halfExtents.y",
                          "halfExtents.y is 0 m");
    assert_shape_rejected((cnShapeDef){.type = cn_capsule, .radius = 1.0, .height = -0.5},
                          CN_ERROR_OUT_OF_RANGE, "height", "height is -0.5 m, allowed is >= 0");
    assert_shape_rejected((cnShapeDef){.type = cn_plane}, CN_ERROR_OUT_OF_RANGE, "normal",
                          "length must be > 0");
    assert_shape_rejected((cnShapeDef){.type = cn_plane, .normal = {0.0, NAN, 0.0}}, CN_ERROR_NOT_FINITE,
                          "normal", "finite");
    assert_shape_rejected((cnShapeDef){.type = cn_plane, .normal = {0.0, 0.0, 1.0}, .offset = -1e31},
                          CN_ERROR_OUT_OF_RANGE, "offset", "1e30");
    assert_shape_rejected((cnShapeDef){.type = cn_convex}, CN_ERROR_OUT_OF_RANGE, "points",
                          "points has 0 points, allowed are 4 to");
    assert_shape_rejected((cnShapeDef){.type = cn_convex, .pointCount = 4}, CN_ERROR_NULL_ARGUMENT, "points",
                          "null");
    const cnVec3 far[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1e31}};
    assert_shape_rejected((cnShapeDef){.type = cn_convex, .points = far, .pointCount = 4},
                          CN_ERROR_OUT_OF_RANGE, "points[3]", "1e30");
    cnMassProperties mass;
    cnShapeDef ball = {.type = cn_sphere, .radius = 1.0};
    assert_int_equal(cnComputeMassProperties(NULL, 1.0, &mass), CN_ERROR_NULL_ARGUMENT);
    assert_int_equal(cnComputeMassProperties(&ball, 0.0, &mass), CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnComputeMassProperties(&ball, NAN, &mass), CN_ERROR_NOT_FINITE);
    cnBounds bounds;
    assert_int_equal(cnComputeBounds(&ball, (cnPose){{0.0, NAN, 0.0}, cnQuat_identity}, &bounds),
                     CN_ERROR_NOT_FINITE);
    assert_int_equal(cnComputeBounds(&ball, (cnPose){0}, &bounds), CN_ERROR_OUT_OF_RANGE);
}

static void normals_of_any_length_are_unit(void** state) {
    (void)state;
    static const double lengths[] = {1e-300, 1e-10, 1.0, 1e30};
    for (int i = 0; i < 4; ++i) {
        cnShape shape;
        cnShapeDef def = {
            .type = cn_plane, .normal = cnScale(lengths[i], cnVec(1.0, -2.0, 2.0)), .offset = 7.0};
        if (i == 3) {
            def.normal = cnVec(1e30, -1e30, 1e29);
        }
        assert_int_equal(cnShape_Init(&shape, &def, "test"), CN_ERROR_NONE);
        assert_near(cnLength(shape.normal), 1.0, 1e-15);
        assert_near(shape.offset, 7.0, 0.0);
    }
}

static cnShape make_random_shape(int kind) {
    cnShape shape;
    cnVec3 points[20];
    cnShapeDef def = {
        .type = (cnShapeType)kind, .radius = random_in(0.2, 1.0), .height = random_in(0.0, 2.0)};
    def.halfExtents = cnVec(def.radius, 0.5 * def.height + 0.1, 0.7);
    def.normal = random_direction();
    def.offset = random_in(-1.0, 1.0);
    for (int i = 0; i < 20; ++i) {
        points[i] = random_vec(1.0);
    }
    def.points = points;
    def.pointCount = 20;
    assert_int_equal(cnShape_Init(&shape, &def, "test"), CN_ERROR_NONE);
    return shape;
}

// Signed measure: at most 0 inside.
static double inside(const cnShape* shape, cnPose pose, cnVec3 world) {
    cnVec3 p = cnInvTransformPoint(pose, world);
    double highest = -INFINITY;
    switch (shape->type) {
    case cn_sphere:
        return cnLength(p) - shape->radius;
    case cn_box: {
        cnVec3 over = cnSub(cnAbs(p), shape->halfExtents);
        return cnMax(over.x, cnMax(over.y, over.z));
    }
    case cn_capsule:
        return cnLength(cnVec(p.x, p.y - cnClamp(p.y, -shape->halfHeight, shape->halfHeight), p.z)) -
               shape->radius;
    case cn_plane:
        return cnDot(shape->normal, p) - shape->offset;
    default:
        for (int i = 0; i < shape->hull->faceCount; ++i) {
            highest = cnMax(highest, cnDot(shape->hull->planes[i].normal, p) - shape->hull->planes[i].offset);
        }
        return highest;
    }
}

static void rays_meet_what_marching_meets(void** state) {
    (void)state;
    int hits = 0;
    for (int i = 0; i < 5000; ++i) {
        cnShape shape = make_random_shape(1 + i % 5);
        cnPose pose = {random_vec(2.0), random_rotation()};
        cnVec3 origin = random_vec(4.0);
        cnVec3 translation = cnSub(cnAdd(pose.position, random_vec(1.5)), origin);
        translation = cnScale(random_in(0.3, 2.0), translation);
        cnRayHit hit = cnShape_CastRay(&shape, pose, origin, translation);

        // march, then halve the step that enters
        const int steps = 2000;
        double entered = -1.0;
        if (inside(&shape, pose, origin) <= 0.0) {
            entered = 0.0;
        }
        for (int k = 1; k <= steps && entered < 0.0; ++k) {
            if (inside(&shape, pose, cnMulAdd(origin, (double)k / steps, translation)) < 0.0) {
                double lower = (double)(k - 1) / steps, upper = (double)k / steps;
                for (int m = 0; m < 60; ++m) {
                    double middle = 0.5 * (lower + upper);
                    *(inside(&shape, pose, cnMulAdd(origin, middle, translation)) < 0.0 ? &upper : &lower) =
                        middle;
                }
                entered = upper;
            }
        }
        if (entered >= 0.0) {
            assert_true(hit.hit);
            assert_near(hit.fraction, entered, 1e-9);
            ++hits;
        }
        if (hit.hit) {
            // grazing hits are what marching may miss
            cnVec3 point = cnMulAdd(origin, hit.fraction, translation);
            assert_true(entered >= 0.0 || fabs(inside(&shape, pose, point)) < 1e-9);
            assert_near(cnLength(hit.normal), 1.0, 1e-12);
            assert_true(cnDot(hit.normal, translation) <= 1e-9);
            assert_near(cnLength(cnSub(hit.point, point)), 0.0, 1e-12);
            if (hit.fraction > 0.0) {
                assert_true(inside(&shape, pose, cnMulAdd(hit.point, 1e-6, hit.normal)) > 0.0);
            } else {
                assert_near(cnLength(cnAdd(hit.normal, cnNormalize(translation))), 0.0, 1e-12);
            }
        }
        cnShape_Free(&shape);
    }
    assert_true(hits > 1500);
}

// From 1e6 m away a ball is hit within a micrometre.
static void far_rays_are_exact(void** state) {
    (void)state;
    cnShapeDef def = {.type = cn_sphere, .radius = 0.5};
    cnRayHit hit;
    cnVec3 origin = {-1e6, 0.3, 0.0};
    assert_int_equal(
        cnCastRayAtShape(&def, (cnPose){cnVec3_zero, cnQuat_identity}, origin, cnVec(2e6, 0.0, 0.0), &hit),
        CN_ERROR_NONE);
    assert_true(hit.hit);
    assert_near(hit.point.x, -0.4, 1e-6);
    assert_int_equal(
        cnCastRayAtShape(&def, (cnPose){cnVec3_zero, cnQuat_identity}, origin, cnVec(0.5e6, 0.0, 0.0), &hit),
        CN_ERROR_NONE);
    assert_false(hit.hit);
}

static void bounds_hold_the_shape_tightly(void** state) {
    (void)state;
    for (int i = 0; i < 400; ++i) {
        cnShape shape = make_random_shape(1 + i % 5);
        if (shape.type == cn_plane) {
            continue;
        }
        cnPose pose = {random_vec(2.0), random_rotation()};
        cnBounds bounds = cnShape_ComputeBounds(&shape, pose);
        cnVec3 size = cnSub(bounds.upper, bounds.lower);

        // rays from every side of the bounds inwards: the shape touches each side and reaches over none
        const double* lower = &bounds.lower.x;
        const double* upper = &bounds.upper.x;
        double nearest[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        for (int k = 0; k < 4000; ++k) {
            cnVec3 point =
                cnAdd(bounds.lower,
                      cnMul(size, cnVec(random_in(-0.2, 1.2), random_in(-0.2, 1.2), random_in(-0.2, 1.2))));
            const double* p = &point.x;
            if (inside(&shape, pose, point) <= 0.0) {
                for (int axis = 0; axis < 3; ++axis) {
                    assert_true(p[axis] >= lower[axis] - 1e-12 && p[axis] <= upper[axis] + 1e-12);
                    nearest[2 * axis] =
                        cnMin(nearest[2 * axis], (p[axis] - lower[axis]) / (upper[axis] - lower[axis]));
                    nearest[2 * axis + 1] =
                        cnMin(nearest[2 * axis + 1], (upper[axis] - p[axis]) / (upper[axis] - lower[axis]));
                }
            }
        }
        for (int side = 0; side < 6; ++side) {
            assert_true(nearest[side] < 0.2);
        }
        assert_near(
            cnLength(cnSub(shape.centre, cnScale(0.5, cnAdd(shape.bounds.lower, shape.bounds.upper)))), 0.0,
            1e-15);
        assert_true(shape.inradius <= shape.boundingRadius);
        cnShape_Free(&shape);
    }
}

static void planes_bound_what_they_can(void** state) {
    (void)state;
    cnShapeDef def = {.type = cn_plane, .normal = {0.0, 0.0, 5.0}, .offset = 2.0};
    cnBounds bounds;
    assert_int_equal(cnComputeBounds(&def, (cnPose){{0.0, 0.0, 1.0}, cnQuat_identity}, &bounds),
                     CN_ERROR_NONE);
    assert_near(bounds.upper.z, 3.0, 1e-12);
    assert_near(bounds.lower.z, -1e30, 0.0);
    assert_near(bounds.upper.x, 1e30, 0.0);
    cnPose over = {cnVec3_zero, {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(cnComputeBounds(&def, over, &bounds), CN_ERROR_NONE);
    assert_near(bounds.lower.z, -2.0, 1e-12);
    assert_near(bounds.upper.z, 1e30, 0.0);
}

static void inradii_are_half_widths(void** state) {
    (void)state;
    for (int i = 0; i < 50; ++i) {
        cnVec3 half = {random_in(0.1, 2.0), random_in(0.1, 2.0), random_in(0.1, 2.0)};
        cnVec3 points[8];
        cnPose pose = {random_vec(5.0), random_rotation()};
        cnShapeDef def = {.type = cn_convex, .points = points, .pointCount = box_points(half, pose, points)};
        cnShape shape;
        assert_int_equal(cnShape_Init(&shape, &def, "test"), CN_ERROR_NONE);
        assert_near(shape.inradius, cnMin(half.x, cnMin(half.y, half.z)), 1e-12);
        assert_near((double)cnShape_GetBytes(&shape), (double)shape.hull->bytes, 0.0);
        cnShape_Free(&shape);
    }
}

int main(void) {
    return run_all(masses_have_closed_forms, a_capsule_is_its_slices, a_box_as_a_hull_weighs_the_same,
                   hulls_of_spheres_converge, impossible_shapes_are_named, normals_of_any_length_are_unit,
                   rays_meet_what_marching_meets, far_rays_are_exact, bounds_hold_the_shape_tightly,
                   planes_bound_what_they_can, inradii_are_half_widths);
}
