#include "dynamics/joint_energy.h"

#include "base/report/assert.h"

// A row that is a spring, and how far it is from its rest, m or rad.
typedef struct Spring {
    const cnRowSettings* row;
    double gap;
} Spring;

#define CN_MAX_SPRINGS 10 // six degrees of freedom, two locks, two ranges

static bool IsSoft(const cnRowSettings* row) {
    return row->compliance > CN_SPRING_COMPLIANCE && isfinite(row->compliance);
}

static int FindHeldSprings(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                           Spring springs[6]) {
    bool isSpring = cnJoint_IsSpring(joint) && isfinite(joint->dofs[0].compliance);
    bool hasOneRow = cnJoint_IsLine(joint) || cnJoint_Has(joint, cn_hasPartners);
    uint32_t held = hasOneRow ? 1u : cnJoint_KindOf(joint)->held;
    double gaps[6];
    int gapCount = cnJoint_FindGaps(table, joint, view, gaps), count = 0;
    for (int dof = 0, i = 0; dof < 6 && i < gapCount; ++dof) {
        if ((held >> dof & 1) == 0) {
            continue;
        }
        if (isSpring || IsSoft(&joint->dofs[dof])) {
            springs[count++] = (Spring){&joint->dofs[dof], gaps[i]};
        }
        i += 1;
    }
    return count;
}

static int FindSprings(const cnConstraintTable* table, int row, const double coordinates[2],
                       const cnJointView* view, Spring springs[CN_MAX_SPRINGS]) {
    const cnConstraint* joint = &table->constraints[row];
    int count = FindHeldSprings(table, joint, view, springs);
    for (int i = 0; i < cnJoint_KindOf(joint)->freeCount; ++i) {
        double at = coordinates[i];
        const cnSecondary* lock = &joint->secondaries[cn_slotLock + i - cn_slotMotor];
        const cnSecondary* range = &joint->secondaries[cn_slotRange + i - cn_slotMotor];
        if (lock->given && lock->enabled && IsSoft(&lock->row)) {
            springs[count++] = (Spring){&lock->row, at - lock->target};
        }
        if (range->given && range->enabled && IsSoft(&range->row)) {
            springs[count++] = (Spring){&range->row, at - cnClamp(at, range->limits[0], range->limits[1])};
        }
    }
    CN_ASSERT(count <= CN_MAX_SPRINGS);
    return count;
}

// Within the forces that the row may give.
static double PullOf(const Spring* spring) {
    return cnClamp(-spring->gap / spring->row->compliance, spring->row->min, spring->row->max);
}

double cnJoint_GetElasticEnergy(const cnConstraintTable* table, int row, const cnJointView* view) {
    CN_ASSERT(row >= 0 && row < table->ids.rowCount);
    Spring springs[CN_MAX_SPRINGS];
    int count = FindSprings(table, row, table->coordinate[row].of, view, springs);
    double energy = 0.0;
    for (int i = 0; i < count; ++i) {
        // half of k g², beyond the force that it may give a constant force's
        double pull = PullOf(&springs[i]);
        energy -= pull * springs[i].gap + 0.5 * pull * pull * springs[i].row->compliance;
    }
    return energy;
}

double cnJoint_GetElasticWork(const cnConstraintTable* table, int row, const double coordinatesBefore[2],
                              const cnJointView* before, const cnJointView* now) {
    CN_ASSERT(row >= 0 && row < table->ids.rowCount);
    Spring first[CN_MAX_SPRINGS], last[CN_MAX_SPRINGS];
    int count = FindSprings(table, row, coordinatesBefore, before, first);
    int countNow = FindSprings(table, row, table->coordinate[row].of, now, last);
    double work = 0.0;
    for (int i = 0; i < count && i < countNow; ++i) {
        work += PullOf(&first[i]) * (last[i].gap - first[i].gap);
    }
    return work;
}
