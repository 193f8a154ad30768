// Contact listeners and the table of events: who is notified of what, when, and what listeners may change.
#include "columns.h"
#include "things.h"

// ---- listeners --------------------------------------------------------------------------------------------

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

// "remove": all are notified of it; "remove now": the later ones do not. Removed, the contact bears
// nothing in that step.
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

// A listener may destroy what it is notified of and take itself away; the forces of the others stay right. So
// may user code between the halves of a step.
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

// ---- the table of events ----------------------------------------------------------------------------------

// A ball of mass m that hits at v and does not bounce: an impact at speed v with an impulse of about m v.
// Torn away from where it rests in one step it separates all the same.
static void impacts_contacts_and_separations_are_reported_once(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = cnCreateMaterial(world, &(cnMaterialDef){0});
    cnCreateContactMaterial(world, &(cnContactMaterialDef){.material1 = material,
                                                           .material2 = material,
                                                           .given = cn_contactRestitution,
                                                           .restitution = 0});
    add_geometry(world, (cnGeometryDef){.material = material}, groundPlane);
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
            uint32_t kind = *(const uint32_t*)findColumn(world, cn_tableContactEvents, "state");
            if (impacts == 0) {
                const cnVec3* position = findColumn(world, cn_tableContactEvents, "position");
                double impulse = *(const double*)findColumn(world, cn_tableContactEvents, "impulse");
                assert_int_equal(kind, cn_contactImpact);
                assert_near(*(const double*)findColumn(world, cn_tableContactEvents, "speed"), speed, 1e-9);
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

// ---- render data ------------------------------------------------------------------------------------------

// Listeners of every kind that make whatever a world has, and destroy half of it: tables grow at every moment
// at which the engine calls out, while contacts, islands and joints come and go.
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
        add_geometry(world, (cnGeometryDef){0}, field_of(5, 5, 20, 20, heights));
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

// ---- force fields -----------------------------------------------------------------------------------------

typedef struct Field {
    int calls, bodies;
    double push; // N/kg along x
} Field;

static void push_all(cnWorldId world, const cnFieldBodies* bodies, void* context) {
    (void)world;
    Field* field = context;
    field->calls += 1;
    field->bodies = bodies->count;
    for (int i = 0; i < bodies->count; ++i) {
        int row = bodies->rows[i];
        bodies->force[row].x += field->push * bodies->mass[row];
    }
}

static void force_fields_act_on_dynamic_bodies_in_every_step(void** state) {
    (void)state;
    cnWorldId world = make_world((cnWorldDef){.timeStep = 0.01});
    cnBodyId light = cnCreateBody(world, &(cnBodyDef){.mass = 1.0});
    cnBodyId still = cnCreateBody(world, &(cnBodyDef){.motion = cn_static, .position = {0, 9, 0}});
    cnBodyId heavy = cnCreateBody(world, &(cnBodyDef){.mass = 5.0, .position = {9, 0, 0}});
    cnBodyId off = cnCreateBody(world, &(cnBodyDef){.position = {0, 0, 9}});
    assert_int_equal(cnBody_SetEnabled(world, off, false), CN_ERROR_NONE);
    Field field = {.push = 3.0};
    cnListenerId listener = cnAddForceField(world, push_all, &field);
    step_world(world, 100);
    assert_int_equal(field.calls, 100);
    assert_int_equal(field.bodies, 2);
    assert_near(cnBody_GetVelocity(world, light).x, 3.0, 1e-12);
    assert_near(cnBody_GetVelocity(world, heavy).x, 3.0, 1e-12);
    assert_near(cnBody_GetLastForce(world, heavy).x, 15.0, 1e-12);
    assert_near(cnBody_GetVelocity(world, still).x, 0.0, 0.0);

    // what is not finite stops its body
    field.push = NAN;
    assert_int_equal(cnWorld_Step(world), CN_ERROR_NON_FINITE_STATE);
    assert_false(cnBody_IsEnabled(world, light));

    assert_int_equal(cnRemoveListener(world, listener), CN_ERROR_NONE);
    step_world(world, 1);
    assert_int_equal(field.calls, 101);
    assert_int_equal(cnAddForceField(world, NULL, NULL).value, 0);
    assert_int_equal(cnGetLastError()->code, CN_ERROR_NULL_ARGUMENT);
    cnDestroyWorld(world);
}

int main(void) {
    return run_all(force_fields_act_on_dynamic_bodies_in_every_step, listeners_hear_what_their_masks_say,
                   listener_filters_fit_from_either_side, answers_remove_contacts_for_those_who_come_later,
                   a_one_way_floor_lets_rise_and_holds, changes_between_the_halves_leave_other_forces_right,
                   misused_listeners_are_rejected, moments_come_in_the_order_of_a_step,
                   impacts_contacts_and_separations_are_reported_once,
                   nothing_bears_in_the_step_of_the_separation, listeners_make_and_destroy_what_they_like);
}
