// The materials library: named materials and what is known about pairs of them.
//
// In come the embedded files of materials/ (JSON, one item each); out go plain values that materials start
// from and that pairs of library materials use. A library belongs to a world, which reads it when the first
// material asks for it.
#pragma once

#include "base/containers/array.h"
#include "cairn/types.h"
#include "material/library_data.h"

#define CN_LIBRARY_NAME_SIZE 32

// One file of materials/materials/.
typedef struct cnMaterialItem {
    char name[CN_LIBRARY_NAME_SIZE];
    // complete: what the file leaves out has the default; `given` tells what the file says
    cnMaterialDef values;
} cnMaterialItem;

// One file of materials/contact-materials/.
typedef struct cnPairItem {
    int items[2]; // rows of the two materials, in alphabetical order
    // `given` tells what the file says; the rest follows from the implicit rules
    cnContactMaterialDef values;
} cnPairItem;

typedef struct cnMaterialLibrary {
    CN_ARRAY(cnMaterialItem) materials;
    CN_ARRAY(cnPairItem) pairs;
    CN_ARRAY(int) pairOfItems; // materials.count², row of the pair or -1
    bool isLoaded;
} cnMaterialLibrary;

// Reads all files; does nothing when that was done. `call` is the public function that the errors name.
// Errors: CN_ERROR_FILE (the argument is the file's path and the key, the message says what is wrong with
// it), CN_ERROR_OUT_OF_MEMORY. After an error the library is empty.
cnErrorCode cnMaterialLibrary_Load(cnMaterialLibrary* library, const cnEmbeddedFile* files, int fileCount,
                                   const char* call);
void cnMaterialLibrary_Free(cnMaterialLibrary* library);

// Row of an item, -1 where none has the name.
int cnMaterialLibrary_FindItem(const cnMaterialLibrary* library, const char* name);

// Null where none has the name.
const cnMaterialItem* cnMaterialLibrary_FindMaterial(const cnMaterialLibrary* library, const char* name);

// In either order; null where the library has no such pair, or where an item is -1.
const cnPairItem* cnMaterialLibrary_FindPair(const cnMaterialLibrary* library, int item1, int item2);

// JSON list of the items in files whose paths begin with the folder `kind` ("materials", "contact-
// materials"): the objects of the files, which are embedded without their sources. `bytes` receives what
// cnFree wants. Null with an error on failure: CN_ERROR_UNKNOWN_NAME (another kind), CN_ERROR_OUT_OF_MEMORY.
char* cnMaterialLibrary_List(const cnEmbeddedFile* files, int fileCount, const char* kind, size_t* bytes,
                             const char* call);
