// The library of the process: the files of materials/, and what users add to them.
//
// Files come in parts, each checked together with all before it; a part that is there stays as it is until
// the process ends. A world reads the parts that are new to it whenever it makes a material of the library,
// so that an item has the same row in every world. Parts are outside the counted memory, which is of worlds.
#pragma once

#include "material/library.h"

#include <stddef.h>

// Most files that users may add to a process.
#define CN_MAX_ADDED_FILES 1024

// Adds the members of a JSON object of `length` bytes: keys are paths ("materials/birch.json"), values items.
// Errors: CN_ERROR_FILE (the argument is the path and the key), CN_ERROR_TOO_MANY, CN_ERROR_OUT_OF_MEMORY;
// nothing is added then.
cnErrorCode cnLibraryStore_Add(const char* text, size_t length, const char* call);

// The same for files, which are copied.
cnErrorCode cnLibraryStore_AddFiles(const cnLibraryFile* files, int count, const char* call);

// Reads what the library does not have yet. Errors: CN_ERROR_OUT_OF_MEMORY, and, for files of materials/,
// CN_ERROR_FILE. Parts that were read before the error stay.
cnErrorCode cnMaterialLibrary_Update(cnMaterialLibrary* library, const char* call);

// Grows by one with each part.
int cnLibraryStore_GetVersion(void);

// JSON list of the items of a folder ("materials", "contact-materials", "terrains", "cables", "beams"), as
// long as the process lives; those of materials/ are embedded without their sources.
// Null with an error on failure: CN_ERROR_UNKNOWN_NAME (another folder), CN_ERROR_OUT_OF_MEMORY.
char* cnLibraryStore_List(const char* folder, const char* call);
