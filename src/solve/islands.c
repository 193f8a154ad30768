// Islands: bodies joined by contacts, and which of them are "hard".
//
// The sweeps are a soft scheme: at rest a point sinks F(ε + 0.2 θ D h_s²). Where something heavy rests on something light
// that is too much, and such an island is solved to convergence instead (hard_contacts.c). The measure is
//   w = D h_s max(λ̄, h_s m g |n·ĝ| / points)
// over its points, m the upper body's mass, the second term only between two bodies that yield: how far the point would sink
// softly under its lasting load, in metres. Above 2.8 % of the smaller least half-extent the island is hard, and stays hard
// until it has been below 1.4 % for 60 steps; without that hysteresis tall stacks toggle and never rest.
//
// λ̄ is the mean over two seconds, not the multiplier of the last step (as in docs/iterative-contacts.md): a body that lands at
// 10 m/s has a λ a hundred times its weight for one step, and would make whole piles hard while they tumble.
//
// Small calm structures are hard too: at least three bodies, or more contacts than bodies, so that some close a loop; at most 64
// contacts, no point of which approaches or leaves faster than 5 cm/s. Arches and corbels carry by thrust and wedging, a ring on a
// cone by thrust about it; softly solved they never quite rest (a dry-stone arch of 14 t keeps 0.01 J and creeps by a millimetre in
// 10 s), and at this size the exact solution costs about as much.
//
// The exact solution has a budget of 256 contacts a step, 128 for one island, spent in the islands' order; and an island in
// which a point approaches or leaves faster than 0.5 m/s is soft in this step, since nothing rests there.
#include "base/assert.h"
#include "dynamics/gravity.h"
#include "solve/solve.h"

#include <string.h>

#define CN_HARD_LIMIT 0.028
#define CN_SOFT_LIMIT 0.014
#define CN_HARD_STEPS 60
#define CN_CALM_STEPS 6
// Most contacts of a hard island, of a calm one, of all in a step.
#define CN_HARD_CONTACTS 128
#define CN_CALM_CONTACTS 64
#define CN_BUDGET 256
#define CN_CALM_BODIES 3
// m/s along the normal: below the first a structure is calm, above the second nothing rests.
#define CN_CALM_SPEED 0.05
#define CN_VIOLENT_SPEED 0.5

static int cnFindRoot(int* parents, int index) {
    CN_ASSERT(index > 0);
    while (parents[index] != index) {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    return index;
}

// w over the smaller least half-extent, of a pair's worst point.
static double cnSoftSink(const cnSolve* solve, const cnSolverContact* contact) {
    const cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    CN_ASSERT(pair->manifold.pointCount > 0 && pair->leastHalfExtent > 0.0);
    const cnInverseMass* m1 = &solve->solver.inverse[contact->body1];
    const cnInverseMass* m2 = &solve->solver.inverse[contact->body2];
    cnVec3 normal = cnToD(pair->manifold.normal);

    // what a point bears at least, by the weight of the upper body alone
    double weight = 0.0;
    if (contact->body1 != 0 && contact->body2 != 0) {
        int row1 = solve->solver.rows[contact->body1], row2 = solve->solver.rows[contact->body2];
        cnVec3 gravity = cnGravityAt(&solve->gravity, solve->bodies->centreOfMass[row1]);
        double along = cnDot(normal, gravity);
        double mass = solve->bodies->mass[along < 0.0 ? row1 : row2];
        weight = solve->substep * mass * fabs(along) / pair->manifold.pointCount;
    }
    double worst = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        double impulse = cnMax(pair->slowImpulse, weight);
        if (impulse > 0.0) {
            cnVec3 j1 = cnCross(cnToD(pair->arm1[i]), normal);
            cnVec3 j2 = cnCross(cnToD(pair->arm2[i]), normal);
            worst = cnMax(worst, cnRowEffect(m1, m2, normal, j1, j2) * impulse);
        }
    }
    return solve->substep * worst / pair->leastHalfExtent;
}

// Largest speed along the normal, over a contact's points.
static double cnNormalSpeed(const cnSolve* solve, const cnPair* pair) {
    CN_ASSERT(pair->manifold.pointCount > 0);
    cnVec3 normal = cnToD(pair->manifold.normal);
    double largest = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        cnVec3 u = cnRelativeVelocity(solve->bodies, pair->body1, pair->body2, cnToD(pair->arm1[i]),
                                      cnToD(pair->arm2[i]));
        largest = cnMax(largest, fabs(cnDot(normal, u) + pair->bulge * solve->h));
    }
    return largest;
}

// How fast the islands move that are small enough to be hard.
static void cnMeasureIslands(cnSolve* solve) {
    for (int c = 0; c < solve->contactCount; ++c) {
        CN_ASSERT(solve->contacts[c].island >= 0 && solve->contacts[c].island < solve->islandCount);
        cnIsland* island = &solve->islands[solve->contacts[c].island];
        if (island->contactCount <= CN_HARD_CONTACTS) {
            const cnPair* pair = &solve->pairs->pairs.data[solve->contacts[c].pair];
            island->speed = cnMax(island->speed, cnNormalSpeed(solve, pair));
        }
    }
}

