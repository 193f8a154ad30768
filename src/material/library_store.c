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

// Cuts the text of an object, with zeros, into the texts of its members, each an object. Returns how many.
static int CutMembers(char* text, const cJSON* object, cnLibraryFile* files) {
    char* at = SkipTo(text, '{') + 1;
    int count = 0;
    for (const cJSON* child = object->child; child != NULL; child = child->next, ++count) {
        at = SkipValue(SkipTo(at, '"'));
        char* value = SkipTo(at, '{');
        at = SkipValue(value);
        files[count] = (cnLibraryFile){child->string, value};
        // the comma or the brace behind the value has to be read before the value's end takes its place
        bool isLast = child->next == NULL;
        at = isLast ? at : SkipTo(at, ',');
        *at = '\0';
        at += !isLast;
    }
    return count;
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

static char* CopyText(char** at, const char* text) {
    size_t bytes = strlen(text) + 1;
    char* copy = memcpy(*at, text, bytes);
    *at += bytes;
    return copy;
}

// A part in one block: itself, its files and their texts; null without memory.
static cnLibraryPart* CopyFiles(const cnLibraryFile* files, int count) {
    size_t bytes = sizeof(cnLibraryPart) + (size_t)count * sizeof(cnLibraryFile);
    for (int i = 0; i < count; ++i) {
        bytes += strlen(files[i].path) + strlen(files[i].text) + 2;
    }
    cnLibraryPart* part = malloc(bytes);
    if (part == NULL) {
        return NULL;
    }
    cnLibraryFile* copies = (cnLibraryFile*)(part + 1);
    char* at = (char*)(copies + count);
    for (int i = 0; i < count; ++i) {
        char* path = CopyText(&at, files[i].path);
        copies[i] = (cnLibraryFile){path, CopyText(&at, files[i].text)};
    }
    *part = (cnLibraryPart){.files = copies, .fileCount = count};
    return part;
}

cnErrorCode cnLibraryStore_AddFiles(const cnLibraryFile* files, int count, const char* call) {
    if (count == 0) {
        return CN_ERROR_NONE;
    }
    cnLibraryPart* part = CopyFiles(files, count);
    cnErrorCode error = part == NULL ? FailForMemory(call) : Publish(part, call);
    if (error != CN_ERROR_NONE) {
        free(part);
    }
    return error;
}

static cnErrorCode AddMembers(char* text, const cJSON* object, const char* call) {
    CN_TRY(CheckMembers(object, call));
    cnLibraryFile* files = malloc(((size_t)cJSON_GetArraySize(object) + 1) * sizeof *files);
    if (files == NULL) {
        return FailForMemory(call);
    }
    int count = CutMembers(text, object, files);
    cnErrorCode error = cnLibraryStore_AddFiles(files, count, call);
    free(files);
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
    cJSON* object = cJSON_ParseWithOpts(copy, NULL, 1);
    cnErrorCode error = AddMembers(copy, object, call);
    cJSON_Delete(object);
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
