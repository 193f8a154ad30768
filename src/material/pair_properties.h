// From two materials to the properties of their contacts.
//
// An explicit contact material wins; then the library's file for the two items that the materials start from,
// but for the quantities that either material overrides; then the implicit rules (docs/physics.md, "Implicit
// pair rules"). The answer is the same in either order, to the bit.
//
// Contacts ask for it by the thousand and from several threads, so cnResolvePair only reads.
// cnMaterialTables_Prepare, called once before a collide, resolves all pairs of the first materials again if
// anything changed; a pair that is not there is computed on the spot, with the same result. (Filling the
// cache on demand would need a lock or a copy a thread.)
#pragma once

#include "material/material_table.h"

// Materials that the cache holds at most, the default material included.
#define CN_PAIR_CACHE_MATERIALS 64

// Serial; at once when nothing changed since the last call. Allocates only when materials were added. Where
// memory runs out the pairs are computed one by one: slower, nothing else.
void cnMaterialTables_Prepare(cnMaterialTables* tables);

// Rows of live materials or CN_DEFAULT_MATERIAL_ROW. O(1), no allocation, may be called by several threads at
// a time.
cnPairProperties cnResolvePair(const cnMaterialTables* tables, int materialRow1, int materialRow2);
// The same without a copy: in the cache, else in `scratch`.
const cnPairProperties* cnFindPair(const cnMaterialTables* tables, int materialRow1, int materialRow2,
                                   cnPairProperties* scratch);

// What cnWorld_GetPairProperties does: null handles mean the default material. Zeros after an error (stale
// handle).
cnContactMaterialDef cnMaterialTables_GetPairProperties(const cnMaterialTables* tables,
                                                        cnMaterialId material1, cnMaterialId material2,
                                                        const char* call);

// What cnWorld_GetPairOrigins does. All implicit after an error.
cnPairOrigins cnMaterialTables_GetPairOrigins(const cnMaterialTables* tables, cnMaterialId material1,
                                              cnMaterialId material2, const char* call);
