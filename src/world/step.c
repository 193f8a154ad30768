// The step: a table of contents, a timer a line.
#include "base/error.h"
#include "base/timer.h"
#include "collide/pairs/internal_contacts.h"
#include "dynamics/motion.h"
#include "world/world.h"

#define CN_PROXY_CHUNK 64
#define CN_PAIR_CHUNK 16

// ms since `started`, and moves it on.
static double cnLap(double* started) {
    double now = cnGetMilliseconds();
    double lap = now - *started;
    *started = now;
    return lap;
}

// ---- what stays where it is -----------------------------------------------------------------------------------------

// Tables whose rows phases point to, whether by columns or by one row after another.
static void cnPinTables(cnWorld* world, const char* holder) {
    (void)world;
    (void)holder;
    CN_PIN(&world->bodies, holder);
    CN_PIN(&world->geometries, holder);
    CN_PIN(&world->proxies, holder);
    CN_PIN(&world->shapes, holder);
    CN_PIN(&world->constraints, holder);
    CN_PIN(&world->materials.materials, holder);
    CN_PIN(&world->materials.contactMaterials, holder);
}

static void cnUnpinTables(cnWorld* world) {
    (void)world;
    CN_UNPIN(&world->bodies);
    CN_UNPIN(&world->geometries);
    CN_UNPIN(&world->proxies);
    CN_UNPIN(&world->shapes);
    CN_UNPIN(&world->constraints);
    CN_UNPIN(&world->materials.materials);
    CN_UNPIN(&world->materials.contactMaterials);
}

// Pairs too, with the map that finds them.
static void cnPinPairs(cnWorld* world, const char* holder) {
    (void)world;
    (void)holder;
    CN_PIN(&world->pairs.pairs, holder);
    CN_PIN(&world->pairs.concaves, holder);
    CN_PIN(&world->pairs.keys, holder);
    CN_PIN(&world->pairs.values, holder);
}

static void cnUnpinPairs(cnWorld* world) {
    (void)world;
    CN_UNPIN(&world->pairs.pairs);
    CN_UNPIN(&world->pairs.concaves);
    CN_UNPIN(&world->pairs.keys);
    CN_UNPIN(&world->pairs.values);
}

// ---- collide --------------------------------------------------------------------------------------------------------

static void cnAimKinematicBodies(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if ((world->bodies.flags[row] & (cn_bodyLive | cn_bodyMoving)) == (cn_bodyLive | cn_bodyMoving)) {
            cnBody_AimAtTarget(&world->bodies, row, world->timeStep);
        }
    }
}

static bool cnBeginPair(cnWorld* world, const cnProxyPair* proxies) {
    int index = cnPairTable_Add(&world->pairs, proxies->proxy1, proxies->proxy2, 0);
    if (index < 0) {
        return false;
    }
    cnPair* pair = &world->pairs.pairs.data[index];
    const cnProxyTable* table = &world->proxies;
    const cnShape* shape1 = world->shapes.shapes[table->shape[pair->proxy1]];
    const cnShape* shape2 = world->shapes.shapes[table->shape[pair->proxy2]];
    pair->body1 = table->body[pair->proxy1];
    pair->body2 = table->body[pair->proxy2];
    pair->geometry1 = table->geometry[pair->proxy1];
    pair->geometry2 = table->geometry[pair->proxy2];
    pair->leastHalfExtent = cnMin(shape1->leastHalfExtent, shape2->leastHalfExtent);
    pair->margin = cnContactMargin(pair->leastHalfExtent);
    pair->keepDistance = cnMin(0.01 * pair->leastHalfExtent, 0.005);
    pair->roundCount = cnCountRound(shape1->type, shape2->type);
    pair->flags |= cnSensorFlagsOf(world, pair->geometry1, pair->geometry2);
    return !cnIsConcave(shape1->type, shape2->type) || cnPairTable_AddConcave(&world->pairs, index);
}

static bool cnEndPairs(cnWorld* world) {
    int count = 0;
    const cnProxyPair* ended = cnBroadPhase_GetEnded(world->broadPhase, &count);
    world->endedContacts.list.count = 0;
    for (int i = 0; i < count; ++i) {
        int index = cnPairTable_Find(&world->pairs, ended[i].proxy1, ended[i].proxy2, 0);
        if (index >= 0 && !cnNoteEndedContact(world, &world->pairs.pairs.data[index])) {
            return false;
        }
        cnPairTable_End(&world->pairs, ended[i].proxy1, ended[i].proxy2);
    }
    return true;
}

static bool cnBeginPairs(cnWorld* world) {
    int count = 0;
    const cnProxyPair* begun = cnBroadPhase_GetBegun(world->broadPhase, &count);
    for (int i = 0; i < count; ++i) {
        if (!cnBeginPair(world, &begun[i])) {
            return false;
        }
    }
    return true;
}

