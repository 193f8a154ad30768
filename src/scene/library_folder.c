// A folder of library items, where the engine may read files.
#include "cairn/cairn.h"

#if !defined(__EMSCRIPTEN__)

#include "base/containers/array.h"
#include "base/report/error.h"
#include "base/report/format.h"
#include "material/library_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    pathSize = 1024
};

// The files that were read, paths and texts of their own.
typedef struct Files {
    CN_ARRAY(cnLibraryFile) list;
    const char* folder;
    const char* call;
} Files;

static cnErrorCode FailForMemory(const char* call) {
    return cnFail(CN_ERROR_OUT_OF_MEMORY, call, "folder", "no memory for the library");
}

static cnErrorCode FailToRead(const char* path, const char* call) {
    return cnFail(CN_ERROR_FILE, call, path, "%.160s: cannot be read, %s", path, strerror(errno));
}

static bool IsJson(const char* name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static char* CopyText(const char* text, size_t length) {
    char* copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

// The text of an open file, null with the last error set.
static char* ReadText(FILE* file, const char* path, const char* call) {
    size_t length = 0;
    size_t capacity = 4096;
    char* text = malloc(capacity);
    while (text != NULL) {
        length += fread(text + length, 1, capacity - length, file);
        if (length < capacity) {
            break;
        }
        capacity *= 2;
        char* longer = realloc(text, capacity);
        if (longer == NULL) {
            free(text);
        }
        text = longer;
    }
    if (text == NULL) {
        FailForMemory(call);
        return NULL;
    }
    if (ferror(file) || memchr(text, '\0', length) != NULL) {
        cnFail(CN_ERROR_FILE, call, path, "%.160s: cannot be read, or is no text", path);
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

// The file behind those that are in the order of their paths goes in between.
static void MoveToItsPlace(cnLibraryFile* files, int last) {
    cnLibraryFile moved = files[last];
    for (; last > 0 && strcmp(files[last - 1].path, moved.path) > 0; --last) {
        files[last] = files[last - 1];
    }
    files[last] = moved;
}

// `path`: below the folder.
static cnErrorCode AddFile(Files* files, const char* path) {
    if (files->list.count == CN_MAX_ADDED_FILES) {
        return cnFail(CN_ERROR_TOO_MANY, files->call, "folder",
                      "%.160s has more than %d files, allowed is %d", files->folder, CN_MAX_ADDED_FILES,
                      CN_MAX_ADDED_FILES);
    }
    char place[pathSize];
    cnFormat(place, sizeof place, "%s/%s", files->folder, path);
    FILE* file = fopen(place, "rb");
    if (file == NULL) {
        return FailToRead(place, files->call);
    }
    char* text = ReadText(file, place, files->call);
    fclose(file);
    if (text == NULL) {
        return cnGetLastError()->code;
    }
    char* name = CopyText(path, strlen(path));
    if (name == NULL || !cnArray_Push(&files->list, ((cnLibraryFile){name, text}))) {
        free(name);
        free(text);
        return FailForMemory(files->call);
    }
    MoveToItsPlace(files->list.data, files->list.count - 1);
    return CN_ERROR_NONE;
}

// All files of a subfolder ("materials/"); the system names them in any order.
static cnErrorCode AddSubfolder(Files* files, const char* subfolder) {
    char path[pathSize];
    cnFormat(path, sizeof path, "%s/%s", files->folder, subfolder);
    DIR* folder = opendir(path);
    if (folder == NULL) {
        return errno == ENOENT ? CN_ERROR_NONE : FailToRead(path, files->call);
    }
    cnErrorCode error = CN_ERROR_NONE;
    for (struct dirent* entry = readdir(folder); entry != NULL && error == CN_ERROR_NONE;
         entry = readdir(folder)) {
        if (IsJson(entry->d_name)) {
            cnFormat(path, sizeof path, "%s%s", subfolder, entry->d_name);
            error = AddFile(files, path);
        }
    }
    closedir(folder);
    return error;
}

static cnErrorCode AddSubfolders(Files* files) {
    DIR* folder = opendir(files->folder);
    if (folder == NULL) {
        return FailToRead(files->folder, files->call);
    }
    closedir(folder);
    for (int kind = 0; cnLibraryFolder(kind) != NULL; ++kind) {
        CN_TRY(AddSubfolder(files, cnLibraryFolder(kind)));
    }
    return cnLibraryStore_AddFiles(files->list.data, files->list.count, files->call);
}

cnErrorCode cnAddLibraryFolder(const char* folder) {
    const char* call = __func__;
    if (folder == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "folder", "folder is null, allowed is a path");
    }
    Files files = {.folder = folder, .call = call};
    cnErrorCode error = AddSubfolders(&files);
    for (int i = 0; i < files.list.count; ++i) {
        free((void*)(uintptr_t)files.list.data[i].path);
        free((void*)(uintptr_t)files.list.data[i].text);
    }
    cnArray_Free(&files.list);
    return error;
}

#endif
