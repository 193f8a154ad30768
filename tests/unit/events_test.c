// Who touches whom and who hears of it: filters, sensors, events, listeners, conveyors, contact reduction, render data.
#include "collide/pairs/contact_reduction.h"
#include "helpers.h"
#include "world/directory.h"

#define STEP (1.0 / 60)

typedef struct Thing {
    cnBodyId body;
    cnGeometryId geometry;
} Thing;

static Thing add_thing(cnWorldId world, cnBodyDef def, cnShapeDef shape) {
    Thing thing = {.body = cnCreateBody(world, &def)};
    assert_false(CN_IS_NULL(thing.body));
    thing.geometry = add_geometry(world, (cnGeometryDef){.body = thing.body}, shape);
    return thing;
}

static double height_of(cnWorldId world, Thing thing) {
    return cnBody_GetPosition(world, thing.body).z;
}

// A column of a table by its name.
static void* column_of(cnWorldId world, cnTableKind table, const char* name) {
    int count = 0;
    const cnColumn* columns = cnTableColumns(table, &count);
    for (int i = 0; i < count; ++i) {
        if (strcmp(columns[i].name, name) == 0) {
            return cnWorld_GetColumn(world, table, i);
        }
    }
    fail_msg("no column %s", name);
    return NULL;
}

// ---- filters --------------------------------------------------------------------------------------------------------

typedef struct Filtered {
    cnWorldId world;
    cnGeometryId ground;
    Thing box;
} Filtered;

// The switches that keep the box from the ground; groups 1 (box) and 2 (ground), and 7 for both.
enum {
    switchCount = 7
};

static void set_switch(const Filtered* f, int index, bool on) {
    cnErrorCode code = CN_ERROR_NONE;
    switch (index) {
    case 0:
        code = cnGeometry_SetEnabled(f->world, f->box.geometry, on);
        break;
    case 1:
        code = cnGeometry_SetEnabled(f->world, f->ground, on);
        break;
    case 2:
        code = cnGeometry_SetCollisions(f->world, f->box.geometry, on);
        break;
    case 3:
        code = cnGeometry_SetCollisions(f->world, f->ground, on);
        break;
    case 4:
        code = cnWorld_SetGeometryPairEnabled(f->world, f->ground, f->box.geometry, on);
        break;
    case 5:
        code = cnWorld_SetGroupPairEnabled(f->world, 2, 1, on);
        break;
    default:
        code = cnWorld_SetGroupPairEnabled(f->world, 7, 7, on);
        break;
    }
    assert_int_equal(code, CN_ERROR_NONE);
}

static Filtered make_filtered(void) {
    Filtered f = {.world = make_world((cnWorldDef){0})};
    f.ground = add_ground(f.world, defaultMaterial);
    f.box = add_thing(f.world, (cnBodyDef){.position = {0, 0, 0.5}}, box_of(0.5, 0.5, 0.5));
    cnGeometry_AddGroup(f.world, f.box.geometry, 1);
    cnGeometry_AddGroup(f.world, f.box.geometry, 7);
    cnGeometry_AddGroup(f.world, f.ground, 2);
    cnGeometry_AddGroup(f.world, f.ground, 7);
    return f;
}

// Over all 128 settings of seven switches: the box is held exactly where all are on.
static void any_switch_that_is_off_wins(void** state) {
    (void)state;
    for (int setting = 0; setting < 1 << switchCount; ++setting) {
        Filtered f = make_filtered();
        for (int i = 0; i < switchCount; ++i) {
            set_switch(&f, i, (setting >> i & 1) != 0);
        }
        step_world(f.world, 12);
        double fallen = 0.5 - height_of(f.world, f.box);
        if (setting == (1 << switchCount) - 1) {
            assert_near(fallen, 0, 1e-3);
        } else {
            assert_near(fallen, GRAVITY * STEP * STEP * 12 * 13 / 2, 1e-9);
        }
        cnDestroyWorld(f.world);
    }
}

// Every switch at run time: off, the resting box falls from the next step on and separates once; on again, it touches again.
static void switches_act_from_the_next_step_on(void** state) {
    (void)state;
    for (int i = 0; i < switchCount; ++i) {
        Filtered f = make_filtered();
        step_world(f.world, 30);
        set_switch(&f, i, false);
        step_world(f.world, 1);
        cnContactForces forces = cnGeometry_GetContactForces(f.world, f.box.geometry, f.ground);
        assert_int_equal(forces.state, cn_contactSeparation);
        assert_true(cnLength(forces.total) == 0.0);
        step_world(f.world, 1);
        forces = cnGeometry_GetContactForces(f.world, f.box.geometry, f.ground);
        assert_int_equal(forces.state, cn_contactNone);
        assert_near(cnBody_GetVelocity(f.world, f.box.body).z, -2 * GRAVITY * STEP, 1e-3);
        set_switch(&f, i, true);
        step_world(f.world, 1);
        forces = cnGeometry_GetContactForces(f.world, f.box.geometry, f.ground);
        assert_int_equal(forces.state, cn_contactImpact);
        step_world(f.world, 120);
        assert_near(height_of(f.world, f.box), 0.5, 2e-3);
        assert_near(cnBody_GetContactForces(f.world, f.box.body, (cnBodyId){0}).total.z, 1000 * GRAVITY,
                    1000 * GRAVITY * 1e-3);
        cnDestroyWorld(f.world);
    }
}

// A disabled body hangs where it is and lets others through; enabled it goes on with its velocity.
static void a_disabled_body_hangs_and_lets_others_through(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    Thing shelf = add_thing(world, (cnBodyDef){.position = {0, 0, 1}, .disabled = true}, box_of(1, 1, 0.1));
    Thing ball = add_thing(world, (cnBodyDef){.position = {0, 0, 1.5}}, sphere_of(0.2));
    step_world(world, 30);
    assert_near(height_of(world, shelf), 1, 0);
    assert_near(1.5 - height_of(world, ball), GRAVITY * STEP * STEP * 30 * 31 / 2, 1e-9);
    cnBody_SetEnabled(world, shelf.body, true);
    step_world(world, 30);
    assert_near(1 - height_of(world, shelf), GRAVITY * STEP * STEP * 30 * 31 / 2, 1e-9);
    cnDestroyWorld(world);
}

