// What there is, for `cairn list`.
#include "scene/scene.h"

#include "base/report/error.h"
#include "material/library.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Lists are made at the first call and stay, outside the counted memory, so that a pointer to one never goes
// stale.
typedef enum ListKind {
    cn_listMaterials,
    cn_listContactMaterials,
    cn_listShapes,
    cn_listChannels,
    cn_listKindCount
} ListKind;

static const char* const cnListWords[] = {
    [cn_listMaterials] = "materials",
    [cn_listContactMaterials] = "contact-materials",
    [cn_listShapes] = "shapes",
    [cn_listChannels] = "channels",
};

static _Atomic(char*) cnLists[cn_listKindCount];

static char* CopyList(const char* text) {
    size_t bytes = strlen(text) + 1;
    char* copy = malloc(bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

// Null with the last error set.
static char* MakeList(ListKind kind, const char* call) {
    char text[CN_LIST_SIZE];
    char* list = NULL;
    if (kind == cn_listMaterials || kind == cn_listContactMaterials) {
        size_t bytes = 0;
        char* counted = cnMaterialLibrary_List(cnMaterialLibraryFiles, cnMaterialLibraryFileCount,
                                               cnListWords[kind], &bytes, call);
        if (counted == NULL) {
            return NULL;
        }
        list = CopyList(counted);
        cnFree(counted, bytes);
    } else if (kind == cn_listShapes) {
        cnListShapes(text, sizeof text);
        list = CopyList(text);
    } else {
        cnListChannels(text, sizeof text);
        list = CopyList(text);
    }
    if (list == NULL) {
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "kind", "kind %s cannot be listed: there is no memory left",
               cnListWords[kind]);
    }
    return list;
}

const char* cnListAvailable(const char* kind) {
    const char* call = __func__;
    if (kind == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "kind",
               "kind is null: must be materials, contact-materials, shapes or channels");
        return NULL;
    }
    for (int i = 0; i < cn_listKindCount; ++i) {
        if (strcmp(cnListWords[i], kind) != 0) {
            continue;
        }
        char* list = atomic_load(&cnLists[i]);
        if (list == NULL) {
            // two threads may make it; the first one's stays
            char* made = MakeList((ListKind)i, call);
            if (made != NULL && atomic_compare_exchange_strong(&cnLists[i], &list, made)) {
                list = made;
            } else {
                free(made);
            }
        }
        return list;
    }
    cnFail(CN_ERROR_UNKNOWN_NAME, call, "kind",
           "kind is \"%.40s\": must be materials, contact-materials, shapes or channels", kind);
    return NULL;
}
