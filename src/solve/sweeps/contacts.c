// Contacts of all islands: those with joints directly, soft ones by sweeps with groups of joints, hard
// ones to convergence.
#include "solve/direct/direct_islands.h"
#include "solve/direct/joint_groups.h"
#include "solve/sweeps/contact_blocks.h"
#include "solve/sweeps/converged_contacts.h"

bool cnSolve_Contacts(cnSolve* solve) {
    if (solve->statistics.impactRounds > 0) {
        cnSolve_PrepareBodies(solve);
    }
    cnFactorPool_Release(solve->direct);

    // directly first: what turns out over budget becomes groups
    cnJointGroups groups;
    cnContactBlocks blocks;
    if (!cnSolveDirectIslands(solve) || !cnMakeJointGroups(solve, &groups, solve->statistics.directIslands)) {
        return false;
    }
    cnSolve_AlignVelocities(solve);
    cnSolve_WeighIslands(solve);
    if (solve->contactCount > 0 || groups.count > 0) {
        if (!cnMakeContactBlocks(solve, &blocks)) {
            return false;
        }
        cnSweepContacts(solve, &blocks, &groups);
        cnStoreContactBlocks(solve, &blocks);
        if (!cnJointGroups_Finish(&groups)) {
            return false;
        }
    }
    return solve->statistics.convergedIslands == 0 || cnSolveConvergedIslands(solve);
}
