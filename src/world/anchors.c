#include "world/anchors.h"

#include "base/containers/disjoint_sets.h"
#include "base/report/error.h"
#include "dynamics/joint.h"
#include "dynamics/motion.h"

// Index 0 of the sets is all that does not yield; a body's is its row + 1.
static int IndexOf(const cnWorld* world, int row) {
    return row >= 0 && cnBody_IsSimulated(&world->bodies, row) ? row + 1 : 0;
}

static bool IsEnabled(const cnWorld* world, int row) {
    return row < 0 || (world->bodies.flags[row] & cn_bodyEnabled) != 0;
}

static void UniteByContacts(const cnWorld* world, int* sets) {
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, i);
        if (pair->manifold.pointCount > 0 && !cnPair_IsUnsolved(pair)) {
            cnUniteSets(sets, IndexOf(world, pair->body1), IndexOf(world, pair->body2));
        }
    }
}

static void UniteByConstraints(const cnWorld* world, int* sets) {
    const cnConstraintTable* table = &world->constraints;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        uint32_t acts = cn_constraintLive | cn_constraintEnabled;
        const cnConstraint* joint = &table->constraints[row];
        // those between constraints join bodies that these hold already
        if ((table->flags[row] & acts) == acts && !cnJoint_Has(joint, cn_hasPartners) &&
            IsEnabled(world, joint->body1) && IsEnabled(world, joint->body2)) {
            cnUniteSets(sets, IndexOf(world, joint->body1), IndexOf(world, joint->body2));
        }
    }
}

bool cnFindAnchoredBodies(cnWorld* world, const char* call) {
    int rowCount = world->bodies.ids.rowCount;
    if (!cnArray_Resize(&world->anchored, rowCount + 1)) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "world", "no memory for the sets of %d bodies",
               world->bodies.ids.liveCount);
        return false;
    }
    int* sets = world->anchored.data;
    cnMakeSets(sets, rowCount + 1);
    UniteByContacts(world, sets);
    UniteByConstraints(world, sets);
    // the smaller root wins: what hangs on index 0 has it as its root
    for (int row = 0; row < rowCount; ++row) {
        sets[row + 1] = cnFindRoot(sets, row + 1);
    }
    for (int row = 0; row < rowCount; ++row) {
        sets[row] = sets[row + 1] == 0;
    }
    return true;
}
