// What there is, for `cairn list`, and what users add to it.
#include "scene/scene.h"

#include "base/report/error.h"
#include "material/library_store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef enum ListKind {
    cn_listMaterials,
    cn_listContactMaterials,
    cn_listTerrains,
    cn_listCables,
    cn_listBeams,
    cn_listShapes,
    cn_listChannels,
    cn_listKindCount
} ListKind;

static const char* const cnListWords[] = {
    [cn_listMaterials] = "materials", [cn_listContactMaterials] = "contact-materials",
    [cn_listTerrains] = "terrains",   [cn_listCables] = "cables",
    [cn_listBeams] = "beams",         [cn_listShapes] = "shapes",
    [cn_listChannels] = "channels",
};

static const char cnAllowedWords[] =
    "materials, contact-materials, terrains, cables, beams, shapes or channels";

// A list as it was when the library had a version. Lists are made at the first call, and again after the
// library has grown, and stay, outside the counted memory, so that a pointer to one never goes stale.
typedef struct List {
    char* text;
    int version;
} List;

static _Atomic(List*) cnLists[cn_listKindCount];

static char* CopyList(const char* text) {
    size_t bytes = strlen(text) + 1;
    char* copy = malloc(bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

// Null with the last error set, or without memory.
static char* MakeText(ListKind kind, const char* call) {
    char text[CN_LIST_SIZE];
    if (kind <= cn_listBeams) {
        return cnLibraryStore_List(cnListWords[kind], call);
    }
    if (kind == cn_listShapes) {
        cnListShapes(text, sizeof text);
    } else {
        cnListChannels(text, sizeof text);
    }
    return CopyList(text);
}

static void FreeList(List* list) {
    if (list != NULL) {
        free(list->text);
        free(list);
    }
}

// Null with the last error set.
static List* MakeList(ListKind kind, int version, const char* call) {
    List* list = malloc(sizeof *list);
    char* text = list == NULL ? NULL : MakeText(kind, call);
    if (text == NULL) {
        free(list);
        cnFail(CN_ERROR_OUT_OF_MEMORY, call, "kind", "kind %s cannot be listed: there is no memory left",
               cnListWords[kind]);
        return NULL;
    }
    *list = (List){text, version};
    return list;
}

static const char* FindList(ListKind kind, const char* call) {
    int version = cnLibraryStore_GetVersion();
    List* list = atomic_load(&cnLists[kind]);
    if (list != NULL && list->version >= version) {
        return list->text;
    }
    List* made = MakeList(kind, version, call);
    // two threads may make it; the first one's stays
    if (made != NULL && !atomic_compare_exchange_strong(&cnLists[kind], &list, made)) {
        FreeList(made);
        made = list;
    }
    return made == NULL ? NULL : made->text;
}

const char* cnListAvailable(const char* kind) {
    const char* call = __func__;
    if (kind == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "kind", "kind is null: must be %s", cnAllowedWords);
        return NULL;
    }
    for (int i = 0; i < cn_listKindCount; ++i) {
        if (strcmp(cnListWords[i], kind) == 0) {
            return FindList((ListKind)i, call);
        }
    }
    cnFail(CN_ERROR_UNKNOWN_NAME, call, "kind", "kind is \"%.40s\": must be %s", kind, cnAllowedWords);
    return NULL;
}

cnErrorCode cnAddToLibrary(const char* text, size_t length) {
    const char* call = __func__;
    if (text == NULL) {
        return cnFail(CN_ERROR_NULL_ARGUMENT, call, "text", "text is null, allowed is a JSON object");
    }
    return cnLibraryStore_Add(text, length, call);
}