static void named_groups_filter_like_numbers(void** state) {
    (void)state;
    Filtered f = make_filtered();
    uint32_t wheels = cnWorld_GetGroup(f.world, "wheels"), road = cnWorld_GetGroup(f.world, "road");
    assert_true(wheels >= 0x80000000u && road >= 0x80000000u && wheels != road);
    assert_int_equal(cnWorld_GetGroup(f.world, "wheels"), wheels);
    cnGeometry_AddGroup(f.world, f.box.geometry, wheels);
    cnGeometry_AddGroup(f.world, f.ground, road);
    cnWorld_SetGroupPairEnabled(f.world, road, wheels, false);
    step_world(f.world, 12);
    assert_true(height_of(f.world, f.box) < 0.4);
    assert_int_equal(cnWorld_GetGroup(f.world, ""), 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    assert_int_equal(cnWorld_GetGroup(f.world, NULL), 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    cnDestroyWorld(f.world);
}

// ---- sensors --------------------------------------------------------------------------------------------------------

// A ball falls through a sensor: its way is that of free fall to the last bit, and the sensor tells of it from the first
// overlap to the last.
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

// Who hears of whom: every combination of motions and sensors, with and without points.
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

// A mesh of two blocks with a gap between x = −1 and 1, 1 m wide, from z = −0.3 to 0.3.
static cnShapeDef two_blocks(cnVec3 points[16], int32_t triangles[72]) {
    static const int32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 16; ++i) {
        double middle = i < 8 ? -1.5 : 1.5;
        points[i] =
            cnVec(middle + ((i & 1) != 0 ? 0.5 : -0.5), (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.3 : -0.3);
    }
    for (int i = 0; i < 72; ++i) {
        triangles[i] = box[i % 36] + (i < 36 ? 0 : 8);
    }
    return (cnShapeDef){
        .type = cn_trimesh, .points = points, .pointCount = 16, .triangles = triangles, .triangleCount = 24};
}

// A mesh tells of a ball that falls through one of its blocks, not of one that falls through the gap; with and without points.
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

// A floor that turns into a sensor lets its box go; solid again it throws it out no faster than an impact may.
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

// ---- listeners ------------------------------------------------------------------------------------------------------

#define MOST_HEARD 256

typedef struct Heard {
    int count;
    int who[MOST_HEARD];
    cnContact contacts[MOST_HEARD];
} Heard;

typedef struct Ear {
    Heard* heard;
    int who;
    cnContactAnswer answer;
} Ear;

static cnContactAnswer record_contact(cnWorldId world, const cnContact* contact, void* context) {
    (void)world;
    const Ear* ear = context;
    assert_true(ear->heard->count < MOST_HEARD);
    ear->heard->who[ear->heard->count] = ear->who;
    ear->heard->contacts[ear->heard->count++] = *contact;
    return ear->answer;
}

static cnListenerId listen(cnWorldId world, Ear* ear, uint32_t mask) {
    cnListenerId id = cnAddContactListener(
        world, &(cnContactListenerDef){.listener = record_contact, .context = ear, .mask = mask});
    assert_false(CN_IS_NULL(id));
    return id;
}

// A bouncing ball: each listener hears what its mask says, separations before impacts.
static void listeners_hear_what_their_masks_say(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometryId ground = add_ground(world, defaultMaterial);
    Thing ball = add_thing(world, (cnBodyDef){.position = {0, 0, 1}}, sphere_of(0.3));
    Heard heard[4] = {{0}};
    Ear ears[4] = {{&heard[0], 0, cn_keepContact},
                   {&heard[1], 1, cn_keepContact},
                   {&heard[2], 2, cn_keepContact},
                   {&heard[3], 3, cn_keepContact}};
    listen(world, &ears[0], cn_eventImpact);
    listen(world, &ears[1], cn_eventContact);
    listen(world, &ears[2], cn_eventSeparation);
    listen(world, &ears[3], 0);
    step_world(world, 120);
    assert_true(heard[0].count >= 2);
    assert_in_range(heard[0].count - heard[2].count, 0, 1);
    assert_int_equal(heard[3].count, heard[0].count + heard[1].count + heard[2].count);
    for (int i = 0; i < heard[0].count; ++i) {
        assert_int_equal(heard[0].contacts[i].state, cn_contactImpact);
        assert_int_equal(heard[0].contacts[i].pointCount, 1);
        assert_false(heard[0].contacts[i].sensor);
    }
    cnGeometryId one = heard[0].contacts[0].geometry1, two = heard[0].contacts[0].geometry2;
    assert_true((CN_SAME_ID(one, ground) && CN_SAME_ID(two, ball.geometry)) ||
                (CN_SAME_ID(two, ground) && CN_SAME_ID(one, ball.geometry)));
    for (int i = 0; i < heard[2].count; ++i) {
        assert_int_equal(heard[2].contacts[i].state, cn_contactSeparation);
    }
    cnDestroyWorld(world);
}

// Every ball is heard of by the filters that fit it, from either side.
static void listener_filters_fit_from_either_side(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometryId ground = add_ground(world, defaultMaterial);
    Thing balls[4];
    for (int i = 0; i < 4; ++i) {
        balls[i] = add_thing(world, (cnBodyDef){.position = {3.0 * i, 0, 0.3}}, sphere_of(0.3));
        cnGeometry_AddGroup(world, balls[i].geometry, (uint32_t)(i / 2));
    }
    Heard heard[6] = {{0}};
    Ear ears[6];
    cnContactListenerDef defs[6] = {
        {.side = {.body = balls[1].body}},
        {.side = {.geometry = balls[2].geometry}},
        {.side = {.groupGiven = true, .group = 0}},
        {.side = {.geometry = ground}, .other = {.groupGiven = true, .group = 1}},
        {.side = {.geometry = ground, .groupGiven = true, .group = 1}},
        {.side = {.body = balls[0].body}, .other = {.body = balls[3].body}},
    };
    static const int expected[6] = {1, 1, 2, 2, 0, 0};
    for (int i = 0; i < 6; ++i) {
        ears[i] = (Ear){&heard[i], i, cn_keepContact};
        defs[i].listener = record_contact;
        defs[i].context = &ears[i];
        assert_false(CN_IS_NULL(cnAddContactListener(world, &defs[i])));
    }
    step_world(world, 1);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(heard[i].count, expected[i]);
    }
    cnDestroyWorld(world);
}

// "remove": all hear of it; "remove now": the later ones do not. Removed, the contact bears nothing in that step.
static void answers_remove_contacts_for_those_who_come_later(void** state) {
    (void)state;
    static const cnContactAnswer answers[] = {cn_keepContact, cn_removeContact, cn_removeContactNow};
    static const int hearers[] = {3, 3, 2};
    for (int i = 0; i < 3; ++i) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnGeometryId ground = add_ground(world, defaultMaterial);
        Thing box = add_thing(world, (cnBodyDef){.position = {0, 0, 0.5}}, box_of(0.5, 0.5, 0.5));
        step_world(world, 60);
        Heard heard = {0};
        Ear ears[3] = {{&heard, 0, cn_keepContact}, {&heard, 1, answers[i]}, {&heard, 2, cn_keepContact}};
        cnListenerId ids[3];
        for (int k = 0; k < 3; ++k) {
            ids[k] = listen(world, &ears[k], 0);
        }
        step_world(world, 1);
        assert_int_equal(heard.count, hearers[i]);
        for (int k = 0; k < heard.count; ++k) {
            assert_int_equal(heard.who[k], k);
        }
        cnContactForces forces = cnGeometry_GetContactForces(world, box.geometry, ground);
        assert_int_equal(forces.state, cn_contactContact);
        if (answers[i] == cn_keepContact) {
            assert_near(forces.total.z, 1000 * GRAVITY, 20);
        } else {
            assert_true(cnLength(forces.total) == 0.0);
            assert_int_equal(cnWorld_GetCounters(world).contacts, 0);
            assert_near(cnBody_GetVelocity(world, box.body).z, -GRAVITY * STEP, 1e-3);
        }

        // heard no more, the box comes to rest again
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(cnRemoveListener(world, ids[k]), CN_ERROR_NONE);
            assert_int_equal(cnRemoveListener(world, ids[k]), CN_ERROR_STALE_HANDLE);
        }
        int before = heard.count;
        step_world(world, 120);
        assert_int_equal(heard.count, before);
        assert_near(height_of(world, box), 0.5, 1e-3);
        cnDestroyWorld(world);
    }
}

