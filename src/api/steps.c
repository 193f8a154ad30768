// Steps, and their halves: the public functions.
#include "api/checks.h"
#include "world/world.h"

static cnErrorCode cnRejectListeners(const cnWorld* world, const char* call) {
    return world->listeners.notifying == 0 ? CN_ERROR_NONE
                                           : cnFail(CN_ERROR_WRONG_PHASE, call, "world",
                                                    "a listener is at work: it cannot step the world");
}

// Threads are borrowed for each half alone: between them the user may take any time.
static cnErrorCode cnRunHalf(cnWorld* world, const char* call, cnErrorCode (*half)(cnWorld*, const char*)) {
    world->threads = cnThreadPool_Borrow(world->threadCount);
    cnErrorCode code = half(world, call);
    cnThreadPool_Return(world->threads);
    world->threads = NULL;
    return code;
}

static cnErrorCode cnCollide(cnWorld* world, const char* call) {
    CN_TRY(cnRejectListeners(world, call));
    if (world->collided) {
        return cnFail(CN_ERROR_WRONG_PHASE, call, "world",
                      "the world has collided already: cnWorld_Solve comes next");
    }
    return cnRunHalf(world, call, cnRunCollide);
}

static cnErrorCode cnSolveHalf(cnWorld* world, const char* call) {
    CN_TRY(cnRejectListeners(world, call));
    if (!world->collided) {
        return cnFail(CN_ERROR_WRONG_PHASE, call, "world",
                      "the world has not collided: cnWorld_Collide comes first");
    }
    return cnRunHalf(world, call, cnRunSolve);
}

cnErrorCode cnWorld_Collide(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? cnCollide(world, __func__) : cnGetLastError()->code;
}

cnErrorCode cnWorld_Solve(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? cnSolveHalf(world, __func__) : cnGetLastError()->code;
}

cnErrorCode cnWorld_Step(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnCollide(world, __func__));
    return cnSolveHalf(world, __func__);
}
