// Which geometries may touch: sets of pairs that are switched off. Any "off" wins.
#pragma once

#include "base/containers/array.h"

#include <stdint.h>

// Unordered pairs of 32-bit numbers, kept sorted.
typedef struct cnPairSwitches {
    CN_ARRAY(uint64_t) keys;
} cnPairSwitches;

// Adds or removes a pair; false when memory ran out.
bool cnPairSwitches_Set(cnPairSwitches* switches, uint32_t a, uint32_t b, bool off);
bool cnPairSwitches_IsOff(const cnPairSwitches* switches, uint32_t a, uint32_t b);

// Forgets every pair that names `a`.
void cnPairSwitches_Forget(cnPairSwitches* switches, uint32_t a);
void cnPairSwitches_Free(cnPairSwitches* switches);