// Which islands are hard in this step, and what their pairs remember of it.
static void cnChooseHardIslands(cnSolve* solve) {
    int budget = CN_BUDGET;
    for (int i = 0; i < solve->islandCount; ++i) {
        CN_ASSERT(budget >= 0);
        cnIsland* island = &solve->islands[i];
        bool isHeavy = island->overLimit || (island->hardSteps > 0 && island->nearLimit);
        bool isStructure = island->bodyCount >= CN_CALM_BODIES || island->contactCount > island->bodyCount;
        bool isCalm =
            isStructure && island->contactCount <= CN_CALM_CONTACTS && island->speed < CN_CALM_SPEED;
        int left = island->hardSteps > 0 ? island->hardSteps - 1 : 0;
        int renewed = isHeavy ? CN_HARD_STEPS : (isCalm ? CN_CALM_STEPS : 0);
        island->hardSteps = left > renewed ? left : renewed;
        island->hard = !island->direct && !island->grouped && island->hardSteps > 0 &&
                       island->speed < CN_VIOLENT_SPEED && island->contactCount <= CN_HARD_CONTACTS &&
                       island->contactCount <= budget;
        island->large = island->contactCount > CN_HARD_CONTACTS || island->grouped;
        budget -= island->hard ? island->contactCount : 0;
        solve->statistics.hardIslands += island->hard;
    }
}

bool cnSolve_FindIslands(cnSolve* solve) {
    CN_ASSERT(solve->solver.count >= 1 && solve->contactCount >= 0 && solve->jointCount >= 0);
    cnSolverBodies* solver = &solve->solver;

    // join bodies that share a contact; the smaller index is the root
    for (int index = 0; index < solver->count; ++index) {
        solver->island[index] = index;
    }
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        if (contact->body1 != 0 && contact->body2 != 0) {
            int root1 = cnFindRoot(solver->island, contact->body1);
            int root2 = cnFindRoot(solver->island, contact->body2);
            solver->island[root1 < root2 ? root2 : root1] = root1 < root2 ? root1 : root2;
        }
    }

    for (int j = 0; j < solve->jointCount; ++j) {
        int first = 0;
        for (int i = 0; i < 4; ++i) {
            int row = solve->joints[j].rows[i];
            int index = row >= 0 ? solver->indexOfRow[row] : 0;
            if (index != 0 && first != 0) {
                int root1 = cnFindRoot(solver->island, first), root2 = cnFindRoot(solver->island, index);
                solver->island[root1 < root2 ? root2 : root1] = root1 < root2 ? root1 : root2;
            }
            first = index != 0 ? index : first;
        }
    }

    // number them in the order of their roots; a root comes before its members
    solve->islands = CN_PUSH(solve->stack, cnIsland, solver->count, "islands");
    if (solve->islands == NULL) {
        return false;
    }
    solve->islandCount = 0;
    solver->island[0] = -1;
    for (int index = 1; index < solver->count; ++index) {
        int parent = solver->island[index];
        CN_ASSERT(parent >= 0 && parent <= index);
        if (parent != index) {
            solver->island[index] = solver->island[parent];
        } else if (solver->free[index]) {
            solver->island[index] = -1;
        } else {
            solve->islands[solve->islandCount] = (cnIsland){0};
            solver->island[index] = solve->islandCount++;
        }
        if (solver->island[index] >= 0) {
            solve->islands[solver->island[index]].bodyCount += 1;
        }
    }

    // their contacts and loads
    for (int c = 0; c < solve->contactCount; ++c) {
        cnSolverContact* contact = &solve->contacts[c];
        contact->island = solver->island[contact->body1 != 0 ? contact->body1 : contact->body2];
        CN_ASSERT(contact->island >= 0 && contact->island < solve->islandCount);
        cnIsland* island = &solve->islands[contact->island];
        island->contactCount += 1;
        double sink = cnSoftSink(solve, contact);
        island->overLimit |= sink > CN_HARD_LIMIT;
        island->nearLimit |= sink > CN_SOFT_LIMIT;
        int steps = solve->pairs->pairs.data[contact->pair].hardSteps;
        island->hardSteps = island->hardSteps > steps ? island->hardSteps : steps;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        cnSolverJoint* joint = &solve->joints[j];
        for (int i = 0; i < 4; ++i) {
            int index = joint->rows[i] >= 0 ? solver->indexOfRow[joint->rows[i]] : 0;
            joint->island = index != 0 ? solver->island[index] : joint->island;
        }
        solve->islands[joint->island].jointCount += 1;
    }
    cnSolve_ChooseSolvers(solve);
    cnMeasureIslands(solve);
    cnChooseHardIslands(solve);
    solve->statistics.islands = solve->islandCount;
    for (int c = 0; c < solve->contactCount; ++c) {
        solve->pairs->pairs.data[solve->contacts[c].pair].hardSteps =
            solve->islands[solve->contacts[c].island].hardSteps;
    }
    return true;
}

void cnSolve_ListStatistics(const cnSolve* solve, cnIslandStatistics* list) {
    for (int i = 0; i < solve->islandCount; ++i) {
        const cnIsland* island = &solve->islands[i];
        bool isFactorised = island->statistics.substeps > 0;
        list[i] = island->statistics;
        list[i].bodies = island->bodyCount;
        list[i].contacts = island->contactCount;
        list[i].constraints = island->jointCount;
        if (!isFactorised) {
            list[i].solver = island->hard ? cn_islandConverged : cn_islandSwept;
            list[i].substeps = solve->substeps;
        }
    }
}
