// Hollow solids against every shape without triangles, compared with dense samples of both surfaces; and what
// they are for: balls in tubes, pegs in holes, rings on cones.
#include "collide/narrow/collide.h"
#include "geometry/shapes/revolved.h"
#include "shapes.h"

static cnShapePair make_pair(const cnShape* a, const cnShape* b, cnPose poseB, double margin) {
    cnShapePair pair = {.a = a, .b = b, .margin = margin, .size = cnMin(a->inradius, b->inradius)};
    pair.pose = (cnRelativePose){cnMatFromQuat(poseB.rotation), poseB.position};
    return pair;
}

static const cnPose identity = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};

// ---- samples ----------------------------------------------------------------------------------------------

typedef struct Cloud {
    int count;
    cnVec3 points[6000];
} Cloud;

// Points all over a surface: of solids of revolution by their sections, with rims; of others by rays from
// outside inwards, with corners.
static void sample_surface(const cnShape* shape, Cloud* cloud) {
    const int wanted = 6000;
    cloud->count = 0;
    while (cloud->count < wanted) {
        if (cnIsRevolved(shape->type)) {
            int side = cloud->count % 4;
            cnProfileVec from = cnGetProfileCorner(&shape->profile, side);
            cnProfileVec to = cnGetProfileCorner(&shape->profile, (side + 1) % 4);
            double t = cloud->count % 3 == 0 ? 0.0 : random_in(0.0, 1.0);
            if (side == cn_innerWall && !cnIsHollow(&shape->profile)) {
                t = 0.0;
            }
            double radius = from.radius + t * (to.radius - from.radius);
            double height = from.height + t * (to.height - from.height);
            double angle = random_in(0.0, 2.0 * CN_PI);
            bool isSurface = radius > 0.0 || cnIsHollow(&shape->profile) || side != 3 || t > 0.0;
            cloud->points[cloud->count++] = isSurface
                                                ? cnVec(radius * cnCos(angle), height, radius * cnSin(angle))
                                                : cnVec(0.0, height, 0.0);
            continue;
        }
        cnVec3 a = cnMulAdd(shape->centre, 2.0 * shape->boundingRadius, cnNormalize(random_vec(1.0)));
        cnVec3 b = cnMulAdd(shape->centre, 0.9 * shape->boundingRadius, random_vec(1.0));
        cnRayHit hit = cnShape_CastRay(shape, identity, a, cnSub(b, a));
        if (hit.hit) {
            cloud->points[cloud->count++] = hit.point;
        }
    }
}

// The least signed distance of samples of each surface to the other.
static double sample_separation(const cnShapePair* pair, const Cloud* cloudA, const Cloud* cloudB, int stride,
                                cnVec3* normal) {
    double min = INFINITY;
    cnSurfacePoint closest;
    for (int i = 0; i < cloudB->count; i += stride) {
        cnShape_FindClosest(pair->a, cnToA(&pair->pose, cloudB->points[i]), INFINITY, &closest);
        if (closest.distance < min) {
            min = closest.distance;
            *normal = closest.normal;
        }
    }
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    for (int i = 0; i < cloudA->count; i += stride) {
        cnVec3 point = cnToA(&inverse, cloudA->points[i]);
        if (cnLength(cnSub(point, pair->b->centre)) > pair->b->boundingRadius + fabs(min)) {
            continue;
        }
        cnShape_FindClosest(pair->b, point, INFINITY, &closest);
        if (closest.distance < min) {
            min = closest.distance;
            *normal = cnNeg(cnMulMat(pair->pose.axes, closest.normal));
        }
    }
    return min;
}

static cnShape random_hollow(bool isCone) {
    cnShapeDef def = {.type = isCone ? cn_hollowCone : cn_hollowCylinder,
                      .height = random_in(0.2, 2.0),
                      .innerRadius = random_in(0.3, 1.0),
                      .thickness = random_in(0.1, 0.3),
                      .topRadius = random_in(0.4, 1.2),
                      .bottomRadius = random_in(0.4, 1.2)};
    if (random_in(0.0, 1.0) < 0.2) {
        *(random_in(0.0, 1.0) < 0.5 ? &def.topRadius : &def.bottomRadius) = 0.0;
    }
    return make_shape(def);
}

static cnShape random_other(cnShapeType type) {
    if (type == cn_hollowCylinder || type == cn_hollowCone) {
        return random_hollow(type == cn_hollowCone);
    }
    double size = random_in(0.0, 1.0) < 0.5 ? 0.4 : 1.0; // in the hole, or about it
    cnVec3 points[16];
    cnShapeDef def = {
        .type = type,
        .radius = size * random_in(0.3, 1.0),
        .height = size * random_in(0.3, 2.0),
        .halfExtents = {size * random_in(0.2, 1.0), size * random_in(0.2, 1.0), size * random_in(0.2, 1.0)},
        .topRadius = size * random_in(0.2, 1.0),
        .bottomRadius = size * random_in(0.2, 1.0),
        .points = points,
        .pointCount = 16};
    if (random_in(0.0, 1.0) < 0.3) {
        def.topRadius = 0.0;
    }
    for (int i = 0; i < 16; ++i) {
        points[i] = random_vec(size);
    }
    return make_shape(def);
}

