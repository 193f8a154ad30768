#include "solve/direct/direct_islands.h"

#include "base/report/assert.h"
#include "solve/direct/assembly.h"
#include "solve/direct/reports.h"
#include "solve/direct/stepping.h"
#include "solve/direct/work_budget.h"

#include <string.h>

// Islands with more rows than this are not solved side by side: every thread would need room for one.
#define CN_TASK_ROWS 2048

// Times that islands are solved side by side, with what is known then of what they may spend.
#define CN_TASK_ROUNDS 3

// ---- an island --------------------------------------------------------------------------------------------

// What became of an island.
typedef enum Outcome {
    islandWaits = 0, // as it was at the start
    islandSolved,    // or failed
    islandTooDear,   // over its budget
    islandNoMemory,
} Outcome;

typedef struct IslandTask {
    int number;
    cnSparseFactor* factor;
    bool isAlone; // solved by the caller, after those that are solved side by side
    Outcome outcome;
    double limit;      // operations that its sub-steps may take
    bool limitIsLeast; // as far as is known
    double work;       // that they took
    // of one that waits: of the sub-steps that it may take anyhow, and of those that it wants
    double freeWork, wantedWork;
} IslandTask;

// What a thread has for one island after the other.
typedef struct IslandRoom {
    cnDirectIsland island;
    cnSavedBody* saved;
} IslandRoom;

// Writes to what belongs to the island only: its bodies, constraints and pairs, and its statistics.
static Outcome SolveOne(IslandRoom* room, const cnContents* contents, IslandTask* task) {
    cnDirectIsland* island = &room->island;
    cnSolve* solve = island->solve;
    CN_ASSERT(cnIsland_IsFactorised(&solve->islands[task->number]));
    const bool isSplit = solve->islands[task->number].solver == cn_islandSplit;
    island->kind = isSplit ? cn_directSplit : cn_directWhole;
    double limit = cnSolve_FactorBudget(solve, task->number);
    cnOrderResult result = cnDirect_Assemble(island, contents, task->number, task->factor, limit);
    if (result != cn_orderFound) {
        return result == cn_orderTooDear ? islandTooDear : islandNoMemory;
    }
    double predicted = island->system.factor->statistics.predictedFlops;
    island->system.flopLimit = cnSolve_StepBudget(solve, contents, task->number, predicted);
    island->stepping.workLimit = task->limit;
    island->stepping.limitIsLeast = task->limitIsLeast;
    if (!cnDirect_RunStep(island, room->saved)) {
        task->freeWork = cnDirect_FreeWork(island);
        task->wantedWork = island->stepping.wanted * cnDirect_SubstepWork(island);
        return islandWaits;
    }
    if (island->system.outcome == cn_systemNoMemory) {
        return islandNoMemory;
    }
    task->work = island->stepping.substeps * cnDirect_SubstepWork(island);
    if (island->system.outcome == cn_systemOverBudget) {
        return islandTooDear;
    }
    cnSolve_KeepWork(solve, contents, task->number, cnLinearSystem_Work(&island->system));
    cnDirect_ReportStatistics(island);
    if (island->system.outcome == cn_systemFailed) { // it stays where it was, less the body at fault
        cnDirect_Fail(island);
    } else {
        cnDirect_Report(island);
    }
    return islandSolved;
}

// ---- all islands ------------------------------------------------------------------------------------------

typedef struct IslandTasks {
    cnSolve* solve;
    cnContents contents;
    IslandTask* list; // in the order of the islands
    int count;
    IslandRoom* rooms; // by thread
    int threads;
} IslandTasks;

static int CountFactorised(const cnSolve* solve) {
    int count = 0;
    for (int i = 0; i < solve->islandCount; ++i) {
        count += cnIsland_IsFactorised(&solve->islands[i]);
    }
    return count;
}

// A kinematic body is at one place at a time, each island at its own: of those that are joined to one that
// moves, the first may be solved beside others. `owners` are islands by row of body, −1.
static bool SharesMovingBody(const IslandTasks* tasks, int number, int* owners) {
    const cnSolve* solve = tasks->solve;
    const cnMembers* members = &tasks->contents.joints;
    bool shares = false;
    for (int j = members->first[number]; j >= 0; j = members->next[j]) {
        for (int side = 0; side < 4; ++side) {
            const int row = solve->joints[j].rows[side];
            if (row >= 0 && solve->solver.indexOfRow[row] == 0 && cnDirect_IsMoving(solve, row)) {
                shares = shares || (owners[row] >= 0 && owners[row] != number);
                owners[row] = owners[row] >= 0 ? owners[row] : number;
            }
        }
    }
    return shares;
}

