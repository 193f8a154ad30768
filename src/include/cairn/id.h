// Handles: the only way to name an object of a world.
//
// A handle is one 32-bit number: 20 bits of index, 12 bits of generation. Zero is the null handle. The index
// is also the row of the object in its table of columns. Destroying an object raises the generation of its
// row, so an old handle is recognised and refused instead of reaching another object. Every kind of object
// has a struct type of its own, so the compiler refuses a body where a geometry is wanted.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CN_INDEX_BITS 20
#define CN_GENERATION_BITS 12
// Most rows of one table, and most objects of one kind in a world.
#define CN_MAX_ROWS (1 << CN_INDEX_BITS)

typedef struct cnWorldId {
    uint32_t value;
} cnWorldId;

typedef struct cnBodyId {
    uint32_t value;
} cnBodyId;

typedef struct cnGeometryId {
    uint32_t value;
} cnGeometryId;

typedef struct cnShapeId {
    uint32_t value;
} cnShapeId;

typedef struct cnMaterialId {
    uint32_t value;
} cnMaterialId;

typedef struct cnContactMaterialId {
    uint32_t value;
} cnContactMaterialId;

typedef struct cnConstraintId {
    uint32_t value;
} cnConstraintId;

typedef struct cnMergedBodyId {
    uint32_t value;
} cnMergedBodyId;

typedef struct cnMergeEdgeId {
    uint32_t value;
} cnMergeEdgeId;

typedef struct cnListenerId {
    uint32_t value;
} cnListenerId;

typedef struct cnSceneId {
    uint32_t value;
} cnSceneId;

#define CN_INDEX_OF(id) ((int)((id).value & (CN_MAX_ROWS - 1)))
#define CN_GENERATION_OF(id) ((id).value >> CN_INDEX_BITS)
#define CN_IS_NULL(id) ((id).value == 0)
#define CN_SAME_ID(a, b) ((a).value == (b).value)