static const cnShapeType others[8] = {cn_sphere, cn_capsule,        cn_box,       cn_convex, cn_cylinder,
                                      cn_cone,   cn_hollowCylinder, cn_hollowCone};

static double deepest_of(const cnCandidates* candidates) {
    double deepest = -INFINITY;
    for (int i = 0; i < candidates->list.count; ++i) {
        deepest = cnMax(deepest, candidates->list.data[i].depth);
    }
    return deepest;
}

// A candidate's two points lie on the two surfaces.
static void check_candidates(const cnShapePair* pair, const cnCandidates* candidates) {
    cnRelativePose inverse = cnInvRelativePose(&pair->pose);
    for (int i = 0; i < candidates->list.count; ++i) {
        const cnCandidate* c = candidates->list.data + i;
        assert_near(cnLength(c->normal), 1.0, 1e-9);
        assert_true(c->depth >= -pair->margin - 1e-12);
        cnSurfacePoint onA, onB;
        cnShape_FindClosest(pair->a, cnMulAdd(c->point, 0.5 * c->depth, c->normal), INFINITY, &onA);
        cnShape_FindClosest(pair->b, cnToA(&inverse, cnMulAdd(c->point, -0.5 * c->depth, c->normal)),
                            INFINITY, &onB);
        assert_near(onA.distance, 0.0, 1e-9);

        // a capsule that lies on a wall within 0.02 rad has points by the balls about its axis
        bool isCapsule = pair->b->type == cn_capsule;
        if (!isCapsule || c->depth < pair->a->inradius) {
            assert_near(onB.distance, 0.0, isCapsule ? 2.1e-4 * pair->b->radius : 1e-9);
        }
    }
}

static void contacts_are_those_of_samples(void** state) {
    (void)state;
    static Cloud cloudA, cloudB;
    cnCandidates candidates = {0};
    int touching = 0, sunk = 0, shallow = 0;
    for (int i = 0; i < CASES(240); ++i) {
        cnShape a = random_hollow(i / 8 % 2 == 1);
        cnShape b = random_other(others[i % 8]);
        sample_surface(&a, &cloudA);
        sample_surface(&b, &cloudB);
        double size = cnMin(a.inradius, b.inradius);
        double margin = 0.2 * size;
        for (int k = 0; k < 6; ++k) {
            // somewhere, then pushed to a wanted distance
            cnPose pose = {cnAdd(a.centre, random_vec(k < 3 ? 0.3 : 1.2)),
                           k % 3 == 2 ? cnQuat_identity : random_rotation()};
            double wanted = random_in(-0.3, 0.25) * size;
            cnShapePair pair = make_pair(&a, &b, pose, margin);
            cnVec3 normal = cnVec3_zero;
            for (int push = 0; push < 6; ++push) {
                double s = sample_separation(&pair, &cloudA, &cloudB, 16, &normal);
                pair.pose.position = cnMulAdd(pair.pose.position, wanted - s, normal);
            }
            double sampled = sample_separation(&pair, &cloudA, &cloudB, 1, &normal);
            candidates.list.count = 0;
            assert_true(cnCollideHollow(&pair, &candidates));
            check_candidates(&pair, &candidates);
            double deepest = deepest_of(&candidates);
            if (sampled > margin) {
                assert_true(deepest < 0.0);
            } else if (sampled > 0.0) {
                // never farther than the samples but for what flat stretches leave out, and nearer only
                // by their spacing
                ++touching;
                if (!(-deepest <= sampled + 1.1e-5 * size && -deepest >= sampled - 0.15)) {
                    fail_msg("case %d.%d: %d with %d: found %g, sampled %g", i, k, a.type, b.type, -deepest,
                             sampled);
                }
            } else {
                // never missed, and hardly ever less deep than the samples
                ++sunk;
                if (!(deepest > 0.0)) {
                    fail_msg("case %d.%d: %d with %d: none found, sampled %g", i, k, a.type, b.type, sampled);
                }
                shallow += sampled > -0.4 * size && deepest < -0.9 * sampled;
            }
        }
        cnShape_Free(&b);
    }
    cnArray_Free(&candidates.list);
    assert_true(touching > CASES(100) && sunk > CASES(200) && shallow * 100 <= sunk);
}

// ---- what they are for ------------------------------------------------------------------------------------

