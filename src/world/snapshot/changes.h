// What differs between two snapshots of a world, as bytes.
//
// The library's fingerprint, then of each section the number of rows, the number of runs, and the runs:
// offset, length, bytes.
#pragma once

#include "world/snapshot/buffer.h"

// Writes the changes that lead from one snapshot to another; both are of this build. False when memory ran
// out.
bool cnSnapshot_Compare(const cnBuffer* before, const cnBuffer* after, cnBuffer* changes);

// Makes the snapshot that changes lead to. False where they make no sense (*wrong) or memory ran out.
bool cnSnapshot_ApplyChanges(const cnBuffer* before, const void* changes, size_t bytes, cnBuffer* after,
                             bool* wrong);
