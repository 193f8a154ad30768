// Steps in which nothing can happen, since all that moves is asleep.
//
// Such a step changes the time and nothing else, and so do those after it, as long as nobody calls between
// them. So a step that found nothing to do leaves a note, and the next one passes at once; whoever finds the
// world to change it takes the note away (cnFindWorld).
#include "world/step/step.h"

static bool IsWatched(const cnWorld* world) {
    bool isWatched = world->listeners.list.count > 0 || world->balance.isKept;
    for (int i = 0; i < cn_watcherCount; ++i) {
        isWatched = isWatched || world->watchers[i].notify != NULL;
    }
    return isWatched;
}

// Whether the step told of anything that the next one no longer tells.
static bool HasNews(const cnWorld* world) {
    return world->contactEvents.count > 0 || world->endedContacts.list.count > 0 || world->broken.count > 0 ||
           world->guardEvents.count > 0 || world->mergeChanges.count > 0 || world->drowsy.count > 0 ||
           world->mergeCount > 0 || world->splitCount > 0;
}

// Merged bodies of the engine's are watched in every step: what they bore before counts.
static bool MayMerge(const cnWorld* world) {
    return world->adaptiveCount > 0 || world->mergeSplit.enabled;
}

static bool HasKinematicBodies(const cnWorld* world, const cnRowList* awake) {
    bool hasAny = false;
    for (int i = 0; i < awake->count && !hasAny; ++i) {
        hasAny = (world->bodies.flags[cnRowList_Get(awake, i)] & cn_bodyKinematic) != 0;
    }
    return hasAny;
}

void cnNoteIdleness(cnWorld* world, const cnSolve* solve) {
    bool isAtWork = solve->solver.count > 1 || solve->jointCount > 0 || world->pairs.near.count > 0 ||
                    world->isRousing || world->isDisturbed || world->eventsMoved || world->pairsLag ||
                    !cnBroadPhase_IsSettled(world->broadPhase);
    world->isIdle = !isAtWork && !HasNews(world) && !IsWatched(world) && !MayMerge(world) &&
                    !HasKinematicBodies(world, &solve->awake);
}

void cnPassIdleStep(cnWorld* world) {
    world->profile = (cnProfile){0};
    world->stepCount += 1.0;
    world->time += world->timeStep;
    world->isIdle = true;
}
