#include "dynamics/constraint_table.h"

#include <string.h>

const cnColumnList cnConstraintColumns = CN_COLUMN_LIST(CN_CONSTRAINT_COLUMNS, cnConstraintTable);

static const cnField constraintFields[] = {
    CN_FIELD(cnConstraint, type, cn_i32, 1, cn_input),
    CN_FIELD(cnConstraint, solve, cn_i32, 1, cn_input),
    CN_FIELD(cnConstraint, body1, cn_i32, 1, cn_input),
    CN_FIELD(cnConstraint, body2, cn_i32, 1, cn_input),
    CN_FIELD(cnConstraint, partner1, cn_i32, 1, cn_input),
    CN_FIELD(cnConstraint, partner2, cn_i32, 1, cn_input),
    CN_FIELD(cnConstraint, acting, cn_u32, 1, cn_input),
    CN_FIELD(cnConstraint, islandWork, cn_f64, 1, cn_state),
    CN_FIELD(cnConstraint, splitSteps, cn_i32, 1, cn_state),
    CN_FIELD(cnConstraint, groupedSteps, cn_i32, 1, cn_state),
    CN_FIELD(cnConstraint, lastStep, cn_f64, 1, cn_state),
    CN_FIELD(cnConstraint, startsAtRest, cn_u8, 1, cn_state),
    CN_FIELD(cnConstraint, frame1.point, cn_f64, 3, cn_input),
    CN_FIELD(cnConstraint, frame1.axes, cn_f64, 4, cn_input),
    CN_FIELD(cnConstraint, frame2.point, cn_f64, 3, cn_input),
    CN_FIELD(cnConstraint, frame2.axes, cn_f64, 4, cn_input),
    CN_FIELD(cnConstraint, attached1.point, cn_f64, 3, cn_input),
    CN_FIELD(cnConstraint, attached1.axes, cn_f64, 4, cn_input),
    CN_FIELD(cnConstraint, attached2.point, cn_f64, 3, cn_input),
    CN_FIELD(cnConstraint, attached2.axes, cn_f64, 4, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, dofs, compliance, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, dofs, damping, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, dofs, min, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, dofs, max, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, rows, force, cn_f64, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, rows, violation, cn_f64, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, rows, active, cn_u8, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, rows, isUpper, cn_u8, 1, cn_state),
    CN_FIELD(cnConstraint, length, cn_f64, 1, cn_input),
    CN_FIELD(cnConstraint, ratio, cn_f64, 1, cn_input),
    CN_FIELD(cnConstraint, offset, cn_f64, 1, cn_input),
    CN_FIELD(cnConstraint, viscosity, cn_f64, 1, cn_input),
    CN_FIELD(cnConstraint, sway, cn_f64, 3, cn_state),
    CN_FIELD(cnConstraint, tautness, cn_f64, 1, cn_state),
    CN_FIELD(cnConstraint, turns, cn_f64, 2, cn_state),
    CN_FIELD(cnConstraint, lastRaw, cn_f64, 2, cn_state),
    CN_FIELD(cnConstraint, breakForce, cn_f64, 1, cn_input),
    CN_FIELD(cnConstraint, breakTorque, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, links, next, cn_i32, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, links, previous, cn_i32, 1, cn_state),
    CN_FIELD(cnConstraint, firstCoupling, cn_i32, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, given, cn_u8, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, enabled, cn_u8, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, lockAtZeroSpeed, cn_u8, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, holds, cn_u8, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, boundGiven, cn_u8, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, target, cn_f64, 1, cn_state),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, limits, cn_f64, 2, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, coefficient, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, radius, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, row.compliance, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, row.damping, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, row.min, cn_f64, 1, cn_input),
    CN_FIELD_OF_EACH(cnConstraint, secondaries, row.max, cn_f64, 1, cn_input),
};
const cnFieldList cnConstraintFields = CN_FIELD_LIST(constraintFields);

void cnConstraint_ClearForces(cnConstraintTable* table, int row) {
    table->force[row] = table->torque[row] = cnVec3_zero;
    table->dofForce[row] = (cnConstraintSix){{0.0}};
    table->motorForce[row] = table->lockForce[row] = (cnConstraintPair){{0.0, 0.0}};
    table->rangeForce[row] = table->frictionForce[row] = (cnConstraintPair){{0.0, 0.0}};
}

// ---- lists ------------------------------------------------------------------------------------------------

