// What code relies on, stated where it starts: indices, counts, states that its callers see to.
//
// The condition must have no side effects: release builds (with NDEBUG) do not evaluate it. Arguments
// of public functions are checked in every build instead, and a table as a whole by its validate
// function (fault.h).
#pragma once

#include <assert.h>

#define CN_ASSERT(condition) assert(condition)
