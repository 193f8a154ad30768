// Contacts of all islands: soft ones by sweeps, hard ones to convergence, those with joints directly.
#include "solve/contact_blocks.h"
#include "solve/direct_islands.h"
#include "solve/hard_contacts.h"

bool cnSolve_Contacts(cnSolve* solve) {
    if (solve->statistics.impactRounds > 0) {
        cnSolve_PrepareBodies(solve);
    }
    if (solve->contactCount > 0) {
        cnContactBlocks blocks;
        if (!cnMakeContactBlocks(solve, &blocks)) {
            return false;
        }
        cnSweepContacts(solve, &blocks);
        cnStoreContactBlocks(solve, &blocks);
    }
    return (solve->statistics.hardIslands == 0 || cnSolveHardIslands(solve)) && cnSolveDirectIslands(solve);
}