// Which islands there are, their factors, and which of them can be solved side by side. The sizes of the
// largest, and of the largest of those. False when memory ran out.
static bool ListTasks(IslandTasks* tasks, cnDirectSizes* largest, cnDirectSizes* beside) {
    cnSolve* solve = tasks->solve;
    const int bodyRows = solve->bodies->ids.rowCount;
    tasks->list = CN_PUSH(solve->stack, IslandTask, tasks->count, "direct islands");
    int* owners = CN_PUSH(solve->stack, int, bodyRows, "islands of kinematic bodies");
    if (tasks->list == NULL || owners == NULL || !cnDirect_FindContents(solve, &tasks->contents)) {
        return false;
    }
    memset(owners, -1, (size_t)bodyRows * sizeof(int));
    *largest = *beside = (cnDirectSizes){0};
    int at = 0;
    for (int number = 0; number < solve->islandCount; ++number) {
        if (!cnIsland_IsFactorised(&solve->islands[number])) {
            continue;
        }
        cnDirectSizes sizes = cnDirect_MeasureIsland(solve, &tasks->contents, number);
        bool isAlone = tasks->threads == 1 || sizes.rows > CN_TASK_ROWS;
        isAlone = SharesMovingBody(tasks, number, owners) || isAlone;
        IslandTask* task = &tasks->list[at];
        *task = (IslandTask){.number = number, .isAlone = isAlone, .freeWork = INFINITY};
        task->factor = cnDirect_TakeFactor(solve, &tasks->contents, number, cn_directWhole, at++);
        if (task->factor == NULL) {
            return false;
        }
        cnDirectSizes_Cover(isAlone ? largest : beside, &sizes);
    }
    CN_ASSERT(at == tasks->count);
    cnDirectSizes_Cover(largest, beside);
    return true;
}

// Room for the largest island for the caller, and for the others for what is solved side by side. False when
// memory ran out.
static bool MakeRooms(IslandTasks* tasks, const cnDirectSizes* largest, const cnDirectSizes* beside) {
    cnSolve* solve = tasks->solve;
    cnDirectSizes all = *largest, before = *largest;
    for (int thread = 1; thread < tasks->threads; ++thread) {
        cnDirectSizes_Add(&all, beside);
    }
    cnDirectIsland base = {.solve = solve};
    cnSavedBody* saved = CN_PUSH(solve->stack, cnSavedBody, all.bodies, "saved bodies");
    tasks->rooms = CN_PUSH(solve->stack, IslandRoom, tasks->threads, "rooms of direct islands");
    if (saved == NULL || tasks->rooms == NULL || !cnDirect_MakeRoom(&base, &all)) {
        return false;
    }
    for (int thread = 0; thread < tasks->threads; ++thread) {
        IslandRoom* room = &tasks->rooms[thread];
        *room = (IslandRoom){.island = base, .saved = saved};
        if (thread > 0) {
            cnDirect_SkipRoom(&room->island, &before);
            room->saved += before.bodies;
            cnDirectSizes_Add(&before, beside);
        }
        room->island.system.box = &solve->direct->boxes[thread];
    }
    return tasks->threads == 1 ||
           cnFactorPool_ReserveBoxes(solve->direct, tasks->threads, beside->bodies, beside->rows);
}

static bool CanBeTask(const IslandTask* task) {
    return task->outcome == islandWaits && !task->isAlone &&
           (!task->limitIsLeast || task->wantedWork <= task->limit);
}

// What the islands that wait may spend: what is certain, whatever those before them will have spent. True
// where some of them can be solved with that.
static bool SetLimits(const IslandTasks* tasks) {
    double most = tasks->solve->jointWork, least = most; // that is left
    bool any = false;
    for (int i = 0; i < tasks->count; ++i) {
        IslandTask* task = &tasks->list[i];
        if (task->outcome != islandWaits) {
            most -= task->work;
            least -= task->work;
            continue;
        }
        const double mostShare = cnShareWork(most, tasks->count - i);
        task->limit = cnShareWork(least, tasks->count - i);
        task->limitIsLeast = task->limit < mostShare;
        least -= cnMax(task->freeWork, mostShare);
        any = any || CanBeTask(task);
    }
    return any;
}

static void SolveBeside(int begin, int end, int thread, void* context) {
    const IslandTasks* tasks = context;
    for (int i = begin; i < end; ++i) {
        IslandTask* task = &tasks->list[i];
        if (CanBeTask(task)) {
            task->outcome = SolveOne(&tasks->rooms[thread], &tasks->contents, task);
        }
    }
}

// The islands that still wait, and what all of them leave to one another, in their order. False when memory
// ran out.
static bool Finish(const IslandTasks* tasks) {
    cnSolve* solve = tasks->solve;
    for (int i = 0; i < tasks->count; ++i) {
        IslandTask* task = &tasks->list[i];
        if (task->outcome == islandWaits) {
            task->limit = cnShareWork(solve->jointWork, tasks->count - i);
            task->limitIsLeast = false;
            task->outcome = SolveOne(&tasks->rooms[0], &tasks->contents, task);
        }
        solve->jointWork -= task->work;
        switch (task->outcome) {
        case islandSolved:
            solve->statistics.directIslands += 1;
            break;
        case islandTooDear:
            cnSolve_MakeGrouped(solve, &tasks->contents, task->number);
            break;
        default:
            return false;
        }
    }
    return true;
}

bool cnSolveDirectIslands(cnSolve* solve) {
    const int entries = solve->stack->entryCount, count = CountFactorised(solve);
    IslandTasks tasks = {.solve = solve, .count = count};
    tasks.threads = count > 1 ? cnThreadPool_GetThreads(solve->threads) : 1;
    cnDirectSizes largest, beside;
    if (count == 0) {
        return true;
    }
    if (!ListTasks(&tasks, &largest, &beside) || !MakeRooms(&tasks, &largest, &beside)) {
        return false;
    }
    for (int round = 0; round < CN_TASK_ROUNDS && tasks.threads > 1 && SetLimits(&tasks); ++round) {
        cnThreadPool_Run(solve->threads, SolveBeside, &tasks, count, 1);
    }
    const bool ok = Finish(&tasks);
    cnStack_PopTo(solve->stack, entries);
    return ok;
}
