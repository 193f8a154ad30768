// What everybody relies on who looks at constraints: cnConstraintTable_Validate.
#include "dynamics/constraint_table.h"

#include "dynamics/joint.h"

static bool IsBody(const cnBodyTable* bodies, int row) {
    return row == -1 || cnIdPool_IsLive(&bodies->ids, row);
}

static bool CheckBodies(const cnConstraint* joint, int row, const cnBodyTable* bodies, cnFault* fault) {
    CN_CHECK(fault, cnIdPool_IsLive(&bodies->ids, joint->body1),
             "constraints: row %d has body1 %d, which is not live", row, joint->body1);
    CN_CHECK(fault, joint->body2 == -1 || cnIdPool_IsLive(&bodies->ids, joint->body2),
             "constraints: row %d has body2 %d, which is not live", row, joint->body2);
    CN_CHECK(fault, joint->body1 != joint->body2, "constraints: row %d has body %d twice", row, joint->body1);
    CN_CHECK(fault, joint->partner2 == -1, "constraints: row %d has bodies and the partner %d", row,
             joint->partner2);
    return true;
}

static bool CheckPartners(const cnConstraintTable* table, const cnConstraint* joint, int row,
                          cnFault* fault) {
    CN_CHECK(fault,
             cnIdPool_IsLive(&table->ids, joint->partner1) && cnIdPool_IsLive(&table->ids, joint->partner2),
             "constraints: row %d has the partners %d and %d, which are not both live", row, joint->partner1,
             joint->partner2);
    CN_CHECK(fault, joint->partner1 != joint->partner2, "constraints: row %d has the partner %d twice", row,
             joint->partner1);
    CN_CHECK(fault, joint->body1 == -1 && joint->body2 == -1,
             "constraints: row %d has partners and the bodies %d and %d", row, joint->body1, joint->body2);
    return true;
}

static bool CheckRow(const cnConstraintTable* table, int row, const cnBodyTable* bodies, cnFault* fault) {
    const cnConstraint* joint = &table->constraints[row];
    uint32_t flags = table->flags[row];
    CN_CHECK(fault, (int)joint->type >= 0 && joint->type < cn_constraintTypeCount,
             "constraints: row %d has type %d", row, (int)joint->type);
    CN_CHECK(fault, IsBody(bodies, table->body1[row]) && IsBody(bodies, table->body2[row]),
             "constraints: row %d has bodies %d and %d, which are not both live", row, table->body1[row],
             table->body2[row]);
    CN_CHECK(fault,
             table->type[row] == (int32_t)joint->type &&
                 cnConstraint_ActsOn(table, bodies, row, 0) == joint->body1 &&
                 cnConstraint_ActsOn(table, bodies, row, 1) == joint->body2,
             "constraints: row %d is of type %d between bodies %d and %d, its columns say %d, %d and %d", row,
             (int)joint->type, joint->body1, joint->body2, table->type[row], table->body1[row],
             table->body2[row]);
    CN_CHECK(fault,
             (flags & (cn_constraintBroken | cn_constraintEnabled)) !=
                 (cn_constraintBroken | cn_constraintEnabled),
             "constraints: row %d is broken and enabled (flags %x)", row, (unsigned)flags);
    bool mayBreak = joint->breakForce > 0.0 || joint->breakTorque > 0.0;
    CN_CHECK(fault, ((flags & cn_constraintBreakable) != 0) == mayBreak,
             "constraints: row %d breaks at %g N or %g N m, its flags are %x", row, joint->breakForce,
             joint->breakTorque, (unsigned)flags);
    return joint->partner1 >= 0 ? CheckPartners(table, joint, row, fault)
                                : CheckBodies(joint, row, bodies, fault);
}

// A list from `first` on: that of a body, or (`ofPartner`) that of a constraint's couplings. Adds its length
// to *sum. No row can come twice, since its link names one row before it.
static bool CheckList(const cnConstraintTable* table, int owner, int first, bool ofPartner, int* sum,
                      cnFault* fault) {
    const char* what = ofPartner ? "couplings of constraint" : "constraints of body";
    int length = 0;
    for (int row = first, before = -1; row != -1;) {
        CN_CHECK(fault, cnIdPool_IsLive(&table->ids, row), "%s %d: the list has row %d, which is not live",
                 what, owner, row);
        const cnConstraint* joint = &table->constraints[row];
        int owner1 = ofPartner ? joint->partner1 : joint->body1;
        int owner2 = ofPartner ? joint->partner2 : joint->body2;
        CN_CHECK(fault, owner1 == owner || owner2 == owner,
                 "%s %d: the list has row %d, which joins %d and %d", what, owner, row, owner1, owner2);
        const cnConstraintLink* link = &joint->links[owner1 == owner ? 0 : 1];
        CN_CHECK(fault, link->previous == before, "%s %d: row %d comes after %d, its link says after %d",
                 what, owner, row, before, link->previous);
        before = row;
        row = link->next;
        length += 1;
    }
    *sum += length;
    return true;
}

bool cnConstraintTable_Validate(const cnConstraintTable* table, const cnBodyTable* bodies, cnFault* fault) {
    // rows, and how often the lists should have them
    int ofBodies = 0, ofPartners = 0, listedOfBodies = 0, listedOfPartners = 0;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (!cnIdPool_IsLive(&table->ids, row)) {
            continue;
        }
        if (!CheckRow(table, row, bodies, fault)) {
            return false;
        }
        const cnConstraint* joint = &table->constraints[row];
        ofBodies += (joint->body1 >= 0) + (joint->body2 >= 0);
        ofPartners += (joint->partner1 >= 0) + (joint->partner2 >= 0);
    }

    // lists
    for (int body = 0; body < bodies->ids.rowCount; ++body) {
        if (cnIdPool_IsLive(&bodies->ids, body) &&
            !CheckList(table, body, bodies->firstConstraint[body], false, &listedOfBodies, fault)) {
            return false;
        }
    }
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row) &&
            !CheckList(table, row, table->constraints[row].firstCoupling, true, &listedOfPartners, fault)) {
            return false;
        }
    }
    CN_CHECK(fault, listedOfBodies == ofBodies,
             "constraints: the bodies' lists have %d entries, the constraints name %d bodies", listedOfBodies,
             ofBodies);
    CN_CHECK(fault, listedOfPartners == ofPartners,
             "constraints: the partners' lists have %d entries, the couplings name %d partners",
             listedOfPartners, ofPartners);
    return true;
}
