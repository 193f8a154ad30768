#include "dynamics/constraint_table.h"

#include <string.h>

#define CN_TABLE_TYPE cnConstraintTable
const cnColumn cnConstraintColumns[] = {CN_CONSTRAINT_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnConstraintColumnCount = (int)(sizeof cnConstraintColumns / sizeof cnConstraintColumns[0]);

bool cnConstraintTable_Reserve(cnConstraintTable* table, int rows) {
    return cnTable_Reserve(table, cnConstraintColumns, cnConstraintColumnCount, rows);
}

void cnConstraintTable_Free(cnConstraintTable* table) {
    cnTable_Free(table, cnConstraintColumns, cnConstraintColumnCount, table->capacity);
    cnIdPool_Free(&table->ids);
    *table = (cnConstraintTable){0};
}

void cnConstraint_ClearForces(cnConstraintTable* table, int row) {
    table->force[row] = table->torque[row] = cnVec3_zero;
    table->dofForce[row] = (cnConstraintSix){{0.0}};
    table->motorForce[row] = table->lockForce[row] = (cnConstraintPair){{0.0, 0.0}};
    table->rangeForce[row] = table->frictionForce[row] = (cnConstraintPair){{0.0, 0.0}};
}

// ---- lists ----------------------------------------------------------------------------------------------------------

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

bool cnConstraint_KeepsApart(const cnConstraintTable* table, const cnBodyTable* bodies, int body1,
                             int body2) {
    uint32_t mask = cn_constraintEnabled | cn_constraintCollides;
    int of1 = bodies->firstConstraint[body1], of2 = bodies->firstConstraint[body2];
    while (of1 >= 0 && of2 >= 0) {
        const cnConstraint *a = &table->constraints[of1], *b = &table->constraints[of2];
        bool joins1 =
            (a->body1 == body2 || a->body2 == body2) && (table->flags[of1] & mask) == cn_constraintEnabled;
        bool joins2 =
            (b->body1 == body1 || b->body2 == body1) && (table->flags[of2] & mask) == cn_constraintEnabled;
        if (joins1 || joins2) {
            return true;
        }
        of1 = cnConstraint_NextOf(table, of1, body1);
        of2 = cnConstraint_NextOf(table, of2, body2);
    }
    return false;
}