// One-way floor by answers: a listener removes contacts of bodies that rise.
static cnContactAnswer let_rise(cnWorldId world, const cnContact* contact, void* context) {
    (void)context;
    cnBodyId body = CN_IS_NULL(contact->body1) ? contact->body2 : contact->body1;
    return cnBody_GetVelocity(world, body).z > 0 ? cn_removeContact : cn_keepContact;
}

static void a_one_way_floor_lets_rise_and_holds(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    add_geometry(world, (cnGeometryDef){.position = {0, 0, 1}}, box_of(1, 1, 0.1));
    Thing ball = add_thing(world, (cnBodyDef){.velocity = {0, 0, 6.5}}, sphere_of(0.2));
    cnAddContactListener(world, &(cnContactListenerDef){.listener = let_rise});
    step_world(world, 300);
    assert_near(height_of(world, ball), 1.3, 0.01);
    cnDestroyWorld(world);
}

typedef struct Meddler {
    Thing victim;
    cnListenerId itself;
    int calls;
} Meddler;

static cnContactAnswer meddle(cnWorldId world, const cnContact* contact, void* context) {
    (void)contact;
    Meddler* meddler = context;
    meddler->calls += 1;
    assert_int_equal(cnWorld_Step(world), CN_ERROR_WRONG_PHASE);
    assert_int_equal(cnWorld_Solve(world), CN_ERROR_WRONG_PHASE);
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_WRONG_PHASE);
    if (meddler->calls == 1) {
        assert_int_equal(cnDestroyBody(world, meddler->victim.body), CN_ERROR_NONE);
        assert_int_equal(cnRemoveListener(world, meddler->itself), CN_ERROR_NONE);
    }
    return cn_keepContact;
}

// A listener may destroy what it hears of and take itself away; the forces of the others stay right. So may user code between
// the halves of a step.
static void changes_between_the_halves_leave_other_forces_right(void** state) {
    (void)state;
    for (int way = 0; way < 2; ++way) {
        cnWorldId world = make_world((cnWorldDef){0});
        cnGeometryId ground = add_ground(world, defaultMaterial);
        Thing boxes[5];
        for (int i = 0; i < 5; ++i) {
            double half = 0.1 * (i + 1);
            boxes[i] =
                add_thing(world, (cnBodyDef){.position = {2.0 * i, 0, half}}, box_of(half, half, half));
        }
        step_world(world, 60);
        Meddler meddler = {.victim = boxes[1]};
        if (way == 0) {
            meddler.itself =
                cnAddContactListener(world, &(cnContactListenerDef){.listener = meddle, .context = &meddler});
            step_world(world, 1);
            assert_int_equal(meddler.calls, 1);
        } else {
            assert_int_equal(cnWorld_Collide(world), CN_ERROR_NONE);
            assert_int_equal(cnDestroyBody(world, boxes[1].body), CN_ERROR_NONE);
            assert_int_equal(cnWorld_Solve(world), CN_ERROR_NONE);
        }
        for (int i = 0; i < 5; ++i) {
            if (i != 1) {
                double weight = cnBody_GetMass(world, boxes[i].body) * GRAVITY;
                assert_near(cnGeometry_GetContactForces(world, boxes[i].geometry, ground).total.z, weight,
                            0.01 * weight);
            }
        }
        cnDestroyWorld(world);
    }
}

