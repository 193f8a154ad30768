// Listeners, and what they and the table of events are told: contacts that begin, last and end, constraints
// that break, islands that lose energy to the guard.
//
// In come the contact table's rows after a collide; out go pairs that the solve leaves out (cn_pairRemoved)
// and the rows of cnContactEventTable. The order is that of docs/physics.md, "Events and order".
#pragma once

#include "base/containers/array.h"
#include "cairn/types.h"

typedef struct cnListener {
    uint32_t id;   // never 0
    uint32_t mask; // 0: gone; rows are closed up when nobody is being told
    cnContactListener* onContact;
    cnStepListener* onStep;
    cnBreakListener* onBreak;
    cnGuardListener* onGuard;
    cnMergeListener* onMerge;
    cnForceField* onField; // all but one of the six are null
    void* context;
    cnContactSide side, other;
} cnListener;

typedef struct cnListeners {
    CN_ARRAY(cnListener) list; // in the order in which they were added
    uint32_t lastId;
    int notifying; // depth of calls out
} cnListeners;

// A contact that touched in the last step and whose pair the broad phase has ended since.
typedef struct cnEndedContact {
    int32_t body1, body2, geometry1, geometry2, shape1, shape2;
    uint32_t flags; // cn_contactSensor
} cnEndedContact;

typedef struct cnEndedContacts {
    CN_ARRAY(cnEndedContact) list;
} cnEndedContacts;
