// Steps, and their halves: the public functions.
#include "api/checks.h"
#include "api/handles.h"
#include "world/step/step.h"

// Threads are borrowed for each half alone: between them the user may take any time.
static cnErrorCode RunHalf(cnWorld* world, const char* call, cnErrorCode (*half)(cnWorld*, const char*)) {
    world->threads = cnThreadPool_Borrow(world->threadCount);
    cnErrorCode code = half(world, call);
    cnThreadPool_Return(world->threads);
    world->threads = NULL;
    return code;
}

static cnErrorCode Collide(cnWorld* world, const char* call) {
    CN_TRY(cnRejectListeners(world, "step", call));
    if (world->collided) {
        return cnFail(CN_ERROR_WRONG_PHASE, call, "world",
                      "the world has collided already: cnWorld_Solve comes next");
    }
    return RunHalf(world, call, cnRunCollide);
}

static cnErrorCode SolveHalf(cnWorld* world, const char* call) {
    CN_TRY(cnRejectListeners(world, "step", call));
    if (!world->collided) {
        return cnFail(CN_ERROR_WRONG_PHASE, call, "world",
                      "the world has not collided: cnWorld_Collide comes first");
    }
    return RunHalf(world, call, cnRunSolve);
}

cnErrorCode cnWorld_Collide(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? Collide(world, __func__) : cnGetLastError()->code;
}

cnErrorCode cnWorld_Solve(cnWorldId id) {
    cnWorld* world = cnFindWorld(id, __func__);
    return world != NULL ? SolveHalf(world, __func__) : cnGetLastError()->code;
}

cnErrorCode cnWorld_Step(cnWorldId id) {
    const cnWorld* before = cnReadWorld(id, __func__);
    bool isIdle = before != NULL && before->isIdle;
    cnWorld* world = before != NULL ? cnFindWorld(id, __func__) : NULL;
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    if (isIdle) {
        cnPassIdleStep(world);
        return CN_ERROR_NONE;
    }
    CN_TRY(Collide(world, __func__));
    return SolveHalf(world, __func__);
}