static bool cnUpdatePairs(cnWorld* world) {
    cnPinTables(world, "pairs that end and begin");
    bool fits = cnBroadPhase_Update(world->broadPhase, world->threads, cnMayProxiesCollide, world) &&
                cnEndPairs(world) && cnBeginPairs(world);
    cnUnpinTables(world);
    return fits;
}

static cnBodyPoses cnPosesOf(const cnWorld* world) {
    return (cnBodyPoses){
        world->bodies.centreOfMass,    world->bodies.rotation, world->bodies.velocity,
        world->bodies.angularVelocity, world->timeStep,        1.0 - 1.0 / cnSubstepsOf(&world->solver)};
}

static void cnUpdateManifoldsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    cnWorld* world = context;
    cnUpdateManifolds(&world->pairs, begin, end, &world->proxies, world->shapes.shapes, cnPosesOf(world));
}

static void cnCollideConcavesTask(int begin, int end, int thread, void* context) {
    cnWorld* world = context;
    cnCollideConcaves(&world->pairs, begin, end, thread, &world->proxies, world->shapes.shapes,
                      cnPosesOf(world));
}

static void cnRenewConcavesTask(int begin, int end, int thread, void* context) {
    (void)thread;
    cnWorld* world = context;
    cnRenewConcaves(&world->pairs, begin, end, cnPosesOf(world));
}

// False when memory ran out.
static bool cnNarrowPhase(cnWorld* world) {
    cnPairTable* pairs = &world->pairs;
    cnPinTables(world, "the narrow phase");
    cnPinPairs(world, "tasks of the narrow phase");
    cnThreadPool_Run(world->threads, cnUpdateManifoldsTask, world, pairs->pairs.count, CN_PAIR_CHUNK);
    cnThreadPool_Run(world->threads, cnCollideConcavesTask, world, pairs->concaves.count, 1);
    cnUnpinPairs(world);
    bool fits = cnMatchConcaves(pairs, cnPosesOf(world));
    cnPinPairs(world, "tasks of the narrow phase");
    cnThreadPool_Run(world->threads, cnRenewConcavesTask, world, pairs->concaves.count, CN_PAIR_CHUNK);
    fits = cnDropInternalContacts(&(cnFixedContacts){
               .pairs = pairs,
               .proxies = &world->proxies,
               .shapes = world->shapes.shapes,
               .bodies = cnPosesOf(world),
               .bodyCount = world->bodies.ids.rowCount,
               .flags = world->bodies.flags,
               .yields = cn_bodyLive | cn_bodyDynamic | cn_bodyEnabled,
               .stack = &world->stack,
           }) &&
           fits;
    cnUnpinPairs(world);
    cnUnpinTables(world);
    return fits;
}

cnErrorCode cnRunCollide(cnWorld* world, const char* call) {
    double started = cnGetMilliseconds();
    world->stepStarted = started;
    cnTellStepListeners(world, cn_beforeCollide);
    cnAimKinematicBodies(world);
    cnMaterialTables_Prepare(&world->materials);
    if (!cnUpdatePairs(world)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for pairs: %d so far",
                      world->pairs.pairs.count);
    }
    world->profile.broadPhase = cnLap(&started);
    bool fits = cnNarrowPhase(world);
    world->profile.narrowPhase = cnLap(&started);
    if (!fits || !cnListContacts(world)) {
        cnWorld_PublishTables(world);
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the contacts");
    }
    world->collided = true;
    cnWorld_PublishTables(world);
    cnTellContactListeners(world);
    bool reduced = false;
    if (!cnReduceContacts(world, &reduced) || (reduced && !cnListContacts(world)) || !cnListEvents(world)) {
        cnWorld_PublishTables(world);
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the contact tables");
    }
    world->profile.contactUpdate = cnLap(&started);
    world->profile.collide = started - world->stepStarted;
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

// ---- solve ----------------------------------------------------------------------------------------------------------

static void cnRememberPoses(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->bodies.previousPosition[row] = world->bodies.position[row];
        world->bodies.previousRotation[row] = world->bodies.rotation[row];
        world->bodies.flags[row] &= ~(uint32_t)cn_bodyTeleported;
    }
}

static void cnClearForces(cnWorld* world) {
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        world->bodies.force[row] = cnVec3_zero;
        world->bodies.torque[row] = cnVec3_zero;
    }
}