static void misused_listeners_are_rejected(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    Heard heard = {0};
    Ear ear = {&heard, 0, cn_keepContact};
    assert_true(CN_IS_NULL(cnAddContactListener(world, NULL)));
    assert_true(CN_IS_NULL(cnAddContactListener(world, &(cnContactListenerDef){.context = &ear})));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    assert_true(CN_IS_NULL(
        cnAddContactListener(world, &(cnContactListenerDef){.listener = record_contact, .mask = 8})));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_OUT_OF_RANGE);
    assert_true(CN_IS_NULL(cnAddContactListener(
        world, &(cnContactListenerDef){.listener = record_contact, .side = {.body = {77}}})));
    assert_int_equal(cnGetLastError()->code, CN_ERROR_STALE_HANDLE);
    assert_string_equal(cnGetLastError()->argument, "def.side.body");
    assert_int_equal(cnRemoveListener(world, (cnListenerId){0}), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnWorld_RemoveContact(world, 0), CN_ERROR_WRONG_PHASE);
    assert_int_equal(cnWorld_Collide(world), CN_ERROR_NONE);
    assert_int_equal(cnWorld_RemoveContact(world, 0), CN_ERROR_OUT_OF_RANGE);
    cnDestroyWorld(world);
}

typedef struct Moments {
    int count;
    uint32_t moments[16];
    double times[16];
    int contacts[16];
} Moments;

static void record_moment(cnWorldId world, uint32_t moment, void* context) {
    Moments* moments = context;
    moments->moments[moments->count] = moment;
    moments->times[moments->count] = cnWorld_GetTime(world);
    moments->contacts[moments->count++] = cnWorld_GetTableRows(world, cn_tableContacts);
}

// Order of a step, and the time advances just before the last.
static void moments_come_in_the_order_of_a_step(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    add_ground(world, defaultMaterial);
    add_thing(world, (cnBodyDef){.position = {0, 0, 0.3}}, sphere_of(0.3));
    Moments moments = {0};
    assert_false(CN_IS_NULL(cnAddStepListener(world, 15, record_moment, &moments)));
    step_world(world, 1);
    static const uint32_t order[] = {cn_beforeCollide, cn_beforeSolve, cn_afterSolve, cn_afterStep};
    assert_int_equal(moments.count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(moments.moments[i], order[i]);
        assert_near(moments.times[i], i == 3 ? STEP : 0, 1e-15);
        assert_int_equal(moments.contacts[i], i == 0 ? 0 : 1);
    }
    assert_true(CN_IS_NULL(cnAddStepListener(world, 0, record_moment, &moments)));
    assert_true(CN_IS_NULL(cnAddStepListener(world, 1, NULL, NULL)));
    cnDestroyWorld(world);
}

// ---- the table of events --------------------------------------------------------------------------------------------

// A ball of mass m that hits at v and does not bounce: an impact at speed v with an impulse of about m v. Torn away from where it
// rests in one step it separates all the same.
static void impacts_contacts_and_separations_are_reported_once(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    cnCreateContactMaterial(world, &(cnContactMaterialDef){.material1 = material,
                                                           .material2 = material,
                                                           .given = cn_contactRestitution,
                                                           .restitution = 0});
    add_geometry(world, (cnGeometryDef){.material = material},
                 (cnShapeDef){.type = cn_plane, .normal = {0, 0, 1}});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = {1, 2, 0.5}, .velocity = {0, 0, -3}});
    add_geometry(world, (cnGeometryDef){.body = body, .material = material}, sphere_of(0.3));
    double mass = cnBody_GetMass(world, body);
    int impacts = 0, separations = 0;
    for (int i = 0; i < 240; ++i) {
        double speed = -cnBody_GetVelocity(world, body).z;
        step_world(world, 1);
        int rows = cnWorld_GetTableRows(world, cn_tableContactEvents);
        assert_in_range(rows, 0, 1);
        if (rows == 1) {
            uint32_t kind = *(const uint32_t*)column_of(world, cn_tableContactEvents, "state");
            if (impacts == 0) {
                const cnVec3* position = column_of(world, cn_tableContactEvents, "position");
                double impulse = *(const double*)column_of(world, cn_tableContactEvents, "impulse");
                assert_int_equal(kind, cn_contactImpact);
                assert_near(*(const double*)column_of(world, cn_tableContactEvents, "speed"), speed, 1e-9);
                assert_near(impulse, mass * (speed + GRAVITY * STEP), 0.2 * mass * speed);
                assert_near(position->x, 1, 1e-6);
                assert_near(position->y, 2, 1e-6);
            }
            impacts += kind == cn_contactImpact;
            separations += kind == cn_contactSeparation;
        }
        if (i == 180) {
            assert_int_equal(impacts, separations + 1);
            separations = 0;
            cnBody_SetPosition(world, body, cnVec(0, 0, 50));
        }
    }
    assert_int_equal(separations, 1);
    cnDestroyWorld(world);
}

// A block dragged over the ground and torn away: nothing bears on it in the step of the separation.
static void nothing_bears_in_the_step_of_the_separation(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnGeometryId ground = add_ground(world, defaultMaterial);
    Thing box = add_thing(world, (cnBodyDef){.position = {0, 0, 0.5}}, box_of(0.5, 0.5, 0.5));
    step_world(world, 30);
    cnBody_SetVelocity(world, box.body, cnVec(4, 0, 0));
    step_world(world, 10);
    assert_true(cnGeometry_GetContactForces(world, box.geometry, ground).tangential.x < -100);
    cnBody_SetVelocity(world, box.body, cnVec(4, 0, 60));
    bool separated = false;
    for (int i = 0; i < 4; ++i) {
        step_world(world, 1);
        cnContactForces forces = cnGeometry_GetContactForces(world, box.geometry, ground);
        if (forces.state == cn_contactSeparation) {
            separated = true;
            assert_true(cnLength(forces.total) == 0.0);
        }
    }
    assert_true(separated);
    cnDestroyWorld(world);
}

// ---- conveyors ------------------------------------------------------------------------------------------------------

#define BELT_FRICTION 0.4

typedef struct Belt {
    cnWorldId world;
    cnMaterialId material;
} Belt;

static Belt make_belt(double timeStep, cnVec3 gravity) {
    Belt belt = {.world = make_world((cnWorldDef){
                     .timeStep = timeStep, .gravity = {.type = cn_gravityUniform, .acceleration = gravity}})};
    belt.material = cnCreateMaterial(belt.world, &(cnMaterialDef){0});
    cnCreateContactMaterial(belt.world, &(cnContactMaterialDef){.material1 = belt.material,
                                                                .material2 = belt.material,
                                                                .given = cn_contactFriction,
                                                                .friction = {BELT_FRICTION, BELT_FRICTION}});
    return belt;
}

