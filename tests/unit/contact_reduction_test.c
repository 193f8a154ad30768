// Contact reduction: fewer points, the same support, on any number of threads.
#include "collide/pairs/contact_reduction.h"
#include "things.h"
#include "world/table_registry.h"

// ---- contact reduction ------------------------------------------------------------------------------------

#define MANY 200

// Nothing goes from 12 points; of more, the deepest stays, the corners of a flat contact stay, what stays
// falls with the resolution, and every point that goes has one in its bin that stays.
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

// A raft of 16 boxes in one geometry: 64 points, or at most ten where world and material allow it. It rests
// on either, with its weight.
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

// A mesh on a box touches in several rows: listeners are notified of each, and all of them
// together are reduced.
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

// ---- threads and memory -----------------------------------------------------------------------------------

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

int main(void) {
    return run_all(reduction_keeps_the_deepest_and_the_corners, a_reduced_raft_rests_with_its_weight,
                   rows_of_a_concave_contact_are_reduced_together, listeners_hear_the_same_with_any_threads);
}
