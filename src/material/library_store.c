#include "material/library_store.h"

#include "base/report/error.h"
#include "cjson/cJSON.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Files that came together. The first part is that of materials/.
typedef struct cnLibraryPart {
    const cnLibraryFile* files;
    int fileCount;
    int version; // parts up to this one
    _Atomic(struct cnLibraryPart*) next;
} cnLibraryPart;

static cnLibraryPart cnFirstPart = {.version = 1};

// Held while a part is checked and added, which readers do not wait for.
static atomic_flag cnAdding = ATOMIC_FLAG_INIT;

static cnErrorCode FailForMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "library", "no memory for the library");
}

// The numbers of files are constants of another source, which an initialiser may not name.
static const cnLibraryFile* FilesOf(const cnLibraryPart* part, int* count) {
    *count = part == &cnFirstPart ? cnMaterialLibraryFileCount : part->fileCount;
    return part == &cnFirstPart ? cnMaterialLibraryFiles : part->files;
}

static cnLibraryPart* NextOf(const cnLibraryPart* part) {
    return part == NULL ? &cnFirstPart : atomic_load_explicit(&part->next, memory_order_acquire);
}

static cnLibraryPart* NewestPart(void) {
    cnLibraryPart* part = &cnFirstPart;
    for (cnLibraryPart* next = NextOf(part); next != NULL; next = NextOf(next)) {
        part = next;
    }
    return part;
}

int cnLibraryStore_GetVersion(void) {
    return NewestPart()->version;
}

cnErrorCode cnMaterialLibrary_Update(cnMaterialLibrary* library, const char* call) {
    for (const cnLibraryPart* part = NextOf(library->newest); part != NULL; part = NextOf(part)) {
        int count;
        const cnLibraryFile* files = FilesOf(part, &count);
        CN_TRY(cnMaterialLibrary_Read(library, files, count, call));
        library->newest = part;
    }
    return CN_ERROR_NONE;
}

// ---- adding -----------------------------------------------------------------------------------------------

// The end of the value that begins at `at`, in a text that is known to be JSON.
static char* SkipValue(char* at) {
    int depth = 0;
    for (bool inText = false;; ++at) {
        if (inText && *at == '\\') {
            ++at;
        } else if (inText) {
            inText = *at != '"';
        } else if (*at == '"') {
            inText = true;
        } else if (*at == '{' || *at == '[') {
            ++depth;
        } else if (*at == '}' || *at == ']') {
            --depth;
        }
        if (depth == 0 && !inText) {
            return at + 1;
        }
    }
}

static char* SkipTo(char* at, char wanted) {
    while (*at != wanted) {
        ++at;
    }
    return at;
}

// Cuts the text of an object into the texts of its members, each an object, and copies their names.
static bool CutMembers(char* text, const cJSON* object, cnLibraryFile* files) {
    char* at = SkipTo(text, '{') + 1;
    int count = 0;
    for (const cJSON* child = object->child; child != NULL; child = child->next, ++count) {
        size_t bytes = strlen(child->string) + 1;
        char* path = malloc(bytes);
        if (path == NULL) {
            break;
        }
        memcpy(path, child->string, bytes);
        at = SkipValue(SkipTo(at, '"'));
        char* value = SkipTo(at, '{');
        at = SkipValue(value);
        files[count] = (cnLibraryFile){path, value};
        // the comma or the brace behind the value has to be read before the value's end takes its place
        bool isLast = child->next == NULL;
        at = isLast ? at : SkipTo(at, ',');
        *at = '\0';
        at += !isLast;
    }
    return count == cJSON_GetArraySize(object);
}

static void FreePart(cnLibraryPart* part, int fileCount) {
    for (int i = 0; i < fileCount && part != NULL; ++i) {
        free((void*)(uintptr_t)part->files[i].path);
    }
    free(part);
}

static cnErrorCode CheckMembers(const cJSON* object, const char* call) {
    if (!cJSON_IsObject(object)) {
        return cnFail(
            CN_ERROR_FILE, call, "text",
            "text is no JSON object, allowed is one whose keys are paths (\"materials/birch.json\")");
    }
    for (const cJSON* child = object->child; child != NULL; child = child->next) {
        if (child->string[0] == '\0') {
            return cnFail(CN_ERROR_FILE, call, "text", "a key is empty, allowed are paths");
        }
        if (!cJSON_IsObject(child)) {
            return cnFail(CN_ERROR_FILE, call, child->string, "%.80s: an object is wanted", child->string);
        }
    }
    return CN_ERROR_NONE;
}

static int CountAddedFiles(void) {
    int count = 0;
    for (const cnLibraryPart* part = NextOf(&cnFirstPart); part != NULL; part = NextOf(part)) {
        count += part->fileCount;
    }
    return count;
}

