#include "solve/direct/island_contents.h"

#include "base/report/assert.h"

bool cnDirect_FindMembers(const cnSolve* solve, int count, int memberCount, const int* islands, size_t stride,
                          cnMembers* members) {
    CN_ASSERT(count >= 0 && memberCount >= 0 && stride >= sizeof(int));
    members->first = CN_PUSH(solve->stack, int, count + 1, "first members of islands");
    members->next = CN_PUSH(solve->stack, int, memberCount + 1, "members of islands");
    if (members->first == NULL || members->next == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        members->first[i] = -1;
    }
    for (int i = memberCount - 1; i >= 0; --i) {
        int island = *(const int*)((const char*)islands + (size_t)i * stride);
        CN_ASSERT(island >= -1 && island < count);
        if (island >= 0) {
            members->next[i] = members->first[island];
            members->first[island] = i;
        }
    }
    return true;
}

bool cnDirect_FindContents(const cnSolve* solve, cnContents* contents) {
    const cnSolverJoint* joints = solve->joints;
    const cnSolverContact* contacts = solve->contacts;
    int count = solve->islandCount;
    return cnDirect_FindMembers(solve, count, solve->solver.count, solve->solver.island, sizeof(int),
                                &contents->bodies) &&
           cnDirect_FindMembers(solve, count, solve->jointCount, &joints->island, sizeof *joints,
                                &contents->joints) &&
           cnDirect_FindMembers(solve, count, solve->contactCount, &contacts->island, sizeof *contacts,
                                &contents->contacts);
}

static int CountDynamic(const cnSolve* solve, const int* rows, int count) {
    int dynamic = 0;
    for (int i = 0; i < count; ++i) {
        dynamic += rows[i] >= 0 && solve->solver.indexOfRow[rows[i]] != 0;
    }
    return dynamic;
}

cnDirectSizes cnDirect_MeasureIsland(const cnSolve* solve, const cnContents* contents, int number) {
    cnDirectSizes sizes = {.nodes = 1};
    for (int i = contents->bodies.first[number]; i >= 0; i = contents->bodies.next[i]) {
        sizes.bodies += 1;
    }
    for (int j = contents->joints.first[number]; j >= 0; j = contents->joints.next[j]) {
        const cnSolverJoint* joint = &solve->joints[j];
        const cnConstraint* constraint = &solve->constraints->constraints[joint->constraint];
        int rows = cnJoint_CountRows(constraint, false) + cnJoint_CountRows(constraint, true);
        sizes.nodes += 2;
        sizes.rows += rows;
        sizes.numbers += 6 * rows * CountDynamic(solve, joint->rows, 4);
    }
    for (int c = contents->contacts.first[number]; c >= 0; c = contents->contacts.next[c]) {
        const cnPair* pair = cnPairTable_Get(solve->pairs, solve->contacts[c].pair);
        int rows = pair->manifold.pointCount + cnFriction_CountRows(&cnSolve_GetRows(solve, c)->friction);
        sizes.nodes += 2;
        sizes.rows += rows;
        sizes.numbers += 6 * rows * CountDynamic(solve, (const int[2]){pair->body1, pair->body2}, 2);
    }
    return sizes;
}

static int Larger(int a, int b) {
    return a > b ? a : b;
}

void cnDirectSizes_Add(cnDirectSizes* sum, const cnDirectSizes* sizes) {
    sum->bodies += sizes->bodies;
    sum->nodes += sizes->nodes;
    sum->rows += sizes->rows;
    sum->numbers += sizes->numbers;
}

void cnDirectSizes_Cover(cnDirectSizes* largest, const cnDirectSizes* sizes) {
    largest->bodies = Larger(largest->bodies, sizes->bodies);
    largest->nodes = Larger(largest->nodes, sizes->nodes);
    largest->rows = Larger(largest->rows, sizes->rows);
    largest->numbers = Larger(largest->numbers, sizes->numbers);
}
