// Constraints that end, break, or are switched on and off.
#include "world/merged_bodies.h"
#include "world/sleep.h"

#include <string.h>

void cnSwitchContacts(cnWorld* world, int constraintRow) {
    int body = world->constraints.body1[constraintRow];
    for (int g = body >= 0 ? world->bodies.firstGeometry[body] : -1; g >= 0;
         g = world->geometries.nextOfBody[g]) {
        cnTouchGeometry(world, g);
    }
}

void cnRemoveConstraint(cnWorld* world, int row) {
    cnConstraintTable* table = &world->constraints;
    cnWakeConstraint(world, row);
    cnDropEdgesOfConstraint(world, row);
    while (table->constraints[row].firstCoupling >= 0) {
        cnRemoveConstraint(world, table->constraints[row].firstCoupling);
    }
    cnConstraint_Unlink(table, &world->bodies, row);
    cnIdPool_Release(&table->ids, table->handle[row]);
    table->flags[row] = 0;
    table->handle[row] = 0;
    cnSwitchContacts(world, row);
}

void cnRemoveConstraintsOf(cnWorld* world, int bodyRow) {
    while (world->bodies.firstConstraint[bodyRow] >= 0) {
        cnRemoveConstraint(world, world->bodies.firstConstraint[bodyRow]);
    }
}

void cnSetConstraintEnabled(cnWorld* world, int row, bool enabled) {
    cnConstraintTable* table = &world->constraints;
    bool was = (table->flags[row] & cn_constraintEnabled) != 0;
    table->flags[row] &= ~(uint32_t)(cn_constraintEnabled | cn_constraintBroken);
    table->flags[row] |= enabled ? cn_constraintEnabled : 0u;
    if (enabled != was) {
        cnWakeConstraint(world, row);
        table->flags[row] |= cn_constraintFresh;
        cnConstraint_ClearForces(table, row);
        memset(table->constraints[row].rows, 0, sizeof table->constraints[row].rows);
        cnSwitchContacts(world, row);
    }
}

// A constraint that broke leaves its last forces to be read until the next step.
static void BreakConstraint(cnWorld* world, int row) {
    cnConstraintTable* table = &world->constraints;
    cnWakeConstraint(world, row);
    table->flags[row] &= ~(uint32_t)cn_constraintEnabled;
    table->flags[row] |= cn_constraintBroken;
    cnSwitchContacts(world, row);
}

void cnBreakConstraints(cnWorld* world) {
    const cnConstraintTable* table = &world->constraints;
    world->broken.count = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        const cnConstraint* joint = &table->constraints[row];
        uint32_t mayBreak = cn_constraintLive | cn_constraintEnabled | cn_constraintBreakable;
        if ((table->flags[row] & mayBreak) == mayBreak &&
            ((joint->breakForce > 0.0 && cnLength(table->force[row]) > joint->breakForce) ||
             (joint->breakTorque > 0.0 && cnLength(table->torque[row]) > joint->breakTorque))) {
            BreakConstraint(world, row);
            world->broken.data[world->broken.count++] = (cnConstraintId){table->handle[row]};
        }
    }
}
