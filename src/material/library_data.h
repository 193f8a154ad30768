// The files of the folder materials/, embedded by the build.
#pragma once

typedef struct cnEmbeddedFile {
    const char* path; // below materials/, "contact-materials/steel-wood.json"
    const char* text; // UTF-8 JSON, zero-terminated
} cnEmbeddedFile;

// Sorted by path.
extern const cnEmbeddedFile cnMaterialLibraryFiles[];
extern const int cnMaterialLibraryFileCount;
