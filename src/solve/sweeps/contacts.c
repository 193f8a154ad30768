// Contacts and joints of all islands: directly, by sweeps, by sweeps of contacts beside groups of joints,
// hard contacts to convergence.
#include "solve/direct/direct_islands.h"
#include "solve/direct/joint_groups.h"
#include "solve/sweeps/contact_blocks.h"
#include "solve/sweeps/converged_contacts.h"
#include "solve/sweeps/joint_blocks.h"

bool cnSolve_Contacts(cnSolve* solve) {
    if (solve->statistics.impactRounds > 0) {
        cnSolve_PrepareBodies(solve);
    }
    cnFactorPool_Release(solve->direct);

    // directly first: what turns out over budget becomes groups
    cnJointGroups groups;
    cnContactBlocks blocks;
    cnJointBlocks joints;
    if (!cnSolveDirectIslands(solve) || !cnMakeJointGroups(solve, &groups, solve->statistics.directIslands)) {
        return false;
    }
    cnSolve_AlignVelocities(solve);
    cnSolve_WeighIslands(solve);
    if (!cnMakeJointBlocks(solve, &joints)) {
        return false;
    }
    if (solve->contactCount > 0 || groups.count > 0 || joints.blockCount > 0) {
        if (!cnMakeContactBlocks(solve, &blocks)) {
            return false;
        }
        cnSweepIslands(solve, &blocks, &joints, &groups);
        cnStoreContactBlocks(solve, &blocks);
        if (!cnSweepPositions(solve, &blocks)) {
            return false;
        }
        cnStoreJointBlocks(solve, &joints);
        if (!cnJointGroups_Finish(&groups)) {
            return false;
        }
    }
    return solve->statistics.convergedIslands == 0 || cnSolveConvergedIslands(solve);
}
