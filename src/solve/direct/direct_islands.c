#include "solve/direct/direct_islands.h"

#include "base/report/assert.h"
#include "solve/direct/assembly.h"
#include "solve/direct/reports.h"
#include "solve/direct/stepping.h"
#include "solve/direct/work_budget.h"

// Gives cn_orderTooDear where the island has a budget and it does not suffice.
static cnOrderResult SolveOne(cnDirectIsland* island, const cnContents* contents, int number, int hint) {
    CN_ASSERT(cnIsland_IsFactorised(&island->solve->islands[number]));
    const bool isSplit = island->solve->islands[number].solver == cn_islandSplit;
    island->kind = isSplit ? cn_directSplit : cn_directWhole;
    double limit = cnSolve_FactorBudget(island->solve, number);
    cnOrderResult result = cnDirect_Assemble(island, contents, number, hint, limit);
    if (result != cn_orderFound) {
        return result;
    }
    double predicted = island->system.factor->statistics.predictedFlops;
    island->system.flopLimit = cnSolve_StepBudget(island->solve, contents, number, predicted);
    if (!cnDirect_RunStep(island) || island->system.outcome == cn_systemNoMemory) {
        return cn_orderNoMemory;
    }
    island->solve->jointWork -= island->stepping.substeps * cnDirect_SubstepWork(island);
    if (island->system.outcome == cn_systemOverBudget) {
        return cn_orderTooDear;
    }
    cnSolve_KeepWork(island->solve, contents, number, cnLinearSystem_Work(&island->system));
    cnDirect_ReportStatistics(island);
    if (island->system.outcome == cn_systemFailed) { // it stays where it was, less the body at fault
        cnDirect_Fail(island);
        return cn_orderFound;
    }
    cnDirect_Report(island);
    return cn_orderFound;
}

bool cnSolveDirectIslands(cnSolve* solve) {
    bool any = false;
    for (int i = 0; i < solve->islandCount; ++i) {
        any = any || cnIsland_IsFactorised(&solve->islands[i]);
    }
    if (!any) {
        return true;
    }
    cnContents contents;
    cnDirectSizes largest = {0};
    cnDirectIsland island = {.solve = solve};
    if (!cnDirect_FindContents(solve, &contents)) {
        return false;
    }
    for (int number = 0; number < solve->islandCount; ++number) {
        if (cnIsland_IsFactorised(&solve->islands[number])) {
            cnDirectSizes sizes = cnDirect_MeasureIsland(solve, &contents, number);
            cnDirectSizes_Cover(&largest, &sizes);
        }
    }
    if (!cnDirect_MakeRoom(&island, &largest)) {
        return false;
    }
    int solved = 0, left = 0;
    for (int number = 0; number < solve->islandCount; ++number) {
        left += cnIsland_IsFactorised(&solve->islands[number]);
    }
    for (int number = 0; number < solve->islandCount; ++number) {
        if (cnIsland_IsFactorised(&solve->islands[number])) {
            island.stepping.workLimit = cnSolve_ShareWork(solve, left--);
            cnOrderResult result = SolveOne(&island, &contents, number, solved);
            if (result == cn_orderNoMemory) {
                return false;
            }
            if (result == cn_orderTooDear) {
                cnSolve_MakeGrouped(solve, &contents, number);
            }
            solved += result == cn_orderFound;
        }
    }
    solve->statistics.directIslands = solved;
    return true;
}
