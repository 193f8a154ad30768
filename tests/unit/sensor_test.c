// Sensors: they are notified of who is in them, bear nothing, weigh what they fill.
#include "things.h"

// A ball falls through a sensor: its way is that of free fall to the last bit, and the sensor tells of it
// from the first overlap to the last.
static void a_sensor_is_never_solved(void** state) {
    (void)state;
    static const cnSensorMode modes[] = {cn_sensorOn, cn_sensorOverlapOnly};
    for (int mode = 0; mode < 2; ++mode) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnGeometryId gate = add_geometry(world, (cnGeometryDef){.position = {0, 0, 1}, .sensor = modes[mode]},
                                         box_of(1, 1, 0.2));
        Thing ball = add_thing(world, (cnBodyDef){.position = {0.1, 0, 2}}, sphere_of(0.3));
        Thing free = add_thing(world, (cnBodyDef){.position = {9, 0, 2}}, sphere_of(0.3));
        assert_int_equal(cnGeometry_GetSensor(world, gate), modes[mode]);
        int impacts = 0, contacts = 0, separations = 0;
        for (int i = 0; i < 60; ++i) {
            double z = height_of(world, ball); // where the collide sees it
            step_world(world, 1);
            cnContactForces forces = cnGeometry_GetContactForces(world, gate, ball.geometry);
            bool overlaps = fabs(z - 1) <= 0.5;
            assert_int_equal(overlaps, forces.state == cn_contactImpact || forces.state == cn_contactContact);
            impacts += forces.state == cn_contactImpact;
            contacts += forces.state == cn_contactContact;
            separations += forces.state == cn_contactSeparation;
            assert_true(cnLength(forces.total) == 0.0);
            if (overlaps && modes[mode] == cn_sensorOn) {
                assert_int_equal(forces.points, 1);
                double nearest = z >= 1 ? 0.5 - (z - 1) : 0.5 - (1 - z);
                assert_near(forces.depth, nearest, 1e-5);
            } else {
                assert_int_equal(forces.points, 0);
                assert_true(forces.depth == 0.0);
            }
            double heights[] = {height_of(world, ball), height_of(world, free)};
            assert_memory_equal(&heights[0], &heights[1], sizeof heights[0]);
            assert_int_equal(cnWorld_GetCounters(world).contacts, 0);
            assert_true(cnWorld_GetMaxPenetration(world) == 0.0);
        }
        assert_int_equal(impacts, 1);
        assert_int_equal(separations, 1);
        assert_true(contacts > 3);
        cnDestroyWorld(world);
    }
}

// Who is notified of whom: every combination of motions and sensors, with and without points.
static void sensors_hear_of_every_motion_they_may(void** state) {
    (void)state;
    static const cnMotion motions[] = {cn_dynamic, cn_static, cn_kinematic};
    for (int a = 0; a < 9; ++a) {
        for (int b = 0; b < 9; ++b) {
            cnWorldId world = make_world(weightless);
            Thing thing1 = add_thing(world, (cnBodyDef){.motion = motions[a / 3]}, box_of(1, 1, 1));
            Thing thing2 = add_thing(world, (cnBodyDef){.motion = motions[b / 3], .position = {0, 0, 1.9}},
                                     box_of(1, 1, 1));
            // one that may move comes nearer: an overlap alone is no force
            if (b / 3 != 1) {
                cnBody_SetVelocity(world, thing2.body, cnVec(0, 0, -0.1));
            } else if (a / 3 != 1) {
                cnBody_SetVelocity(world, thing1.body, cnVec(0, 0, 0.1));
            }
            cnSensorMode sensor1 = (cnSensorMode)(a % 3), sensor2 = (cnSensorMode)(b % 3);
            cnGeometry_SetSensor(world, thing1.geometry, sensor1);
            cnGeometry_SetSensor(world, thing2.geometry, sensor2);
            step_world(world, 1);
            bool isSensor = sensor1 != cn_sensorOff || sensor2 != cn_sensorOff;
            bool isDynamic = a / 3 == 0 || b / 3 == 0;
            bool moves = isDynamic || a / 3 == 2 || b / 3 == 2;
            bool isFound = isSensor ? moves : isDynamic;
            bool hasPoints = !isSensor || sensor1 == cn_sensorOn || sensor2 == cn_sensorOn;
            cnContactForces forces = cnGeometry_GetContactForces(world, thing1.geometry, thing2.geometry);
            assert_int_equal(forces.state, isFound ? cn_contactImpact : cn_contactNone);
            assert_int_equal(forces.points, isFound && hasPoints ? 4 : 0);
            assert_true((forces.normal.z < 0) == (isFound && !isSensor));
            cnDestroyWorld(world);
        }
    }
}

