#include "solve/constraint_graph.h"

#include "base/containers/disjoint_sets.h"
#include "solve/contact_order.h"

#include <string.h>

#define CN_EDGE_CHUNK 256

void cnConstraintGraph_Free(cnConstraintGraph* graph) {
    cnArray_Free(&graph->contacts);
    cnArray_Free(&graph->joints);
    cnArray_Free(&graph->contactPlaces);
    cnArray_Free(&graph->jointColours);
    cnArray_Free(&graph->closesLoop);
    cnArray_Free(&graph->islandOfBody);
    cnArray_Free(&graph->islands);
}

// ---- edges ------------------------------------------------------------------------------------------------

static cnContactEdge ContactEdgeOf(const cnSolverContact* contact) {
    return (cnContactEdge){contact->order, contact->body1, contact->body2, contact->pointCount > 1};
}

static cnJointEdge JointEdgeOf(const cnSolve* solve, const cnSolverJoint* joint) {
    cnJointEdge edge;
    for (int i = 0; i < 4; ++i) {
        edge.bodies[i] = joint->rows[i] >= 0 ? solve->solver.indexOfRow[joint->rows[i]] : 0;
    }
    return edge;
}

// Edges of the step beside those that are kept.
typedef struct EdgeTask {
    cnSolve* solve;
    bool* differs; // by chunk
} EdgeTask;

static void CompareContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const EdgeTask* task = context;
    for (int c = begin; c < end; ++c) {
        cnContactEdge found = ContactEdgeOf(&task->solve->contacts[c]);
        const cnContactEdge* kept = &task->solve->graph->contacts.data[c];
        if (found.order != kept->order || found.body1 != kept->body1 || found.body2 != kept->body2 ||
            found.hasSeveral != kept->hasSeveral) {
            task->differs[begin / CN_EDGE_CHUNK] = true;
            return;
        }
    }
}

static void CompareJoints(int begin, int end, int thread, void* context) {
    (void)thread;
    const EdgeTask* task = context;
    for (int j = begin; j < end; ++j) {
        cnJointEdge found = JointEdgeOf(task->solve, &task->solve->joints[j]);
        if (memcmp(&found, &task->solve->graph->joints.data[j], sizeof found) != 0) {
            task->differs[begin / CN_EDGE_CHUNK] = true;
            return;
        }
    }
}

static void KeepContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int c = begin; c < end; ++c) {
        solve->graph->contacts.data[c] = ContactEdgeOf(&solve->contacts[c]);
    }
}

static void KeepJoints(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int j = begin; j < end; ++j) {
        solve->graph->joints.data[j] = JointEdgeOf(solve, &solve->joints[j]);
    }
}

// Runs a comparison over so many edges. False when memory ran out, which is found to be a difference, too.
static bool AreSame(cnSolve* solve, cnTask* compare, int count) {
    int chunks = count / CN_EDGE_CHUNK + 1;
    bool* differs = CN_PUSH(solve->stack, bool, chunks, "edges that differ");
    if (differs == NULL) {
        return false;
    }
    memset(differs, 0, (size_t)chunks * sizeof *differs);
    cnThreadPool_Run(solve->threads, compare, &(EdgeTask){solve, differs}, count, CN_EDGE_CHUNK);
    bool same = memchr(differs, true, (size_t)chunks) == NULL;
    cnStack_Pop(solve->stack, differs);
    return same;
}

// ---- joints -----------------------------------------------------------------------------------------------

// Which joints close a loop of others, of their first two bodies. False when memory ran out.
static bool FindLoops(cnSolve* solve) {
    cnConstraintGraph* graph = solve->graph;
    int* roots = CN_PUSH(solve->stack, int, solve->solver.count, "roots of linkages");
    if (roots == NULL || !cnArray_Resize(&graph->closesLoop, graph->joints.count)) {
        return false;
    }
    cnMakeSets(roots, solve->solver.count);
    for (int j = 0; j < graph->joints.count; ++j) {
        const int* bodies = graph->joints.data[j].bodies;
        bool closes = cnFindRoot(roots, bodies[0]) == cnFindRoot(roots, bodies[1]);
        graph->closesLoop.data[j] = closes;
        if (!closes) {
            cnUniteSets(roots, bodies[0], bodies[1]);
        }
    }
    cnStack_Pop(solve->stack, roots);
    return true;
}

// A colour for each joint: the lowest that is free at both bodies. False when memory ran out.
static bool ColourJoints(cnSolve* solve) {
    cnConstraintGraph* graph = solve->graph;
    size_t bytes = (size_t)solve->solver.count * sizeof(uint64_t);
    uint64_t* taken = cnStack_Push(solve->stack, bytes, "joint colours taken");
    if (taken == NULL || !cnArray_Resize(&graph->jointColours, graph->joints.count)) {
        return false;
    }
    memset(taken, 0, bytes);
    for (int j = 0; j < graph->joints.count; ++j) {
        const int* bodies = graph->joints.data[j].bodies;
        uint64_t used = taken[bodies[0]] | taken[bodies[1]];
        int colour = used == UINT64_MAX ? CN_JOINT_COLOURS : __builtin_ctzll(~used);
        for (int i = 0; i < 2 && colour < CN_JOINT_COLOURS; ++i) {
            taken[bodies[i]] |= bodies[i] != 0 ? (uint64_t)1 << colour : 0;
        }
        graph->jointColours.data[j] = (uint8_t)colour;
    }
    cnStack_Pop(solve->stack, taken);
    return true;
}

