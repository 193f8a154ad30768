// Secondary constraints (motor, lock, range, friction, cone, twist, screw): from the public
// structs into a joint.
#pragma once

#include "cairn/cairn.h"
#include "dynamics/constraint_table.h"

// m/N or rad/(N m), of rows of which nothing is said.
#define CN_DEFAULT_COMPLIANCE 1e-8

// The secondary constraints; those of free coordinates come first.
#define CN_SECONDARY_KEY(Name, key, ...) cn_key_##key,
typedef enum cnSecondaryKey {
    CN_SECONDARIES(CN_SECONDARY_KEY) cn_secondaryKeyCount,
    cn_freeKeyCount = cn_key_friction + 1
} cnSecondaryKey;

// The part of a type that brings it, cn_hasFree for one of each free coordinate.
uint32_t cnSecondary_GetPart(cnSecondaryKey key);

// Sets one, of a joint whose type takes it; `def` is its public struct, null takes it away. Checks every
// value: errors name "motor.speed", and the joint is as before.
cnErrorCode cnSetSecondary(cnConstraint* joint, cnSecondaryKey key, int index, const void* def,
                           const char* call);

// Sets those of a definition, of a joint that has its type and the settings of its rows. Errors name
// "def.motor.speed", "def.motor[1].speed" where there are two.
cnErrorCode cnSetSecondaries(cnConstraint* joint, const cnConstraintDef* def, const char* call);
