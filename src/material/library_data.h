// The files of the folder materials/, embedded by the build.
#pragma once

typedef struct cnLibraryFile {
    const char* path; // below materials/, "contact-materials/steel-wood.json"
    const char* text; // UTF-8 JSON, zero-terminated
} cnLibraryFile;

// Sorted by path.
extern const cnLibraryFile cnMaterialLibraryFiles[];
extern const int cnMaterialLibraryFileCount;
