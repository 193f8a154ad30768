#include "solve/rows/joint_rows.h"

#include "base/report/assert.h"

static void SetSides(cnJointRow* row, int side, const cnGradient* gradient) {
    CN_ASSERT(side == 0 || side == 2);
    double *first = row->jacobian[side], *second = row->jacobian[side + 1];
    const cnVec3 g = gradient->linear, m1 = gradient->moment1, m2 = gradient->moment2;
    first[0] = g.x, first[1] = g.y, first[2] = g.z, first[3] = m1.x, first[4] = m1.y, first[5] = m1.z;
    second[0] = -g.x, second[1] = -g.y, second[2] = -g.z;
    second[3] = -m2.x, second[4] = -m2.y, second[5] = -m2.z;
    row->sides = side + 2;
}

static void StartRow(cnJointRow* row, int slot, const cnGradient* gradient, const cnRowSettings* settings) {
    CN_ASSERT(slot >= 0 && slot < cn_slotCount);
    row->slot = slot;
    row->kind = cn_rowHolonomic;
    row->violation = row->target = 0.0;
    row->min = settings->min;
    row->max = settings->max;
    row->compliance = settings->compliance;
    row->damping = settings->damping;
    SetSides(row, 0, gradient);
}

// A spring without stiffness.
static bool IsDamper(const cnConstraint* joint) {
    return cnJoint_IsSpring(joint) && !(joint->dofs[0].compliance < INFINITY);
}

int cnJoint_CountRows(const cnConstraint* joint, bool secondary) {
    if (secondary) {
        int count = 0;
        for (uint32_t left = joint->acting & ~(1u << cn_slotScrew); left != 0; left &= left - 1) {
            count += 1;
        }
        return count + (cnJoint_IsDistance(joint) ? cn_swayRows : 0);
    }
    if (!cnJoint_IsHeld(joint) || (IsDamper(joint) && joint->viscosity == 0.0)) {
        return 0;
    }
    return cnConstraintKinds[joint->type].heldCount + cnJoint_IsScrew(joint) +
           (cnConstraint_SecondaryAt(joint, cn_slotScrew) != NULL);
}

static int MakeHeldRows(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                        cnJointRow rows[cn_mostJointRows]) {
    if (cnJoint_CountRows(joint, false) == 0) {
        return 0;
    }
    bool isDamper = IsDamper(joint);
    cnHeldRow held[6];
    cnJointFrames frames;
    int count = cnJoint_FindHeld(table, joint, view, held, &frames);
    for (int i = 0; i < count; ++i) {
        StartRow(&rows[i], cn_slotDof + held[i].dof, &held[i].gradient, &joint->dofs[held[i].dof]);
        rows[i].violation = held[i].violation;
        if (joint->partner1 >= 0) {
            SetSides(&rows[i], 2, &held[i].second);
        }
        if (isDamper) {
            rows[i].kind = cn_rowVelocity;
            rows[i].compliance = 1.0 / joint->viscosity;
        }
    }
    const cnSecondary* screw = cnConstraint_SecondaryAt(joint, cn_slotScrew);
    if (screw != NULL) {
        cnJointFrames frames = cnJoint_Place(joint, view);
        cnGradient gradient;
        double violation = cnJoint_FindScrew(joint, &frames, screw->target, &gradient);
        StartRow(&rows[count], cn_slotScrew, &gradient, &screw->row);
        rows[count++].violation = violation;
    }
    return count;
}

// Which limit is nearer; one that equals the other holds both ways.
static void LimitRow(cnJointRow* row, const cnSecondary* range, double value) {
    double below = value - range->limits[0], above = range->limits[1] - value;
    bool isUpper = above < below;
    row->kind = range->limits[0] == range->limits[1] ? cn_rowHolonomic : cn_rowOneSided;
    row->violation = isUpper ? -above : below;
    if (row->kind == cn_rowOneSided) {
        row->min = isUpper ? -INFINITY : 0.0;
        row->max = isUpper ? 0.0 : INFINITY;
    }
}