static cnCandidates found;

static int collide_shapes(const cnShape* a, const cnShape* b, cnPose pose, double margin) {
    cnShapePair pair = make_pair(a, b, pose, margin);
    found.list.count = 0;
    assert_true(cnCollideHollow(&pair, &found));
    check_candidates(&pair, &found);
    return found.list.count;
}

// One contact, exactly radial, wherever along the wall.
static void a_ball_rolls_in_a_tube(void** state) {
    (void)state;
    cnShape tube = make_shape(tube_of(1.0, 0.1, 4.0));
    cnShape ball = make_shape(sphere_of(0.25));
    for (int i = 0; i < 1000; ++i) {
        double angle = random_in(0.0, 2.0 * CN_PI);
        cnVec3 out = cnVec(cnCos(angle), 0.0, cnSin(angle));
        cnPose pose = {cnScale(0.7501, out), random_rotation()};
        pose.position.y = random_in(-1.9, 1.9);
        assert_int_equal(collide_shapes(&tube, &ball, pose, 0.005), 1);
        const cnCandidate* contact = found.list.data;
        assert_near(cnLength(cnAdd(contact->normal, out)), 0.0, 1e-14);
        assert_near(contact->depth, 1e-4, 1e-14);
        assert_near(contact->point.y, pose.position.y, 1e-14);
    }

    // too large for the opening: held by the rim all around
    cnShape large = make_shape(sphere_of(1.25));
    assert_true(collide_shapes(&tube, &large, (cnPose){{0.0, 2.7499, 0.0}, cnQuat_identity}, 0.01) == 4);
    cnVec3 sum = cnVec3_zero;
    for (int i = 0; i < 4; ++i) {
        assert_near(found.list.data[i].normal.y, 0.6, 1e-3);
        sum = cnAdd(sum, found.list.data[i].normal);
    }
    assert_near(cnLength(cnVec(sum.x, 0.0, sum.z)), 0.0, 1e-9);
}

// 0.5 mm of play: free in the middle with contacts all around within the margin; held at both
// ends where it leans.
static void a_peg_enters_a_hole(void** state) {
    (void)state;
    cnShape block = make_shape(tube_of(0.0255, 0.02, 0.1));
    cnShape peg = make_shape((cnShapeDef){.type = cn_cylinder, .radius = 0.025, .height = 0.2});
    for (int depth = 0; depth < 10; ++depth) {
        cnPose pose = {{0.0, 0.149 - 0.01 * depth, 0.0}, cnQuat_identity};
        assert_true(collide_shapes(&block, &peg, pose, 0.001) >= 8);
        for (int i = 0; i < found.list.count; ++i) {
            assert_near(found.list.data[i].depth, -0.0005, 1e-12);
            assert_near(found.list.data[i].normal.y, 0.0, 1e-12);
        }

        // against one side: two points of one line, as far apart as the peg is in
        pose.position.x = 0.00051;
        collide_shapes(&block, &peg, pose, 1e-4);
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < found.list.count; ++i) {
            const cnCandidate* c = found.list.data + i;
            if (c->depth > 0.9e-5) {
                assert_near(c->normal.x, -1.0, 1e-6);
                lower = cnMin(lower, c->point.y);
                upper = cnMax(upper, c->point.y);
            }
        }
        assert_near(upper, 0.05, 1e-9);
        assert_near(lower, 0.049 - 0.01 * depth, 1e-9);
    }

    // leaning: its end on one side, the hole's rim on the other
    cnQuat lean = cnQuatFromRotationVector(cnVec(0.0, 0.0, 0.011));
    collide_shapes(&block, &peg, (cnPose){{-0.0005, 0.05, 0.0}, lean}, 2e-4);
    bool left = false, right = false;
    for (int i = 0; i < found.list.count; ++i) {
        left = left || found.list.data[i].normal.x > 0.99;
        right = right || found.list.data[i].normal.x < -0.99;
    }
    assert_true(left && right);
}

