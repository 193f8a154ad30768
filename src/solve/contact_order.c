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

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define DIGIT_COUNT 3 // of 32 bits

static uint32_t DigitOf(const Visit* visit, int digit) {
    return visit->order >> (DIGIT_BITS * digit) & (DIGITS - 1);
}

// By `order`, then by contact: a stable radix sort where there are many, to and fro between visits and
// scratch. Answers in which of the two they are at the end.
static const Visit* SortVisits(Visit* visits, Visit* scratch, int count) {
    CN_ASSERT(count >= 0);
    if (count < RADIX_MIN) {
        CN_SHELL_SORT(Visit, visits, count, a, b,
                      a.order < b.order || (a.order == b.order && a.contact < b.contact));
        return visits;
    }
    int starts[DIGIT_COUNT][DIGITS + 1] = {{0}};
    for (int i = 0; i < count; ++i) {
        for (int digit = 0; digit < DIGIT_COUNT; ++digit) {
            starts[digit][DigitOf(&visits[i], digit) + 1] += 1;
        }
    }
    for (int digit = 0; digit < DIGIT_COUNT; ++digit) {
        int* start = starts[digit];
        for (int value = 0; value < DIGITS; ++value) {
            start[value + 1] += start[value];
        }
        for (int i = 0; i < count; ++i) {
            scratch[start[DigitOf(&visits[i], digit)]++] = visits[i];
        }
        Visit* sorted = scratch;
        scratch = visits;
        visits = sorted;
    }
    return visits;
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
        solve->graph->contactPlaces.data[place] = (cnContactPlace){.contact = c, .colour = colours[c]};
    }
}

bool cnSolve_OrderContacts(cnSolve* solve) {
    int count = solve->contactCount;
    Visit* visits = CN_PUSH(solve->stack, Visit, count + 1, "visits");
    Visit* scratch = CN_PUSH(solve->stack, Visit, count + 1, "sorted visits");
    uint8_t* colours = CN_PUSH(solve->stack, uint8_t, count + 1, "colours");
    if (!cnArray_Resize(&solve->graph->contactPlaces, count) || visits == NULL || scratch == NULL ||
        colours == NULL) {
        return false;
    }
    for (int c = 0; c < count; ++c) {
        visits[c] = (Visit){solve->contacts[c].order, c};
    }
    if (!ColourContacts(solve, SortVisits(visits, scratch, count), colours)) {
        return false;
    }
    PlaceContacts(solve, colours);
    cnStack_Pop(solve->stack, colours);
    cnStack_Pop(solve->stack, scratch);
    cnStack_Pop(solve->stack, visits);
    return true;
}
