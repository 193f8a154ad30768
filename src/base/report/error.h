// Setting the calling thread's last error.
#pragma once

#include "cairn/base.h"

// Records an error and returns its code. `call` is the public function, `argument` the parameter or JSON
// path; the message is made like printf's.
__attribute__((format(printf, 4, 5))) cnErrorCode cnFail(cnErrorCode code, const char* call,
                                                         const char* argument, const char* format, ...);

// One line to the user's log function, if any.
__attribute__((format(printf, 1, 2))) void cnWriteLog(const char* format, ...);

// Leaves the calling function with the error, if any.
#define CN_TRY(check)                                                                                        \
    do {                                                                                                     \
        cnErrorCode tried = (check);                                                                         \
        if (tried != CN_ERROR_NONE) {                                                                        \
            return tried;                                                                                    \
        }                                                                                                    \
    } while (0)