// A mesh tells of a ball that falls through one of its blocks, not of one that falls through the gap; with
// and without points.
static void concave_sensors_feel_their_solid_alone(void** state) {
    (void)state;
    static const cnSensorMode modes[] = {cn_sensorOn, cn_sensorOverlapOnly};
    cnVec3 points[16];
    int32_t triangles[72];
    for (int mode = 0; mode < 2; ++mode) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnGeometryId gate =
            add_geometry(world, (cnGeometryDef){.sensor = modes[mode]}, two_blocks(points, triangles));
        Thing passes = add_thing(world, (cnBodyDef){.position = {0.1, 0, 1}}, sphere_of(0.3));
        Thing hits = add_thing(world, (cnBodyDef){.position = {1.5, 0, 1}}, sphere_of(0.3));
        int impacts = 0, separations = 0;
        for (int i = 0; i < 60; ++i) {
            double z = height_of(world, hits);
            step_world(world, 1);
            cnContactForces none = cnGeometry_GetContactForces(world, gate, passes.geometry);
            assert_int_equal(none.state, cn_contactNone);
            cnContactForces forces = cnGeometry_GetContactForces(world, gate, hits.geometry);
            bool touches = forces.state == cn_contactImpact || forces.state == cn_contactContact;
            assert_int_equal(touches, fabs(z) <= 0.6);
            assert_true((forces.points > 0) == (touches && modes[mode] == cn_sensorOn));
            impacts += forces.state == cn_contactImpact;
            separations += forces.state == cn_contactSeparation;
            double heights[] = {height_of(world, hits), height_of(world, passes)};
            assert_memory_equal(&heights[0], &heights[1], sizeof heights[0]);
        }
        assert_int_equal(impacts, 1);
        assert_int_equal(separations, 1);
        cnDestroyWorld(world);
    }
}

// Sensors weigh what they fill, unless they are told not to; rays pass through them.
static void sensors_weigh_and_let_rays_pass(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    Thing box = add_thing(world, (cnBodyDef){0}, box_of(0.5, 0.5, 0.5));
    add_geometry(world, (cnGeometryDef){.body = box.body, .sensor = cn_sensorOn}, box_of(1, 1, 1));
    assert_near(cnBody_GetMass(world, box.body), 9000, 1e-9);
    cnRayResult hit = cnWorld_CastRay(world, cnVec(0, 0, 5), cnVec(0, 0, -10), NULL);
    assert_true(CN_SAME_ID(hit.geometry, box.geometry));
    add_geometry(world,
                 (cnGeometryDef){.body = box.body, .sensor = cn_sensorOverlapOnly, .massPropertiesOff = true},
                 box_of(2, 2, 2));
    assert_near(cnBody_GetMass(world, box.body), 9000, 1e-9);
    cnDestroyWorld(world);
}

// A floor that turns into a sensor lets its box go; solid again it throws it out no faster
// than an impact may.
static void a_floor_that_becomes_a_sensor_lets_go(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometryId ground = add_ground(world, defaultMaterial);
    Thing box = add_thing(world, (cnBodyDef){.position = {0, 0, 0.5}}, box_of(0.5, 0.5, 0.5));
    step_world(world, 30);
    cnGeometry_SetSensor(world, ground, cn_sensorOn);
    step_world(world, 6);
    assert_near(cnBody_GetVelocity(world, box.body).z, -6 * GRAVITY * STEP, 1e-3);
    assert_int_equal(cnGeometry_GetContactForces(world, ground, box.geometry).state, cn_contactContact);
    cnGeometry_SetSensor(world, ground, cn_sensorOff);
    double fastest = 0;
    for (int i = 0; i < 120; ++i) {
        step_world(world, 1);
        fastest = cnMax(fastest, cnBody_GetVelocity(world, box.body).z);
    }
    assert_true(fastest < 0.55);
    assert_near(height_of(world, box), 0.5, 2e-3);
    assert_int_equal(cnGeometry_SetSensor(world, ground, (cnSensorMode)3), CN_ERROR_OUT_OF_RANGE);
    cnDestroyWorld(world);
}

int main(void) {
    return run_all(a_sensor_is_never_solved, sensors_hear_of_every_motion_they_may,
                   concave_sensors_feel_their_solid_alone, sensors_weigh_and_let_rays_pass,
                   a_floor_that_becomes_a_sensor_lets_go);
}
