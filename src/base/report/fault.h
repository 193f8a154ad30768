// What a validate function found: the first broken invariant, as one sentence that names
// table, row and values.
//
// A validate function takes a cnFault, returns false at the first invariant that does not hold, and
// changes nothing:
//
//     bool cnThings_Validate(const cnThings* things, cnFault* fault) {
//         CN_CHECK(fault, things->count >= 0, "things: the count is %d", things->count);
//         return true;
//     }
#pragma once

#include "base/report/guard.h"

#include <stdbool.h>

typedef struct cnFault {
    char message[256]; // empty where nothing is broken
} cnFault;

// Writes the message, made like cnFormat's; false always.
__attribute__((format(printf, 2, 3))) bool cnFault_Set(cnFault* fault, const char* format, ...);

// Leaves the calling function with the fault unless the condition holds.
#define CN_CHECK(fault, condition, ...)                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            return cnFault_Set((fault), __VA_ARGS__);                                                        \
        }                                                                                                    \
    } while (0)

#if CN_GUARDS

// Ends the program with the message. `moment`: when it was found, as a phrase.
_Noreturn void cnFault_End(const cnFault* fault, const char* moment);

#endif