static int OwnerOn(const cnConstraint* joint, int side) {
    if (joint->partner1 >= 0) {
        return side == 0 ? joint->partner1 : joint->partner2;
    }
    return side == 0 ? joint->body1 : joint->body2;
}

// The start of the list on a side, null where that is the world.
static int* ListOn(cnConstraintTable* table, cnBodyTable* bodies, const cnConstraint* joint, int side) {
    int owner = OwnerOn(joint, side);
    if (joint->partner1 >= 0) {
        return &table->constraints[owner].firstCoupling;
    }
    return owner >= 0 ? &bodies->firstConstraint[owner] : NULL;
}

static cnConstraintLink* LinkIn(cnConstraintTable* table, int row, int owner) {
    cnConstraint* joint = &table->constraints[row];
    return &joint->links[OwnerOn(joint, 0) == owner ? 0 : 1];
}

void cnConstraint_Link(cnConstraintTable* table, cnBodyTable* bodies, int row) {
    cnConstraint* joint = &table->constraints[row];
    for (int side = 0; side < 2; ++side) {
        int* list = ListOn(table, bodies, joint, side);
        joint->links[side] = (cnConstraintLink){-1, -1};
        if (list != NULL) {
            joint->links[side].next = *list;
            if (*list >= 0) {
                LinkIn(table, *list, OwnerOn(joint, side))->previous = row;
            }
            *list = row;
        }
    }
}

void cnConstraint_Unlink(cnConstraintTable* table, cnBodyTable* bodies, int row) {
    cnConstraint* joint = &table->constraints[row];
    for (int side = 0; side < 2; ++side) {
        int* list = ListOn(table, bodies, joint, side);
        int owner = OwnerOn(joint, side), next = joint->links[side].next,
            previous = joint->links[side].previous;
        if (list == NULL) {
            continue;
        }
        if (next >= 0) {
            LinkIn(table, next, owner)->previous = previous;
        }
        if (previous >= 0) {
            LinkIn(table, previous, owner)->next = next;
        } else {
            *list = next;
        }
    }
}

// The attachment to a part of a merged body as one to its carrier.
static cnAttachment CarryAttachment(const cnBodyTable* bodies, int part, const cnAttachment* attached) {
    cnPose place = {bodies->carriedPosition[part], bodies->carriedRotation[part]};
    return (cnAttachment){cnTransformPoint(place, attached->point),
                          cnNormalizeQuat(cnMulQuat(place.rotation, attached->axes))};
}

void cnConstraint_Redirect(cnConstraintTable* table, cnBodyTable* bodies, int row) {
    cnConstraint* joint = &table->constraints[row];
    int part1 = table->body1[row], part2 = table->body2[row];
    int body1 = cnConstraint_ActsOn(table, bodies, row, 0);
    int body2 = cnConstraint_ActsOn(table, bodies, row, 1);
    if (body1 == joint->body1 && body2 == joint->body2) {
        return;
    }
    cnConstraint_Unlink(table, bodies, row);
    joint->body1 = body1;
    joint->body2 = body2;
    joint->frame1 = body1 == part1 ? joint->attached1 : CarryAttachment(bodies, part1, &joint->attached1);
    joint->frame2 = body2 == part2 ? joint->attached2 : CarryAttachment(bodies, part2, &joint->attached2);
    cnConstraint_Link(table, bodies, row);
}

static bool JoinsAndKeepsApart(const cnConstraintTable* table, int row, int body1, int body2) {
    uint32_t mask = cn_constraintEnabled | cn_constraintCollides;
    int first = table->body1[row], second = table->body2[row];
    return ((first == body1 && second == body2) || (first == body2 && second == body1)) &&
           (table->flags[row] & mask) == cn_constraintEnabled;
}

bool cnConstraint_KeepsApart(const cnConstraintTable* table, const cnBodyTable* bodies, int body1,
                             int body2) {
    // lists are those of the rows that move them
    int owner1 = cnBody_CarrierOf(bodies, body1), owner2 = cnBody_CarrierOf(bodies, body2);
    int of1 = bodies->firstConstraint[owner1], of2 = bodies->firstConstraint[owner2];
    while (of1 >= 0 && of2 >= 0) {
        if (JoinsAndKeepsApart(table, of1, body1, body2) || JoinsAndKeepsApart(table, of2, body1, body2)) {
            return true;
        }
        of1 = cnConstraint_NextOf(table, of1, owner1);
        of2 = cnConstraint_NextOf(table, of2, owner2);
    }
    return false;
}
