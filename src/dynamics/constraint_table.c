#include "dynamics/constraint_table.h"

#include <string.h>

#define CN_TABLE_TYPE cnConstraintTable
const cnColumn cnConstraintColumns[] = {CN_CONSTRAINT_COLUMNS(CN_COLUMN_ENTRY)};
#undef CN_TABLE_TYPE
const int cnConstraintColumnCount = (int)(sizeof cnConstraintColumns / sizeof cnConstraintColumns[0]);

bool cnConstraintTable_Reserve(cnConstraintTable* table, int rows) {
    if (rows <= table->capacity) {
        return true;
    }
    int capacity = table->capacity * 2 > rows ? table->capacity * 2 : rows;
    capacity = capacity < 16 ? 16 : capacity;
    cnConstraint* constraints = cnAllocate((size_t)capacity * sizeof *constraints);
    if (constraints == NULL) {
        return false;
    }
    if (!cnTable_Grow(table, cnConstraintColumns, cnConstraintColumnCount, table->capacity, capacity)) {
        cnFree(constraints, (size_t)capacity * sizeof *constraints);
        return false;
    }
    if (table->capacity > 0) {
        memcpy(constraints, table->constraints, (size_t)table->capacity * sizeof *constraints);
        cnFree(table->constraints, (size_t)table->capacity * sizeof *constraints);
    }
    table->constraints = constraints;
    table->capacity = capacity;
    table->epoch += 1;
    return true;
}

void cnConstraintTable_Free(cnConstraintTable* table) {
    cnTable_Free(table, cnConstraintColumns, cnConstraintColumnCount, table->capacity);
    cnFree(table->constraints, (size_t)table->capacity * sizeof *table->constraints);
    cnIdPool_Free(&table->ids);
    *table = (cnConstraintTable){0};
}

void cnConstraint_ClearForces(cnConstraintTable* table, int row) {
    table->force[row] = table->torque[row] = cnVec3_zero;
    table->dofForce[row] = (cnConstraintSix){{0.0}};
    table->motorForce[row] = table->lockForce[row] = (cnConstraintPair){{0.0, 0.0}};
    table->rangeForce[row] = table->frictionForce[row] = (cnConstraintPair){{0.0, 0.0}};
}
