// What the solvers rely on once islands were found: cnSolve_Validate.
#include "base/containers/hash.h"
#include "solve/solve.h"

// What the islands should have of one kind, and what was found: a count and a sum with a weight for each
// island, so that it is known without counters that every island has its own.
typedef struct Members {
    const char* name;
    int expected, found;
    uint64_t expectedSum, foundSum;
} Members;

static uint64_t WeightOf(int island) {
    return cnMix64((uint64_t)island + 1);
}

static void Expect(Members* members, int island, int count) {
    members->expected += count;
    members->expectedSum += WeightOf(island) * (uint64_t)count;
}

static void Find(Members* members, int island) {
    members->found += 1;
    members->foundSum += WeightOf(island);
}

static bool CheckMembers(const Members* members, cnFault* fault) {
    CN_CHECK(fault, members->found == members->expected, "islands: they count %d %s, there are %d",
             members->expected, members->name, members->found);
    CN_CHECK(fault, members->foundSum == members->expectedSum, "islands: one counts %s of another",
             members->name);
    return true;
}

static bool CheckBody(const cnSolve* solve, int index, int numbered, cnFault* fault) {
    const cnSolverBodies* solver = &solve->solver;
    int row = solver->rows[index], island = solver->island[index];
    CN_CHECK(fault, row >= 0 && row < solve->bodies->ids.rowCount && solver->indexOfRow[row] == index,
             "solver bodies: index %d is row %d, which is another's", index, row);
    CN_CHECK(fault, (solve->bodies->flags[row] & cn_bodyLive) != 0 && cnBody_IsSimulated(solve->bodies, row),
             "solver bodies: index %d is row %d, which does not yield (flags %x)", index, row,
             (unsigned)solve->bodies->flags[row]);
    CN_CHECK(fault, island >= -1 && island <= numbered && island < solve->islandCount,
             "solver bodies: index %d is in island %d, up to here there are %d of %d", index, island,
             numbered, solve->islandCount);
    return true;
}

// Islands are numbered in the order of their first bodies.
static bool CheckBodies(const cnSolve* solve, Members* bodies, cnFault* fault) {
    CN_CHECK(fault, solve->solver.count >= 1 && solve->solver.rows[0] == -1 && solve->solver.island[0] == -1,
             "solver bodies: index 0 is row %d in island %d", solve->solver.rows[0], solve->solver.island[0]);
    int numbered = 0;
    for (int index = 1; index < solve->solver.count; ++index) {
        if (!CheckBody(solve, index, numbered, fault)) {
            return false;
        }
        int island = solve->solver.island[index];
        numbered += island == numbered;
        if (island >= 0) {
            Find(bodies, island);
        }
    }
    CN_CHECK(fault, numbered == solve->islandCount, "islands: there are %d, the bodies are in %d",
             solve->islandCount, numbered);
    return true;
}

// A contact or a joint is in the island of its dynamic bodies, of which there is one at least.
static bool CheckIsland(const cnSolve* solve, const char* name, int number, int island, const int* indices,
                        int count, cnFault* fault) {
    bool isDynamic = false;
    for (int i = 0; i < count; ++i) {
        CN_CHECK(fault, indices[i] >= 0 && indices[i] < solve->solver.count, "%s: %d acts on body %d of %d",
                 name, number, indices[i], solve->solver.count);
        CN_CHECK(fault, indices[i] == 0 || solve->solver.island[indices[i]] == island,
                 "%s: %d in island %d acts on body %d of island %d", name, number, island, indices[i],
                 solve->solver.island[indices[i]]);
        isDynamic = isDynamic || indices[i] != 0;
    }
    CN_CHECK(fault, isDynamic && island >= 0 && island < solve->islandCount, "%s: %d is in island %d of %d",
             name, number, island, solve->islandCount);
    return true;
}

static bool CheckContacts(const cnSolve* solve, Members* contacts, cnFault* fault) {
    for (int c = 0; c < solve->contactCount; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        CN_CHECK(fault, contact->pair >= 0 && contact->pair < solve->pairs->pairs.count,
                 "solver contacts: %d has pair %d of %d", c, contact->pair, solve->pairs->pairs.count);
        if (!CheckIsland(solve, "solver contacts", c, contact->island,
                         (const int[]){contact->body1, contact->body2}, 2, fault)) {
            return false;
        }
        Find(contacts, contact->island);
    }
    return true;
}

static bool CheckJoints(const cnSolve* solve, Members* joints, cnFault* fault) {
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* joint = &solve->joints[j];
        CN_CHECK(fault, cnIdPool_IsLive(&solve->constraints->ids, joint->constraint),
                 "solver joints: %d has constraint %d, which is not live", j, joint->constraint);
        int indices[4];
        for (int i = 0; i < 4; ++i) {
            CN_CHECK(fault, joint->rows[i] >= -1 && joint->rows[i] < solve->bodies->ids.rowCount,
                     "solver joints: %d has body row %d", j, joint->rows[i]);
            indices[i] = joint->rows[i] >= 0 ? solve->solver.indexOfRow[joint->rows[i]] : 0;
        }
        if (!CheckIsland(solve, "solver joints", j, joint->island, indices, 4, fault)) {
            return false;
        }
        Find(joints, joint->island);
    }
    return true;
}

bool cnSolve_Validate(const cnSolve* solve, cnFault* fault) {
    fault->message[0] = '\0';
    Members bodies = {.name = "bodies"}, contacts = {.name = "contacts"}, joints = {.name = "joints"};
    for (int i = 0; i < solve->islandCount; ++i) {
        const cnIsland* island = &solve->islands[i];
        CN_CHECK(fault, island->bodyCount >= 1 && island->contactCount + island->jointCount >= 1,
                 "islands: %d has %d bodies, %d contacts and %d joints", i, island->bodyCount,
                 island->contactCount, island->jointCount);
        CN_CHECK(fault, island->solver != cn_islandGrouped || island->jointCount > 0,
                 "islands: %d is solved in groups of joints and has none", i);
        Expect(&bodies, i, island->bodyCount);
        Expect(&contacts, i, island->contactCount);
        Expect(&joints, i, island->jointCount);
    }
    return CheckBodies(solve, &bodies, fault) && CheckContacts(solve, &contacts, fault) &&
           CheckJoints(solve, &joints, fault) && CheckMembers(&bodies, fault) &&
           CheckMembers(&contacts, fault) && CheckMembers(&joints, fault);
}