// Friction's bound: of its own, or a coefficient times last step's force across the axis.
static double FrictionBound(const cnConstraint* joint, const cnSecondary* friction, bool isAngle) {
    if (friction->boundGiven) {
        return friction->row.max;
    }
    if (cnJoint_IsLine(joint)) {
        return 0.0; // nothing acts across a line
    }
    double u = joint->rows[0].force, v = joint->rows[1].force;
    double lever = isAngle ? friction->radius : 1.0;
    return friction->coefficient * lever * sqrt(u * u + v * v);
}

// Motors, locks, ranges, friction of coordinate `index`.
static int MakeCoordinateRows(cnConstraint* joint, int index, double value, const cnGradient* gradient,
                              cnJointRow* rows) {
    CN_ASSERT(index == 0 || index == 1);
    bool isAngle = (cnConstraintKinds[joint->type].angular >> index & 1) != 0;
    int count = 0;
    const cnSecondary* motor = cnConstraint_SecondaryAt(joint, cn_slotMotor + index);
    if (motor != NULL) {
        cnJointRow* row = &rows[count++];
        StartRow(row, cn_slotMotor + index, gradient, &motor->row);
        row->kind = motor->holds ? cn_rowHolonomic : cn_rowVelocity;
        row->target = motor->target;
        if (motor->holds) {
            row->violation = value - motor->limits[0];
            const cnRowSettings* settings = &joint->dofs[cnJoint_DofOfCoordinate(joint->type, index)];
            row->compliance = settings->compliance;
            row->damping = settings->damping;
        }
    }
    const cnSecondary* lock = cnConstraint_SecondaryAt(joint, cn_slotLock + index);
    if (lock != NULL) {
        StartRow(&rows[count], cn_slotLock + index, gradient, &lock->row);
        rows[count++].violation = value - lock->target;
    }
    const cnSecondary* range = cnConstraint_SecondaryAt(joint, cn_slotRange + index);
    if (range != NULL) {
        StartRow(&rows[count], cn_slotRange + index, gradient, &range->row);
        LimitRow(&rows[count++], range, value);
    }
    const cnSecondary* friction = cnConstraint_SecondaryAt(joint, cn_slotFriction + index);
    if (friction != NULL) {
        cnJointRow* row = &rows[count++];
        StartRow(row, cn_slotFriction + index, gradient, &friction->row);
        row->kind = cn_rowVelocity;
        row->max = FrictionBound(joint, friction, isAngle);
        row->min = -row->max;
    }
    return count;
}

static int MakeBallRows(const cnConstraint* joint, const cnJointFrames* frames, cnJointRow* rows) {
    int count = 0;
    const cnSecondary* cone = cnConstraint_SecondaryAt(joint, cn_slotCone);
    cnGradient gradient = {0};
    if (cone != NULL) {
        double angle = 0.0;
        if (!cnJoint_FindCone(frames, &angle, &gradient)) {
            gradient = (cnGradient){0}; // no way to leave has a direction yet
        }
        StartRow(&rows[count], cn_slotCone, &gradient, &cone->row);
        LimitRow(&rows[count++], cone, angle);
    }
    const cnSecondary* twist = cnConstraint_SecondaryAt(joint, cn_slotTwist);
    if (twist != NULL) {
        double angle = cnJoint_FindTwist(frames, &gradient);
        StartRow(&rows[count], cn_slotTwist, &gradient, &twist->row);
        LimitRow(&rows[count++], twist, angle);
    }
    return count;
}

// Across a line. What they are to do, its force and its bodies say.
static int MakeSwayRows(const cnJointFrames* frames, cnJointRow rows[cn_swayRows]) {
    static const cnRowSettings settings = {.min = -INFINITY, .max = INFINITY};
    cnGradient across[cn_swayRows] = {0};
    cnJoint_FindAcross(frames, across);
    for (int i = 0; i < cn_swayRows; ++i) {
        StartRow(&rows[i], cn_slotDof + 1 + i, &across[i], &settings);
        rows[i].kind = cn_rowSway;
    }
    return cn_swayRows;
}

// A motor that is to hold at speed 0 remembers where it came to stand, and again after its force
// did not suffice.
static void CatchPosition(cnConstraint* joint, int index, double value) {
    CN_ASSERT(index == 0 || index == 1);
    cnSecondary* motor = &joint->secondaries[index];
    cnRowState* before = &joint->rows[cn_slotMotor + index];
    bool stands =
        motor->given && motor->enabled && motor->lockAtZeroSpeed && motor->target == 0.0 && before->active;
    if (stands && !motor->holds) {
        motor->limits[0] = value;
        before->violation = 0.0;
    }
    motor->holds = stands;
}

