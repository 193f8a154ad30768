// The library: named materials, what is known about pairs of them, and properties of terrains, cables and
// beams, which are data for programs that use the engine.
//
// In come files (JSON, one item each), those of materials/ and what users add; out go plain values that
// materials start from and that pairs of library materials use. A library belongs to a world and only grows:
// an item keeps its row.
#pragma once

#include "base/containers/array.h"
#include "base/containers/hash_map.h"
#include "cairn/types.h"
#include "material/library_data.h"

#define CN_LIBRARY_NAME_SIZE 32

// One file of materials/materials/.
typedef struct cnMaterialItem {
    char name[CN_LIBRARY_NAME_SIZE];
    const char* path;  // of its file; lives as long as the process
    uint64_t checksum; // of its file
    // complete: what the file leaves out has the default; `given` tells what the file says
    cnMaterialDef values;
} cnMaterialItem;

// One file of materials/contact-materials/.
typedef struct cnPairItem {
    int items[2]; // rows of the two materials, in alphabetical order
    const char* path;
    uint64_t checksum;
    // `given` tells what the file says; the rest follows from the implicit rules
    cnContactMaterialDef values;
} cnPairItem;

// One file of another folder: checked, and there for its name.
typedef struct cnPropertyItem {
    char name[CN_LIBRARY_NAME_SIZE];
    const char* path;
} cnPropertyItem;

struct cnLibraryPart;

typedef struct cnMaterialLibrary {
    CN_ARRAY(cnMaterialItem) materials;
    CN_ARRAY(cnPairItem) pairs;
    CN_ARRAY(cnPropertyItem) properties;
    cnHashMap pairOfItems;              // rows of two materials to the row of their pair
    const struct cnLibraryPart* newest; // last part that was read (library_store.h), null before the first
} cnMaterialLibrary;

// Reads more files: materials first, whatever their order, then pairs of any materials that are there.
// `call` is the public function that the errors name.
// Errors: CN_ERROR_FILE (the argument is the file's path and the key, the message says what is wrong with
// it), CN_ERROR_OUT_OF_MEMORY. After an error the library is as it was.
cnErrorCode cnMaterialLibrary_Read(cnMaterialLibrary* library, const cnLibraryFile* files, int fileCount,
                                   const char* call);
void cnMaterialLibrary_Free(cnMaterialLibrary* library);

// Row of an item, -1 where none has the name.
int cnMaterialLibrary_FindItem(const cnMaterialLibrary* library, const char* name);

// Null where none has the name.
const cnMaterialItem* cnMaterialLibrary_FindMaterial(const cnMaterialLibrary* library, const char* name);

// In either order; null where the library has no such pair, or where an item is -1.
const cnPairItem* cnMaterialLibrary_FindPair(const cnMaterialLibrary* library, int item1, int item2);

// Key of a pair of rows in `pairOfItems`, in either order.
uint64_t cnLibrary_PairKey(int item1, int item2);

// Of the first `itemCount` materials and of the pairs among them; neither 0 nor 1. What was added behind them
// does not count.
uint64_t cnMaterialLibrary_GetFingerprint(const cnMaterialLibrary* library, int itemCount);

// The folders that a library may have, "materials/" first; null for a number beyond the last.
const char* cnLibraryFolder(int kind);