static Thing add_block(const Belt* belt, cnVec3 position, cnVec3 half) {
    Thing block = {.body = cnCreateBody(belt->world, &(cnBodyDef){.position = position})};
    block.geometry =
        add_geometry(belt->world, (cnGeometryDef){.body = block.body, .material = belt->material},
                     (cnShapeDef){.type = cn_box, .halfExtents = half});
    return block;
}

// A block put on a belt slides up to its speed: v/(μ g) long, v²/(2 μ g) far; whichever of the two has the surface velocity,
// whatever part of it points along the normal, and with the belt's frame turned.
static void a_block_on_a_belt_slides_up_to_its_speed(void** state) {
    (void)state;
    double v = 0.8, g = 9.81, h = 1.0 / 480;
    for (int way = 0; way < 3; ++way) {
        Belt belt = make_belt(h, cnVec(0, 0, -g));
        cnQuat quarter = {0, 0, sqrt(0.5), sqrt(0.5)}; // y of the frame is −x of the world
        cnGeometryDef ground = {.material = belt.material,
                                .rotation = way == 2 ? quarter : (cnQuat){0, 0, 0, 1},
                                .position = {0, 0, -1}};
        ground.surfaceVelocity = way == 0 ? cnVec(v, 0, 3) : (way == 2 ? cnVec(0, -v, 0) : cnVec3_zero);
        add_geometry(belt.world, ground, box_of(20, 20, 1));
        Thing block = add_block(&belt, cnVec(0, 0, 0.1), cnVec(0.1, 0.1, 0.1));
        if (way == 1) {
            cnGeometry_SetSurfaceVelocity(belt.world, block.geometry, cnVec(-v, 0, 0));
            assert_near(cnGeometry_GetSurfaceVelocity(belt.world, block.geometry).x, -v, 0);
        }
        double time = 0, fastest = 0;
        for (int i = 0; i < 480; ++i) {
            step_world(belt.world, 1);
            double speed = cnBody_GetVelocity(belt.world, block.body).x;
            fastest = cnMax(fastest, speed);
            time = speed < 0.999 * v ? (i + 1) * h : time;
        }
        assert_near(time, v / (BELT_FRICTION * g), 0.01 * v / (BELT_FRICTION * g) + h);
        assert_near(fastest, v, 1e-3);
        assert_near(cnBody_GetVelocity(belt.world, block.body).x, v, 1e-4);
        double slip = v * 480 * h - cnBody_GetPosition(belt.world, block.body).x;
        assert_near(slip, v * v / (2 * BELT_FRICTION * g), 0.02 * v * v / (2 * BELT_FRICTION * g));
        cnDestroyWorld(belt.world);
    }
}

// Up a slope of 12°: a = g (μ cos − sin) until the belt's speed, then that.
static void an_inclined_belt_accelerates_by_friction_less_gravity(void** state) {
    (void)state;
    double v = 0.8, g = 9.81, h = 1.0 / 480, angle = 12 * CN_PI / 180;
    Belt belt = make_belt(h, cnVec(-g * cnSin(angle), 0, -g * cnCos(angle)));
    add_geometry(belt.world, (cnGeometryDef){.material = belt.material, .surfaceVelocity = {v, 0, 0}},
                 (cnShapeDef){.type = cn_plane, .normal = {0, 0, 1}});
    Thing block = add_block(&belt, cnVec(0, 0, 0.1), cnVec(0.1, 0.1, 0.1));
    double acceleration = g * (BELT_FRICTION * cnCos(angle) - cnSin(angle));
    step_world(belt.world, 96);
    assert_near(cnBody_GetVelocity(belt.world, block.body).x, acceleration * 96 * h,
                0.01 * acceleration * 96 * h);
    step_world(belt.world, 480);
    assert_near(cnBody_GetVelocity(belt.world, block.body).x, v, 1e-3);
    cnDestroyWorld(belt.world);
}

// Two belts that face one another squeeze a plank and launch it at their speed; many blocks in a hard island ride as well.
static void facing_belts_launch_a_plank_at_their_speed(void** state) {
    (void)state;
    double h = 1.0 / 480;
    Belt belt = make_belt(h, cnVec3_zero);
    Thing lower = add_block(&belt, cnVec(0, 0, -0.15), cnVec(0.5, 0.2, 0.1));
    Thing upper = add_block(&belt, cnVec(0, 0, 0.15), cnVec(0.5, 0.2, 0.1));
    Thing plank = add_block(&belt, cnVec(-0.4, 0, 0), cnVec(0.4, 0.1, 0.05));
    cnBody_SetMotion(belt.world, lower.body, cn_static);
    cnBody_SetLinearDamping(belt.world, upper.body, cnVec(1e9, 1e9, 0));
    cnBody_SetAngularDamping(belt.world, upper.body, cnVec(1e9, 1e9, 1e9));
    cnGeometry_SetSurfaceVelocity(belt.world, lower.geometry, cnVec(1, 0, 0));
    cnGeometry_SetSurfaceVelocity(belt.world, upper.geometry, cnVec(1, 0, 0));
    double mass = cnBody_GetMass(belt.world, upper.body);
    for (int i = 0; i < 480; ++i) {
        cnBody_ApplyForce(belt.world, upper.body, cnVec(0, 0, -20 * mass));
        step_world(belt.world, 1);
    }
    assert_near(cnBody_GetVelocity(belt.world, plank.body).x, 1, 5e-3);
    cnDestroyWorld(belt.world);
}

// Three equal boxes with a light one below make a hard island; its stack rides the belt.
static void a_belt_carries_a_stack(void** state) {
    (void)state;
    Belt belt = make_belt(1.0 / 60, cnVec(0, 0, -9.81));
    add_geometry(belt.world, (cnGeometryDef){.material = belt.material, .surfaceVelocity = {0, 0.3, 0}},
                 (cnShapeDef){.type = cn_plane, .normal = {0, 0, 1}});
    Thing boxes[4];
    for (int i = 0; i < 4; ++i) {
        boxes[i] = add_block(&belt, cnVec(0, 0, 0.2 * i + 0.1), cnVec(0.2, 0.2, 0.1));
        if (i == 3) {
            cnBody_SetMass(belt.world, boxes[i].body, 4000);
        }
    }
    step_world(belt.world, 180);
    assert_int_equal(cnWorld_GetCounters(belt.world).hardIslands, 1);
    for (int i = 0; i < 4; ++i) {
        assert_near(cnBody_GetVelocity(belt.world, boxes[i].body).y, 0.3, 1e-3);
    }
    cnDestroyWorld(belt.world);
}