static int MakeSecondaryRows(cnConstraint* joint, const cnJointView* view,
                             cnJointRow rows[cn_mostJointRows]) {
    cnJointFrames frames = cnJoint_Place(joint, view);
    int count = cnJoint_Has(joint, cn_hasCone) ? MakeBallRows(joint, &frames, rows) : 0;
    for (int i = 0; i < cnConstraintKinds[joint->type].freeCount; ++i) {
        double raw = 0.0;
        cnGradient gradient = {0};
        cnJoint_FindCoordinate(joint, &frames, i, &raw, &gradient);
        double value = cnJoint_Unwrap(joint, i, raw);
        CatchPosition(joint, i, value);
        count += MakeCoordinateRows(joint, i, value, &gradient, rows + count);
    }
    return count + (cnJoint_IsDistance(joint) ? MakeSwayRows(&frames, rows + count) : 0);
}

int cnJoint_MakeRows(cnConstraintTable* table, int constraint, bool secondary, const cnJointView* view,
                     cnJointRow rows[cn_mostJointRows]) {
    CN_ASSERT(constraint >= 0 && constraint < table->ids.rowCount);
    CN_ASSERT((table->flags[constraint] & cn_constraintLive) != 0);
    cnConstraint* joint = &table->constraints[constraint];
    return secondary ? MakeSecondaryRows(joint, view, rows) : MakeHeldRows(table, joint, view, rows);
}

int cnJoint_FindViolations(cnConstraintTable* table, int constraint, bool secondary, const cnJointView* view,
                           double violations[cn_mostJointRows]) {
    CN_ASSERT(constraint >= 0 && constraint < table->ids.rowCount);
    cnConstraint* joint = &table->constraints[constraint];
    if (!secondary && cnConstraint_SecondaryAt(joint, cn_slotScrew) == NULL) {
        return cnJoint_CountRows(joint, false) > 0 ? cnJoint_FindGaps(table, joint, view, violations) : 0;
    }
    // the rows once more: few joints have any of these
    cnJointRow rows[cn_mostJointRows];
    int count = cnJoint_MakeRows(table, constraint, secondary, view, rows);
    for (int i = 0; i < count; ++i) {
        violations[i] = rows[i].violation;
        bool isUpper = rows[i].max <= 0.0;
        if (rows[i].kind == cn_rowOneSided && isUpper != joint->rows[rows[i].slot].isUpper) {
            // another limit is nearer there
            const cnSecondary* range = &joint->secondaries[rows[i].slot - cn_slotMotor];
            double width = range->limits[1] - range->limits[0];
            violations[i] += isUpper ? width : -width;
        }
    }
    return count;
}

// ---- forces to read ---------------------------------------------------------------------------------------

static double ScrewLead(const cnConstraint* joint) {
    return joint->secondaries[cn_slotScrew - cn_slotMotor].target;
}

void cnJoint_AddRowForce(cnConstraintTable* table, int constraint, int slot, double force) {
    CN_ASSERT(slot >= 0 && slot < cn_slotCount);
    const cnConstraint* joint = &table->constraints[constraint];
    cnConstraintSix* dofForce = &table->dofForce[constraint];
    if (slot == cn_slotScrew || (cnJoint_IsScrew(joint) && slot == cn_slotDof + 2)) {
        // along the axis λ, about it what is left of the moment
        dofForce->of[2] += force;
        dofForce->of[5] -= force * (slot == cn_slotScrew ? ScrewLead(joint) : joint->ratio);
    } else if (slot < 6) {
        dofForce->of[slot] += force;
    } else if (slot < cn_slotScrew) {
        int index = (slot - cn_slotMotor) % 2;
        cnConstraintPair* const columns[4] = {&table->motorForce[constraint], &table->lockForce[constraint],
                                              &table->rangeForce[constraint],
                                              &table->frictionForce[constraint]};
        columns[(slot - cn_slotMotor) / 2]->of[index] += force;
        dofForce->of[cnJoint_DofOfCoordinate(joint->type, index)] += force;
    } else {
        table->rangeForce[constraint].of[slot - cn_slotCone] += force;
    }
}
