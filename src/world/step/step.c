// The step: a table of contents, a timer a line (docs/architecture.md has the same lines in the same order).
#include "world/step/step.h"
#include "base/report/error.h"
#include "base/timer.h"
#include "world/adaptive_merging.h"
#include "world/carriers.h"
#include "world/contact_list.h"
#include "world/sleep.h"
#include "world/step/energy_balance.h"
#include "world/validate.h"

// ms since `started`, and moves it on.
static double Lap(double* started) {
    double now = cnGetMilliseconds();
    double lap = now - *started;
    *started = now;
    return lap;
}

static void NotifyWatchers(cnWorld* world, cnWorldMoment moment) {
    for (int i = 0; i < cn_watcherCount; ++i) {
        if (world->watchers[i].notify != NULL) {
            world->watchers[i].notify(world, moment);
        }
    }
}

// ---- collide ----------------------------------------------------------------------------------------------

static bool FindContacts(cnWorld* world, double* started) {
    cnPinTables(world, "pairs and their manifolds");
    bool ok = cnUpdatePairs(world);
    cnRousePairs(world);
    world->profile.broadPhase = Lap(started);
    cnForeseeProxies(world);
    ok = ok && cnUpdateManifolds(world);
    cnWakeTouched(world);
    world->profile.narrowPhase = Lap(started);
    cnUnpinTables(world);
    ok = cnSplitStruck(world) && ok;
    cnRememberCentres(world);
    cnForgetContacts(world, cn_contactsFound);
    cnWorld_PublishTables(world);
    return ok;
}

static bool ReportContacts(cnWorld* world, double* started) {
    bool ok = true, reduced = false;
    if (world->listeners.list.count > 0) {
        NotifyWatchers(world, cn_momentContactsFound);
        ok = cnNotifyContactListeners(world);
    }
    NotifyWatchers(world, cn_momentContactsHeard);
    ok = ok && cnReduceContacts(world, &reduced);
    if (reduced || world->eventsMoved) { // or listeners have removed pairs
        cnForgetContacts(world, cn_contactsFound);
    }
    ok = ok && cnListEvents(world);
    world->profile.contactUpdate = Lap(started);
    cnWorld_PublishTables(world);
    return ok;
}

cnErrorCode cnRunCollide(cnWorld* world, const char* call) {
    double started = cnGetMilliseconds();
    world->stepStarted = started;
    cnNotifyStepListeners(world, cn_beforeCollide);
    NotifyWatchers(world, cn_momentBeforeCollide);
    cnAimKinematicBodies(world);
    world->mergeCount = world->splitCount = 0;
    cnWatchKinematicParents(world);
    cnSplitDisturbed(world, NULL);
    if (!cnJoinDueMergedBodies(world)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the carriers of merged bodies");
    }
    cnMaterialTables_Prepare(&world->materials);
    if (!FindContacts(world, &started)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the contacts of %d pairs",
                      cnPairTable_Count(&world->pairs));
    }
    CN_VALIDATE(world, cn_phaseCollided, "after the contacts were found");
    world->collided = true;
    if (!ReportContacts(world, &started)) {
        world->collided = false; // the step can be tried again
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the contact tables");
    }
    CN_VALIDATE(world, cn_phaseSettled, "after the contacts were reported");
    NotifyWatchers(world, cn_momentCollided);
    world->profile.collide = started - world->stepStarted;
    return CN_ERROR_NONE;
}

// ---- solve ------------------------------------------------------------------------------------------------

static bool KeepStatistics(cnWorld* world, const cnSolve* solve) {
    bool ok = cnArray_Resize(&world->islands, solve->islandCount);
    if (ok) {
        cnSolve_ListStatistics(solve, world->islands.data);
    }
    return ok && cnListGuardEvents(world, solve);
}

static bool SolveIslands(cnWorld* world, cnSolve* solve) {
    double started = cnGetMilliseconds();
    cnProfile* profile = &world->profile;
    cnCcd ccd;
    cnPinTables(world, "the solve");
    cnPairTable_Pin(&world->pairs, "the solve");
    bool ok = cnSolve_Begin(solve) && cnBeginCcd(world, solve, &ccd) && cnSolve_FindIslands(solve);
    if (ok) {
        CN_VALIDATE_SOLVE(solve, "after the islands were found");
    }
    profile->islands = Lap(&started);
    ok = ok && cnSolve_Impacts(solve);
    cnNoteImpacts(world);
    profile->impacts = Lap(&started);
    ok = ok && cnSolve_Contacts(solve) && cnSolve_CorrectPositions(solve);
    profile->constraints = Lap(&started);
    if (ok) {
        cnSolve_Integrate(solve);
        cnSolve_GuardIslands(solve);
        ok = cnStopCcdBodies(world, solve, &ccd) && KeepStatistics(world, solve);
        cnSolve_ReadVelocities(solve);
        cnFollowCarriers(world);
        ok = cnListDrowsy(world, solve) && ok;
    }
    cnSolve_End(solve);
    cnPairTable_Unpin(&world->pairs);
    cnUnpinTables(world);
    profile->integrate = Lap(&started);
    return ok;
}