// ---- contact reduction ----------------------------------------------------------------------------------------------

#define MANY 200

// Nothing goes from 12 points; of more, the deepest stays, the corners of a flat contact stay, what stays falls with the
// resolution, and every point that goes has one in its bin that stays.
static void reduction_keeps_the_deepest_and_the_corners(void** state) {
    (void)state;
    cnReductionPoint points[MANY];
    uint64_t keys[MANY];
    uint8_t keep[MANY];
    srand(7);
    for (int count = 1; count <= MANY; count += count < 20 ? 1 : 45) {
        for (int i = 0; i < count; ++i) {
            points[i] = (cnReductionPoint){
                {5 + rand() % 1000 * 1e-3, rand() % 1000 * 1e-3, 3}, {0, 0, 1}, rand() % 100 * 1e-6};
        }
        int corners[4] = {0, 1, 2, 3}, deepest = 0;
        for (int i = 0; i < 4 && i < count; ++i) {
            points[i].position = cnVec(5 + (i & 1) * 1.001, (i >> 1) * 1.001, 3);
            points[i].depth = 2e-4;
        }
        for (int i = 0; i < count; ++i) {
            deepest = points[i].depth > points[deepest].depth ? i : deepest;
        }
        int last = count;
        for (int resolution = 10; resolution >= 1; --resolution) {
            int kept = cnReduceContactPoints(points, count, resolution, keys, keep);
            int counted = 0;
            for (int i = 0; i < count; ++i) {
                counted += keep[i];
            }
            assert_int_equal(kept, counted);
            assert_int_equal(keep[deepest], 1);
            if (count <= 12) {
                assert_int_equal(kept, count);
            } else if (resolution == 3) {
                assert_true(kept <= 10);
                for (int i = 0; i < 4; ++i) {
                    assert_int_equal(keep[corners[i]], 1);
                }
            } else if (resolution == 1) {
                assert_in_range(kept, 1, 2);
            }
            assert_true(kept <= count && (resolution != 3 || kept <= last));
            last = resolution == 10 ? kept : last;
        }
    }
}

static Thing add_raft(cnWorldId world, cnMaterialId material) {
    Thing raft = {.body = cnCreateBody(world, &(cnBodyDef){.position = {0, 0, 0.1}})};
    cnShapeDef def = box_of(0.1, 0.1, 0.1);
    cnShapeId shape = cnCreateShape(world, &def);
    cnShapeInstance instances[16];
    for (int i = 0; i < 16; ++i) {
        int line = i / 4;
        instances[i] = (cnShapeInstance){.shape = shape, .position = {0.4 * (i % 4), 0.4 * line, 0}};
    }
    raft.geometry = cnCreateGeometry(
        world,
        &(cnGeometryDef){.body = raft.body, .shapes = instances, .shapeCount = 16, .material = material});
    return raft;
}

// A raft of 16 boxes in one geometry: 64 points, or at most ten where world and material allow it. It rests on either, with its
// weight.
static void a_reduced_raft_rests_with_its_weight(void** state) {
    (void)state;
    for (int setting = 0; setting < 6; ++setting) {
        cnContactReductionMode mode = (cnContactReductionMode)(setting / 2);
        cnWorldId world = make_world((cnWorldDef){.contactReduction = mode});
        assert_int_equal(cnWorld_GetContactReduction(world), mode);
        assert_int_equal(cnWorld_GetContactReductionResolution(world), 3);
        cnMaterialId material =
            cnCreateMaterial(world, &(cnMaterialDef){.given = cn_materialContactReduction,
                                                     .contactReduction = setting % 2 == 0});
        cnGeometryId ground = add_ground(world, defaultMaterial);
        Thing raft = add_raft(world, material);
        step_world(world, 180);
        bool reduces = mode == cn_reductionAll || (mode == cn_reductionMaterial && setting % 2 == 0);
        cnContactForces forces = cnGeometry_GetContactForces(world, raft.geometry, ground);
        if (reduces) {
            assert_in_range(forces.points, 4, 10);
        } else {
            assert_in_range(forces.points, 48, 64);
        }
        assert_near(forces.total.z, 16 * 8 * GRAVITY, 1);
        assert_true(cnWorld_GetKineticEnergy(world) < 16 * 8 * 1e-6);
        assert_near(cnBody_GetRotation(world, raft.body).w, 1, 1e-6);

        // at run time, finer
        assert_int_equal(cnWorld_SetContactReduction(world, cn_reductionNone, 10), CN_ERROR_NONE);
        assert_int_equal(cnWorld_GetContactReductionResolution(world), 10);
        cnBody_SetPosition(world, raft.body, cnVec(0, 0, 0.1));
        cnBody_SetRotation(world, raft.body, (cnQuat){0, 0, 0.1, sqrt(1 - 0.01)});
        step_world(world, 60);
        assert_in_range(cnGeometry_GetContactForces(world, raft.geometry, ground).points, 20, 64);
        assert_int_equal(cnWorld_SetContactReduction(world, cn_reductionAll, 11), CN_ERROR_OUT_OF_RANGE);
        assert_int_equal(cnWorld_SetContactReduction(world, (cnContactReductionMode)3, 1),
                         CN_ERROR_OUT_OF_RANGE);
        cnDestroyWorld(world);
    }
}