static void cnPlaceProxies(int begin, int end, int thread, void* context) {
    (void)thread;
    cnWorld* world = context;
    for (int proxy = begin; proxy < end; ++proxy) {
        int body = world->proxies.body[proxy];
        if (world->proxies.geometry[proxy] >= 0 && body >= 0 &&
            (world->bodies.flags[body] & (cn_bodyDynamic | cn_bodyKinematic)) != 0) {
            cnPlaceProxy(world, proxy);
        }
    }
}

// Where the bodies are now: proxies for queries and the next collide, forces and poses to read.
static void cnFinishStep(cnWorld* world) {
    cnThreadPool_Run(world->threads, cnPlaceProxies, world, world->proxies.capacity, CN_PROXY_CHUNK);
    cnBroadPhase_FollowBoxes(world->broadPhase);
    cnListContactForces(world);
    cnListEventImpulses(world);
    cnBreakConstraints(world);
    cnClearForces(world);
    for (int row = 0; row < world->bodies.ids.rowCount; ++row) {
        if ((world->bodies.flags[row] & (cn_bodyDynamic | cn_bodyKinematic)) != 0) {
            cnWriteRenderPose(world, row, 1.0);
        }
    }
}

// Of the last step, to be read.
static bool cnKeepIslandStatistics(cnWorld* world, const cnSolve* solve) {
    if (!cnArray_Resize(&world->islands, solve->islandCount)) {
        return false;
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        const cnIsland* island = &solve->islands[i];
        cnIslandStatistics* kept = &world->islands.data[i];
        bool isFactorised = island->statistics.substeps > 0;
        *kept = island->statistics;
        kept->bodies = island->bodyCount;
        kept->contacts = island->contactCount;
        kept->constraints = island->jointCount;
        if (!isFactorised) {
            kept->solver = island->hard ? cn_islandConverged : cn_islandSwept;
            kept->substeps = solve->substeps;
        }
    }
    return true;
}

static bool cnSolveIslands(cnWorld* world, cnSolve* solve) {
    double started = cnGetMilliseconds();
    cnProfile* profile = &world->profile;
    cnLinkages linkages;
    cnPinTables(world, "the solve");
    cnPinPairs(world, "the solve");
    bool fits = cnSolve_Begin(solve) && cnLinkages_Find(&linkages, solve) && cnSolve_FindIslands(solve);
    profile->islands = cnLap(&started);
    fits = fits && cnSolve_Impacts(solve);
    profile->impacts = cnLap(&started);
    fits = fits && cnSolve_Contacts(solve) && cnSolve_PushOut(solve);
    profile->constraints = cnLap(&started);
    if (fits) {
        cnSolve_Integrate(solve);
        cnSolve_GuardIslands(solve);
        fits = cnStopFastBodies(world, solve, &linkages) && cnKeepIslandStatistics(world, solve) &&
               cnListGuardEvents(world, solve);
    }
    cnSolve_End(solve);
    cnUnpinPairs(world);
    cnUnpinTables(world);
    profile->integrate = cnLap(&started);
    return fits;
}

cnErrorCode cnRunSolve(cnWorld* world, const char* call) {
    double started = cnGetMilliseconds();
    cnTellStepListeners(world, cn_beforeSolve);
    cnRememberPoses(world);
    cnSolve solve = {
        .bodies = &world->bodies,
        .pairs = &world->pairs,
        .constraints = &world->constraints,
        .direct = &world->direct,
        .proxies = &world->proxies,
        .geometries = &world->geometries,
        .materials = &world->materials,
        .gravity = world->gravity,
        .h = world->timeStep,
        .settings = world->solver,
        .gyroscopic = world->gyroscopic,
        .stack = &world->stack,
        .threads = world->threads,
    };
    if (!cnSolveIslands(world, &solve)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the solver: %d bodies, %d pairs",
                      world->bodies.ids.liveCount, world->pairs.pairs.count);
    }
    double finishing = cnGetMilliseconds();
    world->statistics = solve.statistics;
    world->collided = false;
    cnFinishStep(world);
    cnStack_Settle(&world->stack);
    cnWorld_PublishTables(world);
    cnTellBreakListeners(world);
    cnTellGuardListeners(world);
    cnTellStepListeners(world, cn_afterSolve);
    world->stepCount += 1.0;
    world->time += world->timeStep;
    cnTellStepListeners(world, cn_afterStep);
    world->profile.finish = cnLap(&finishing);
    world->profile.solve = finishing - started;
    world->profile.step = world->profile.collide + world->profile.solve;
    if (solve.failedBody >= 0) {
        return cnFail(
            CN_ERROR_NON_FINITE_STATE, call, "world",
            "the state of body 0x%08x became NaN or infinite at %g s: it was put back, stopped and disabled",
            (unsigned)world->bodies.handle[solve.failedBody], world->time);
    }
    return CN_ERROR_NONE;
}