// A ring over a cone with the point up sinks to where the cone fills it and is held all around.
static void a_ring_hangs_on_a_cone(void** state) {
    (void)state;
    cnShape ring = make_shape(tube_of(0.5, 0.05, 0.1));
    cnShape cone = make_shape((cnShapeDef){.type = cn_cone, .bottomRadius = 1.0, .height = 1.0});
    cnPose pose = {{0.0, -0.5 - 0.05 - 1e-4, 0.0}, cnQuat_identity};
    pose.position.y += 2e-4; // of the cone, seen from the ring: 1e-4 too high
    assert_true(collide_shapes(&ring, &cone, pose, 0.001) >= 4);
    double s = sqrt(0.5);
    cnVec3 sum = cnVec3_zero;
    for (int i = 0; i < found.list.count; ++i) {
        const cnCandidate* c = found.list.data + i;
        assert_near(c->depth, 1e-4 * s, 1e-9);
        assert_near(c->normal.y, -s, 1e-6);
        sum = cnAdd(sum, c->normal);
    }
    assert_near(cnLength(cnVec(sum.x, 0.0, sum.z)), 0.0, 1e-9);

    // on a thin rod it hangs by its top alone
    cnShape rod = make_shape((cnShapeDef){.type = cn_cylinder, .radius = 0.1, .height = 3.0});
    collide_shapes(&ring, &rod, (cnPose){{0.4001, 0.0, 0.0}, cnQuat_identity}, 0.001);
    assert_int_equal(found.list.count, 2);
    for (int i = 0; i < 2; ++i) {
        assert_near(found.list.data[i].normal.x, -1.0, 1e-9);
        assert_near(found.list.data[i].depth, 1e-4, 1e-9);
        assert_near(fabs(found.list.data[i].point.y), 0.05, 1e-9);
    }
}

// A tube stands on a box by points all around, lies on it by two, and two crossed ones touch in one.
static void tubes_stand_lie_and_cross(void** state) {
    (void)state;
    cnShape tube = make_shape(tube_of(0.4, 0.1, 2.0));
    cnShape box = make_shape(box_of(3.0, 1.0, 3.0));
    assert_true(collide_shapes(&tube, &box, (cnPose){{0.3, -1.9999, 0.2}, cnQuat_identity}, 0.005) >= 4);
    for (int i = 0; i < found.list.count; ++i) {
        assert_near(found.list.data[i].depth, 1e-4, 1e-12);
        assert_near(found.list.data[i].normal.y, -1.0, 1e-12);
    }
    cnQuat over = cnQuatFromRotationVector(cnVec(0.0, 0.0, 0.5 * CN_PI));
    assert_int_equal(collide_shapes(&tube, &box, (cnPose){{1.4999, 0.0, 0.0}, over}, 0.005), 2);
    for (int i = 0; i < 2; ++i) {
        assert_near(found.list.data[i].depth, 1e-4, 1e-12);
        assert_near(found.list.data[i].normal.x, 1.0, 1e-12);
        assert_near(fabs(found.list.data[i].point.y), 1.0, 1e-9);
    }

    // crossed: one point between the walls
    assert_int_equal(collide_shapes(&tube, &tube, (cnPose){{0.0, 0.2, 0.9999}, over}, 0.005), 1);
    assert_near(found.list.data[0].depth, 1e-4, 1e-12);
    assert_near(found.list.data[0].normal.z, 1.0, 1e-12);
    assert_near(found.list.data[0].point.y, 0.2, 1e-12);

    // a box's edge lies along the inside of the wall
    cnShape rod = make_shape(box_of(0.2, 0.5, 0.2));
    double corner = 0.4 - 0.2 * sqrt(2.0) + 1e-4;
    cnQuat turn = cnQuatFromRotationVector(cnVec(0.0, 0.25 * CN_PI, 0.0));
    assert_int_equal(collide_shapes(&tube, &rod, (cnPose){{corner, 0.0, 0.0}, turn}, 0.005), 2);
    for (int i = 0; i < 2; ++i) {
        assert_near(found.list.data[i].depth, 1e-4, 1e-9);
        assert_near(fabs(found.list.data[i].point.y), 0.5, 1e-9);
    }
}

// What rolls has no contacts ahead of the true ones, at any angle.
static void rolling_tubes_keep_two_contacts(void** state) {
    (void)state;
    cnShape tube = make_shape(tube_of(0.4, 0.1, 1.0));
    cnShape box = make_shape(box_of(9.0, 1.0, 3.0));
    for (int i = 0; i < 500; ++i) {
        double angle = random_in(0.0, 2.0 * CN_PI);
        cnQuat turn = cnQuatFromRotationVector(cnVec(0.5 * CN_PI, 0.0, 0.0));
        cnPose onBox = {{random_in(-5.0, 5.0), 1.4999, 0.0},
                        cnMulQuat(turn, cnQuatFromRotationVector(cnVec(0.0, angle, 0.0)))};
        cnPose seen = {cnInvRotate(onBox.rotation, cnNeg(onBox.position)), cnConjugate(onBox.rotation)};
        assert_int_equal(collide_shapes(&tube, &box, seen, 0.02), 2);
        assert_near(found.list.data[0].depth, 1e-4, 1e-9);
        assert_near(found.list.data[1].depth, 1e-4, 1e-9);
    }
}

int main(void) {
    return run_all(contacts_are_those_of_samples, a_ball_rolls_in_a_tube, a_peg_enters_a_hole,
                   a_ring_hangs_on_a_cone, tubes_stand_lie_and_cross, rolling_tubes_keep_two_contacts);
}
