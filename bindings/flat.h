// What the generated flat functions share.
#pragma once

#include "cairn/cairn.h"

#include <string.h>

// Room for the largest result, and for text.
#define CNW_RESULT_BYTES 1024

// Where the calling thread's flat functions leave their results.
void* cnw_GetResult(void);

// Forgets an older error, so that a function that returns a value shows by the last error whether it failed.
static inline void cnw_Begin(void) {
    if (cnGetLastError()->code != CN_ERROR_NONE) {
        cnClearLastError();
    }
}

static inline int32_t cnw_End(const void* result, size_t bytes) {
    memcpy(cnw_GetResult(), result, bytes);
    return (int32_t)cnGetLastError()->code;
}
