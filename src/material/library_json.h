// A file of the library as JSON, and errors that name the file and the key.
#pragma once

#include "cjson/cJSON.h"
#include "material/library.h"

// The file that is being read, for errors.
typedef struct cnLibraryReader {
    const cnLibraryFile* file;
    const char* call;
} cnLibraryReader;

// CN_ERROR_FILE with the path and the key, which may be empty.
__attribute__((format(printf, 3, 4))) cnErrorCode cnLibrary_Refuse(const cnLibraryReader* reader,
                                                                   const char* key, const char* format, ...);

// The range checks speak of a definition; here the file and the key are to blame.
cnErrorCode cnLibrary_BlameFile(const cnLibraryReader* reader);

// The file's object; to be deleted by the caller. Null after an error.
cJSON* cnLibrary_ParseFile(const cnLibraryReader* reader);

// A key is there once.
cnErrorCode cnLibrary_CheckKey(const cnLibraryReader* reader, const cJSON* object, const cJSON* child);

// What is there for its readers: `description` a text, `sources` an object; others pass.
cnErrorCode cnLibrary_CheckText(const cnLibraryReader* reader, const cJSON* item);

// An item is found by its `name`, whatever its file is called. The name lives as long as the object.
cnErrorCode cnLibrary_ReadName(const cnLibraryReader* reader, const cJSON* object, const char** name);

// A name of one item; those of pairs are made of two.
cnErrorCode cnLibrary_ReadOwnName(const cnLibraryReader* reader, const cJSON* object,
                                  char out[CN_LIBRARY_NAME_SIZE]);