// Where the bodies are now: proxies for queries and the next collide, forces and poses to read.
static bool FinishStep(cnWorld* world, const cnSolve* solve, double* started) {
    world->statistics = solve->statistics;
    world->collided = false;
    cnPlaceProxies(world);
    cnReadAccelerations(world);
    cnForgetContacts(world, cn_contactsSolved);
    cnFinishEnergyBalance(world, solve->impactWork);
    bool ok = cnListEventImpulses(world);
    cnFinishBodies(world);
    cnFallAsleep(world);
    cnBreakConstraints(world); // which wakes
    ok = cnWatchMerged(world) && cnMergeResting(world) && ok;
    ok = cnListMergeChanges(world) && ok;
    ok = (!world->eventsMoved || cnListContacts(world)) && ok;
    cnStack_Settle(&world->stack);
    cnWorld_PublishTables(world);
    CN_VALIDATE(world, cn_phaseSettled, "at the end of the step");
    cnNotifyBreakListeners(world);
    cnNotifyGuardListeners(world);
    cnNotifyMergeListeners(world);
    cnNotifyStepListeners(world, cn_afterSolve);
    world->stepCount += 1.0;
    world->time += world->timeStep;
    cnNoteIdleness(world, solve);
    cnNotifyStepListeners(world, cn_afterStep);
    NotifyWatchers(world, cn_momentStepped);
    world->profile.finish = Lap(started);
    return ok;
}

cnErrorCode cnRunSolve(cnWorld* world, const char* call) {
    double started = cnGetMilliseconds();
    cnNotifyStepListeners(world, cn_beforeSolve);
    if (!cnApplyForceFields(world)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the rows of %d bodies",
                      world->bodies.ids.liveCount);
    }
    NotifyWatchers(world, cn_momentBeforeSolve);
    cnGatherForces(world);
    cnRousePairs(world); // of what listeners have woken
    cnRememberBodies(world);
    if (!cnBeginEnergyBalance(world)) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world",
                      "no memory for the energy balance of %d constraints", world->constraints.ids.liveCount);
    }
    cnSolve solve = {
        .bodies = &world->bodies,
        .pairs = &world->pairs,
        .constraints = &world->constraints,
        .direct = &world->direct,
        .graph = &world->graph,
        .batches = &world->batches,
        .proxies = &world->proxies,
        .shapes = world->shapes.shapes,
        .geometries = &world->geometries,
        .materials = &world->materials,
        .gravity = world->gravity,
        .h = world->timeStep,
        .awake = cnGetAwakeRows(world),
        .settings = world->solver,
        .gyroscopic = world->gyroscopic,
        .stack = &world->stack,
        .threads = world->threads,
    };
    if (!SolveIslands(world, &solve)) {
        // some bodies may have moved: what follows them does, and the next step looks for contacts again
        world->collided = false;
        cnPlaceProxies(world);
        cnWorld_PublishTables(world);
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the solver: %d bodies, %d pairs",
                      world->bodies.ids.liveCount, cnPairTable_Count(&world->pairs));
    }
    CN_VALIDATE(world, cn_phaseMoved, "after the solve");
    double finishing = cnGetMilliseconds();
    bool areListed = FinishStep(world, &solve, &finishing);
    world->profile.solve = finishing - started;
    world->profile.step = world->profile.collide + world->profile.solve;
    if (solve.failedBody >= 0) {
        int failed = cnPartFailedBody(world, solve.failedBody);
        cnWorld_PublishTables(world);
        return cnFail(
            CN_ERROR_NON_FINITE_STATE, call, "world",
            "the state of body 0x%08x became NaN or infinite at %g s: it was put back, stopped and disabled",
            (unsigned)world->bodies.handle[failed], world->time);
    }
    if (!areListed) {
        return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world",
                      "no memory for the impulses of contact events, or for what merges");
    }
    return CN_ERROR_NONE;
}
