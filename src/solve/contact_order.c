#include "solve/contact_order.h"

#include "base/containers/sort.h"
#include "base/report/assert.h"

#include <string.h>

typedef struct Visit {
    uint32_t order;
    int contact;
} Visit;

// Visits from which on a radix sort pays.
#define RADIX_MIN 256

// By `order`, then by contact: a stable radix sort of 11 bits a pass where there are many.
static void SortVisits(Visit* visits, Visit* scratch, int count) {
    CN_ASSERT(count >= 0);
    if (count < RADIX_MIN) {
        CN_SHELL_SORT(Visit, visits, count, a, b,
                      a.order < b.order || (a.order == b.order && a.contact < b.contact));
        return;
    }
    for (int shift = 0; shift < 33; shift += 11) {
        int starts[2049] = {0};
        for (int i = 0; i < count; ++i) {
            starts[(visits[i].order >> shift & 2047) + 1] += 1;
        }
        for (int digit = 0; digit < 2048; ++digit) {
            starts[digit + 1] += starts[digit];
        }
        for (int i = 0; i < count; ++i) {
            scratch[starts[visits[i].order >> shift & 2047]++] = visits[i];
        }
        memcpy(visits, scratch, (size_t)count * sizeof *visits);
    }
}

static int LowestFree(uint64_t taken) {
    return taken == UINT64_MAX ? CN_COLOURS : __builtin_ctzll(~taken);
}

// Colour of every contact. False when memory ran out.
static bool ColourContacts(cnSolve* solve, const Visit* visits, uint8_t* colours) {
    size_t bytes = (size_t)solve->solver.count * sizeof(uint64_t);
    uint64_t* taken = cnStack_Push(solve->stack, 2 * bytes, "colours taken");
    if (taken == NULL) {
        return false;
    }
    memset(taken, 0, 2 * bytes);
    uint64_t* takenLast = taken + solve->solver.count;
    for (int i = 0; i < solve->contactCount; ++i) {
        const cnSolverContact* contact = &solve->contacts[visits[i].contact];
        CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
        bool both = contact->body1 != 0 && contact->body2 != 0;
        uint64_t* masks = both ? taken : takenLast;
        uint64_t used = (contact->body1 != 0 ? masks[contact->body1] : 0) |
                        (contact->body2 != 0 ? masks[contact->body2] : 0);
        int colour = LowestFree(used);
        if (colour == CN_COLOURS) {
            colours[visits[i].contact] = 2 * CN_COLOURS;
            continue;
        }
        masks[contact->body1] |= (uint64_t)1 << colour;
        masks[contact->body2] |= (uint64_t)1 << colour;
        colours[visits[i].contact] = (uint8_t)(both ? colour : CN_COLOURS + colour);
    }
    cnStack_Pop(solve->stack, taken);
    return true;
}

#define SLOT_COUNT (2 * (2 * CN_COLOURS + 1))

// Where a contact goes: by colour, and whether it has one point or more.
static int SlotOf(const cnSolverContact* contact, int colour) {
    return 2 * colour + (contact->pointCount > 1);
}

// Places by slot, within one in the order of contacts.
static void PlaceContacts(cnSolve* solve, const uint8_t* colours) {
    int starts[SLOT_COUNT + 1] = {0};
    for (int c = 0; c < solve->contactCount; ++c) {
        starts[SlotOf(&solve->contacts[c], colours[c]) + 1] += 1;
    }
    for (int slot = 0; slot < SLOT_COUNT; ++slot) {
        starts[slot + 1] += starts[slot];
    }
    for (int c = 0; c < solve->contactCount; ++c) {
        int place = starts[SlotOf(&solve->contacts[c], colours[c])]++;
        solve->contactPlaces[place] = (cnContactPlace){.contact = c, .colour = colours[c]};
    }
}

bool cnSolve_OrderContacts(cnSolve* solve) {
    int count = solve->contactCount;
    solve->contactPlaces = CN_PUSH(solve->stack, cnContactPlace, count + 1, "places of contacts");
    Visit* visits = CN_PUSH(solve->stack, Visit, count + 1, "visits");
    Visit* scratch = CN_PUSH(solve->stack, Visit, count + 1, "sorted visits");
    uint8_t* colours = CN_PUSH(solve->stack, uint8_t, count + 1, "colours");
    if (solve->contactPlaces == NULL || visits == NULL || scratch == NULL || colours == NULL) {
        return false;
    }
    for (int c = 0; c < count; ++c) {
        visits[c] = (Visit){solve->contacts[c].order, c};
    }
    SortVisits(visits, scratch, count);
    if (!ColourContacts(solve, visits, colours)) {
        return false;
    }
    PlaceContacts(solve, colours);
    cnStack_Pop(solve->stack, colours);
    cnStack_Pop(solve->stack, scratch);
    cnStack_Pop(solve->stack, visits);
    return true;
}