// All parts and the new one, read into a library that nobody else sees.
static cnErrorCode CheckPart(const cnLibraryPart* part, const char* call) {
    if (part->fileCount > CN_MAX_ADDED_FILES - CountAddedFiles()) {
        return cnFail(CN_ERROR_TOO_MANY, call, "text",
                      "%d files are to be added to %d, allowed is %d together", part->fileCount,
                      CountAddedFiles(), CN_MAX_ADDED_FILES);
    }
    cnMaterialLibrary library = {0};
    cnErrorCode error = cnMaterialLibrary_Update(&library, call);
    if (error == CN_ERROR_NONE) {
        error = cnMaterialLibrary_Read(&library, part->files, part->fileCount, call);
    }
    cnMaterialLibrary_Free(&library);
    return error;
}

static cnErrorCode Publish(cnLibraryPart* part, const char* call) {
    while (atomic_flag_test_and_set_explicit(&cnAdding, memory_order_acquire)) {}
    cnErrorCode error = CheckPart(part, call);
    if (error == CN_ERROR_NONE) {
        cnLibraryPart* newest = NewestPart();
        part->version = newest->version + 1;
        atomic_store_explicit(&newest->next, part, memory_order_release);
    }
    atomic_flag_clear_explicit(&cnAdding, memory_order_release);
    return error;
}

// A part in one block: itself, its files and their texts; null without memory.
static cnLibraryPart* MakePart(const char* text, const cJSON* object) {
    int count = cJSON_GetArraySize(object);
    size_t textBytes = strlen(text) + 1;
    size_t fileBytes = (size_t)count * sizeof(cnLibraryFile);
    cnLibraryPart* part = calloc(1, sizeof *part + fileBytes + textBytes);
    if (part == NULL) {
        return NULL;
    }
    cnLibraryFile* files = (cnLibraryFile*)(part + 1);
    char* copy = (char*)(files + count);
    memcpy(copy, text, textBytes);
    *part = (cnLibraryPart){.files = files, .fileCount = count};
    if (!CutMembers(copy, object, files)) {
        FreePart(part, count);
        return NULL;
    }
    return part;
}

static cnErrorCode AddText(const char* text, const char* call) {
    cJSON* object = cJSON_ParseWithOpts(text, NULL, 1);
    cnErrorCode error = CheckMembers(object, call);
    if (error == CN_ERROR_NONE && object->child != NULL) {
        cnLibraryPart* part = MakePart(text, object);
        error = part == NULL ? FailForMemory(call) : Publish(part, call);
        if (error != CN_ERROR_NONE && part != NULL) {
            FreePart(part, part->fileCount);
        }
    }
    cJSON_Delete(object);
    return error;
}

cnErrorCode cnLibraryStore_Add(const char* text, size_t length, const char* call) {
    if (length == 0 || memchr(text, '\0', length) != NULL) {
        return cnFail(CN_ERROR_FILE, call, "text", "text is no JSON: it is empty or has a zero byte");
    }
    char* copy = malloc(length + 1);
    if (copy == NULL) {
        return FailForMemory(call);
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    cnErrorCode error = AddText(copy, call);
    free(copy);
    return error;
}

// ---- the list ---------------------------------------------------------------------------------------------

static bool IsInFolder(const cnLibraryFile* file, const char* folder) {
    size_t length = strlen(folder);
    return strncmp(file->path, folder, length) == 0 && file->path[length] == '/';
}

static bool IsFolder(const char* folder) {
    int kind = 0;
    const cnLibraryFile file = {.path = cnLibraryFolder(kind)};
    for (cnLibraryFile each = file; each.path != NULL; each.path = cnLibraryFolder(++kind)) {
        if (IsInFolder(&each, folder)) {
            return true;
        }
    }
    return false;
}

// Writes the texts of a folder one behind the other, since they hold nothing that is not for the list; with
// null only counts their bytes.
static size_t WriteTexts(const char* folder, const cnLibraryPart* last, char* out) {
    size_t bytes = 0;
    for (const cnLibraryPart* part = &cnFirstPart;; part = NextOf(part)) {
        int count;
        const cnLibraryFile* files = FilesOf(part, &count);
        for (int i = 0; i < count; ++i) {
            if (!IsInFolder(&files[i], folder)) {
                continue;
            }
            size_t length = strlen(files[i].text);
            if (out != NULL) {
                out[bytes] = bytes == 0 ? '[' : ',';
                memcpy(out + bytes + 1, files[i].text, length);
            }
            bytes += length + 1;
        }
        if (part == last) {
            return bytes;
        }
    }
}

char* cnLibraryStore_List(const char* folder, const char* call) {
    if (!IsFolder(folder)) {
        cnFail(CN_ERROR_UNKNOWN_NAME, call, "kind",
               "kind is \"%.32s\", allowed are \"materials\", \"contact-materials\", \"terrains\", "
               "\"cables\" and "
               "\"beams\"",
               folder);
        return NULL;
    }
    const cnLibraryPart* newest = NewestPart();
    size_t bytes = WriteTexts(folder, newest, NULL);
    char* text = malloc(bytes + 3);
    if (text == NULL) {
        FailForMemory(call);
        return NULL;
    }
    text[0] = '[';
    WriteTexts(folder, newest, text);
    memcpy(text + (bytes > 0 ? bytes : 1), "]", 2);
    return text;
}