// ---- islands ----------------------------------------------------------------------------------------------

// Bodies that something acts on, with those that it connects them to; the smaller index is the root.
static void JoinBodies(cnConstraintGraph* graph, bool* isActedOn) {
    int* island = graph->islandOfBody.data;
    cnMakeSets(island, graph->islandOfBody.count);
    memset(isActedOn, 0, (size_t)graph->islandOfBody.count * sizeof *isActedOn);
    for (int c = 0; c < graph->contacts.count; ++c) {
        const cnContactEdge* edge = &graph->contacts.data[c];
        isActedOn[edge->body1] = isActedOn[edge->body2] = true;
        if (edge->body1 != 0 && edge->body2 != 0) {
            cnUniteSets(island, edge->body1, edge->body2);
        }
    }
    for (int j = 0; j < graph->joints.count; ++j) {
        int first = 0;
        for (int i = 0; i < 4; ++i) {
            int body = graph->joints.data[j].bodies[i];
            isActedOn[body] = true;
            if (body != 0 && first != 0) {
                cnUniteSets(island, first, body);
            }
            first = body != 0 ? body : first;
        }
    }
}

// Islands are numbered in the order of their roots; a root comes before its members. False when memory ran
// out.
static bool NumberIslands(cnSolve* solve) {
    cnConstraintGraph* graph = solve->graph;
    int count = solve->solver.count;
    bool* isActedOn = CN_PUSH(solve->stack, bool, count, "bodies that are acted on");
    if (isActedOn == NULL || !cnArray_Resize(&graph->islandOfBody, count)) {
        return false;
    }
    JoinBodies(graph, isActedOn);
    int* island = graph->islandOfBody.data;
    graph->islands.count = 0;
    island[0] = -1;
    for (int index = 1; index < count; ++index) {
        int parent = island[index];
        CN_ASSERT(parent >= 0 && parent <= index);
        if (parent != index) {
            island[index] = island[parent];
        } else if (!isActedOn[index]) {
            island[index] = -1;
        } else {
            island[index] = graph->islands.count;
            if (!cnArray_Push(&graph->islands, (cnIslandSize){0})) {
                return false;
            }
        }
        if (island[index] >= 0) {
            graph->islands.data[island[index]].bodyCount += 1;
        }
    }
    for (int c = 0; c < graph->contacts.count; ++c) {
        const cnContactEdge* edge = &graph->contacts.data[c];
        graph->islands.data[island[edge->body1 != 0 ? edge->body1 : edge->body2]].contactCount += 1;
    }
    for (int j = 0; j < graph->joints.count; ++j) {
        cnIslandSize* size = &graph->islands.data[cnJointEdge_GetIsland(&graph->joints.data[j], island)];
        size->jointCount += 1;
        size->loops += graph->closesLoop.data[j];
    }
    cnStack_Pop(solve->stack, isActedOn);
    return true;
}

// ---- the graph --------------------------------------------------------------------------------------------

static bool TakeContacts(cnSolve* solve) {
    if (!cnArray_Resize(&solve->graph->contacts, solve->contactCount) || !cnSolve_OrderContacts(solve)) {
        return false;
    }
    cnThreadPool_Run(solve->threads, KeepContacts, solve, solve->contactCount, CN_EDGE_CHUNK);
    return true;
}

static bool TakeJoints(cnSolve* solve) {
    if (!cnArray_Resize(&solve->graph->joints, solve->jointCount)) {
        return false;
    }
    cnThreadPool_Run(solve->threads, KeepJoints, solve, solve->jointCount, CN_EDGE_CHUNK);
    return FindLoops(solve) && ColourJoints(solve);
}

bool cnSolve_FindGraph(cnSolve* solve) {
    cnConstraintGraph* graph = solve->graph;
    bool isKept = graph->bodyCount == solve->solver.count;
    bool hasContacts = isKept && graph->contacts.count == solve->contactCount &&
                       AreSame(solve, CompareContacts, solve->contactCount);
    bool hasJoints = isKept && graph->joints.count == solve->jointCount &&
                     AreSame(solve, CompareJoints, solve->jointCount);
    if (hasContacts && hasJoints) {
        return true;
    }
    graph->bodyCount = 0; // until it is whole again
    graph->version += 1;
    if ((!hasContacts && !TakeContacts(solve)) || (!hasJoints && !TakeJoints(solve)) ||
        !NumberIslands(solve)) {
        return false;
    }
    graph->bodyCount = solve->solver.count;
    return true;
}