// A mesh on a box touches in several rows: listeners hear of each, and all of them together are reduced.
static void rows_of_a_concave_contact_are_reduced_together(void** state) {
    (void)state;
    cnVec3 points[16];
    int32_t triangles[72];
    for (int mode = 0; mode < 2; ++mode) {
        cnWorldId world =
            make_world((cnWorldDef){.contactReduction = mode == 0 ? cn_reductionNone : cn_reductionAll});
        cnGeometryId ground = add_geometry(world, (cnGeometryDef){.position = {0, 0, -1}}, box_of(5, 5, 1));
        Thing blocks = add_thing(world, (cnBodyDef){.position = {0, 0, 0.3}}, two_blocks(points, triangles));
        step_world(world, 60);
        Heard heard = {0};
        Ear ear = {&heard, 0, cn_keepContact};
        listen(world, &ear, 0);
        step_world(world, 1);
        cnContactForces forces = cnGeometry_GetContactForces(world, blocks.geometry, ground);
        assert_true(heard.count >= 1);
        int heardPoints = 0;
        for (int i = 0; i < heard.count; ++i) {
            heardPoints += heard.contacts[i].pointCount;
            assert_int_equal(heard.contacts[i].state, cn_contactContact);
        }
        assert_true(forces.points >= 3 && forces.points <= heardPoints);
        double weight = cnBody_GetMass(world, blocks.body) * GRAVITY;
        assert_near(forces.total.z, weight, 0.01 * weight);
        ear.answer = cn_removeContact;
        step_world(world, 1);
        assert_true(cnLength(cnGeometry_GetContactForces(world, blocks.geometry, ground).total) == 0.0);
        assert_near(cnBody_GetVelocity(world, blocks.body).z, -GRAVITY * STEP, 1e-2);
        cnBody_SetPosition(world, blocks.body, cnVec(0, 0, 40));
        heard.count = 0;
        step_world(world, 1);
        assert_int_equal(heard.count, 1);
        assert_int_equal(heard.contacts[0].state, cn_contactSeparation);
        cnDestroyWorld(world);
    }
}

// ---- threads and memory ---------------------------------------------------------------------------------------------

static cnContactAnswer thin_out(cnWorldId world, const cnContact* contact, void* context) {
    (void)world;
    (void)context;
    return contact->row % 7 == 3 ? cn_removeContact : cn_keepContact;
}

static void run_crowd(int threads, char hash[17]) {
    cnWorldId world = make_world((cnWorldDef){.threads = threads, .contactReduction = cn_reductionAll});
    cnGeometryId ground = add_ground(world, defaultMaterial);
    cnGeometry_SetSurfaceVelocity(world, ground, cnVec(0.5, 0, 0));
    add_geometry(world, (cnGeometryDef){.position = {0, 0, 1}, .sensor = cn_sensorOn}, box_of(1, 1, 1));
    add_geometry(world, (cnGeometryDef){.position = {1, 0, 1}, .sensor = cn_sensorOverlapOnly},
                 box_of(1, 1, 1));
    add_raft(world, (cnMaterialId){0});
    for (int i = 0; i < 40; ++i) {
        int line = i / 4 % 4, layer = i / 16;
        cnVec3 place = {0.5 * (i % 4), 0.5 * line, 1 + 0.5 * layer};
        add_thing(world, (cnBodyDef){.position = place}, i % 2 == 0 ? box_of(0.2, 0.2, 0.2) : sphere_of(0.2));
    }
    cnAddContactListener(world, &(cnContactListenerDef){.listener = thin_out});
    step_world(world, 60);
    int bytes = cnWorld_GetCounters(world).bytes;
    step_world(world, 60);
    assert_in_range(cnWorld_GetCounters(world).bytes, 0, bytes + bytes / 2);
    assert_int_equal(cnWorld_GetHash(world, hash), CN_ERROR_NONE);
    cnDestroyWorld(world);
}

static void listeners_hear_the_same_with_any_threads(void** state) {
    (void)state;
    char alone[17], shared[17];
    run_crowd(1, alone);
    run_crowd(3, shared);
    assert_string_equal(alone, shared);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// ---- render data ----------------------------------------------------------------------------------------------------

static void render_data_follows_the_bodies(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnShapeDef def = sphere_of(1);
    cnShapeId shape = cnCreateShape(world, &def), other = cnCreateShape(world, &def);
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint32_t indices[] = {0, 1, 2}, wrong[] = {0, 1, 3};
    cnRenderData data = {positions, normals, 3, indices, 3, {1, 0.5f, 0, 1}};
    assert_null(cnShape_GetRenderData(world, other));
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NONE);
    assert_null(cnShape_GetRenderData(world, shape));
    const cnRenderData* stored = cnShape_GetRenderData(world, other);
    assert_non_null(stored);
    assert_ptr_not_equal(stored->positions, positions);
    assert_memory_equal(stored->positions, positions, sizeof positions);
    assert_memory_equal(stored->normals, normals, sizeof normals);
    assert_memory_equal(stored->indices, indices, sizeof indices);
    assert_memory_equal(stored->colour, data.colour, sizeof data.colour);
    data.normals = NULL;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NONE);
    assert_null(cnShape_GetRenderData(world, other)->normals);

    // refused, and what was set stays
    data.indices = wrong;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_OUT_OF_RANGE);
    data.indices = NULL;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NULL_ARGUMENT);
    data.indices = indices;
    data.indexCount = 2;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_OUT_OF_RANGE);
    data.indexCount = 3;
    data.colour[0] = NAN;
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NOT_FINITE);
    assert_non_null(cnShape_GetRenderData(world, other));
    assert_int_equal(cnShape_SetRenderData(world, other, NULL), CN_ERROR_NONE);
    assert_null(cnShape_GetRenderData(world, other));
    data.colour[0] = 1;
    assert_int_equal(cnShape_SetRenderData(world, shape, &data), CN_ERROR_NONE);
    assert_int_equal(cnReleaseShape(world, shape), CN_ERROR_NONE);
    assert_int_equal(cnShape_SetRenderData(world, shape, &data), CN_ERROR_STALE_HANDLE);
    assert_int_equal(cnShape_SetRenderData(world, other, &data), CN_ERROR_NONE);
    cnDestroyWorld(world);
    assert_int_equal(cnGetBytesInUse(), 0);
}

// Listeners of every kind that make whatever a world has, and destroy half of it: tables grow at every moment at which the
// engine calls out, while contacts, islands and joints come and go.
typedef struct Storm {
    cnBodyId bodies[120];
    int made, broken;
    uint32_t dice;
} Storm;

static uint32_t roll(Storm* storm, uint32_t sides) {
    storm->dice = storm->dice * 1664525u + 1013904223u;
    return (storm->dice >> 8) % sides;
}

static void change_anything(cnWorldId world, Storm* storm) {
    static const cnShapeDef shapes[] = {
        {.type = cn_box, .halfExtents = {0.2, 0.2, 0.2}},
        {.type = cn_sphere, .radius = 0.2},
        {.type = cn_hollowCylinder, .innerRadius = 0.15, .thickness = 0.1, .height = 0.3},
    };
    if (storm->made == 120) {
        return;
    }
    double x = 0.3 * roll(storm, 8), y = 0.3 * roll(storm, 8), z = 0.3 + 0.3 * roll(storm, 6);
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    cnBodyDef def = {.position = {x, y, z}, .velocity = {0, 0, -3}, .fast = roll(storm, 4) == 0};
    Thing thing = add_thing(world, def, shapes[roll(storm, 3)]);
    cnGeometry_SetMaterial(world, thing.geometry, material);
    cnBodyId other = storm->made > 0 ? storm->bodies[roll(storm, (uint32_t)storm->made)] : (cnBodyId){0};
    if (cnBody_IsValid(world, other)) {
        cnConstraintId joint =
            cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintBall,
                                                         .body1 = thing.body,
                                                         .body2 = other,
                                                         .given = cn_constraintAnchor,
                                                         .anchor = {x, y, z},
                                                         .anchor2 = {x, y, z},
                                                         .breakForce = roll(storm, 2) == 0 ? 200.0 : 0.0});
        assert_false(CN_IS_NULL(joint));
    }
    storm->bodies[storm->made++] = thing.body;
    cnBodyId victim = storm->bodies[roll(storm, (uint32_t)storm->made)];
    if (roll(storm, 2) == 0 && cnBody_IsValid(world, victim)) {
        assert_int_equal(cnDestroyBody(world, victim), CN_ERROR_NONE);
    }
}

static void change_at_moment(cnWorldId world, uint32_t moment, void* context) {
    (void)moment;
    change_anything(world, context);
}

static cnContactAnswer change_at_contact(cnWorldId world, const cnContact* contact, void* context) {
    Storm* storm = context;
    if (contact->row % 7 == 0) {
        change_anything(world, storm);
        cnListenerId listener = cnAddStepListener(world, cn_afterStep, change_at_moment, storm);
        if (roll(storm, 8) > 0) {
            assert_int_equal(cnRemoveListener(world, listener), CN_ERROR_NONE);
        }
    }
    return roll(storm, 4) == 0 ? cn_removeContact : cn_keepContact;
}

static void change_at_break(cnWorldId world, cnConstraintId constraint, void* context) {
    Storm* storm = context;
    storm->broken += 1;
    cnDestroyConstraint(world, constraint);
    change_anything(world, storm);
}

static void listeners_make_and_destroy_what_they_like(void** state) {
    (void)state;
    char hashes[2][17];
    for (int threads = 1; threads <= 2; ++threads) {
        cnWorldId world = make_world((cnWorldDef){.threads = threads});
        double heights[25] = {0};
        add_geometry(world, (cnGeometryDef){0},
                     (cnShapeDef){.type = cn_heightField,
                                  .columnCount = 5,
                                  .rowCount = 5,
                                  .sizeX = 20,
                                  .sizeY = 20,
                                  .heights = heights,
                                  .heightCount = 25});
        Storm storm = {.dice = 1};
        uint32_t moments = cn_beforeCollide | cn_beforeSolve | cn_afterSolve | cn_afterStep;
        cnContactListenerDef def = {.listener = change_at_contact, .context = &storm};
        assert_false(CN_IS_NULL(cnAddStepListener(world, moments, change_at_moment, &storm)));
        assert_false(CN_IS_NULL(cnAddBreakListener(world, change_at_break, &storm)));
        assert_false(CN_IS_NULL(cnAddContactListener(world, &def)));
        step_world(world, 30);
        assert_int_equal(storm.made, 120);
        assert_true(storm.broken > 0);
        cnWorld_GetHash(world, hashes[threads - 1]);
        cnDestroyWorld(world);
    }
    assert_string_equal(hashes[0], hashes[1]);
    assert_int_equal(cnGetBytesInUse(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_switch_that_is_off_wins),
        cmocka_unit_test(switches_act_from_the_next_step_on),
        cmocka_unit_test(a_disabled_body_hangs_and_lets_others_through),
        cmocka_unit_test(named_groups_filter_like_numbers),
        cmocka_unit_test(a_sensor_is_never_solved),
        cmocka_unit_test(sensors_hear_of_every_motion_they_may),
        cmocka_unit_test(concave_sensors_feel_their_solid_alone),
        cmocka_unit_test(sensors_weigh_and_let_rays_pass),
        cmocka_unit_test(a_floor_that_becomes_a_sensor_lets_go),
        cmocka_unit_test(listeners_hear_what_their_masks_say),
        cmocka_unit_test(listener_filters_fit_from_either_side),
        cmocka_unit_test(answers_remove_contacts_for_those_who_come_later),
        cmocka_unit_test(a_one_way_floor_lets_rise_and_holds),
        cmocka_unit_test(changes_between_the_halves_leave_other_forces_right),
        cmocka_unit_test(misused_listeners_are_rejected),
        cmocka_unit_test(moments_come_in_the_order_of_a_step),
        cmocka_unit_test(impacts_contacts_and_separations_are_reported_once),
        cmocka_unit_test(nothing_bears_in_the_step_of_the_separation),
        cmocka_unit_test(a_block_on_a_belt_slides_up_to_its_speed),
        cmocka_unit_test(an_inclined_belt_accelerates_by_friction_less_gravity),
        cmocka_unit_test(facing_belts_launch_a_plank_at_their_speed),
        cmocka_unit_test(a_belt_carries_a_stack),
        cmocka_unit_test(reduction_keeps_the_deepest_and_the_corners),
        cmocka_unit_test(a_reduced_raft_rests_with_its_weight),
        cmocka_unit_test(rows_of_a_concave_contact_are_reduced_together),
        cmocka_unit_test(listeners_hear_the_same_with_any_threads),
        cmocka_unit_test(render_data_follows_the_bodies),
        cmocka_unit_test(listeners_make_and_destroy_what_they_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
