#include "scene/json/names.h"

#include "base/containers/hash.h"
#include "base/report/format.h"

#include <string.h>

static const char* const cnNameNouns[] = {
#define X(name, noun) noun,
    CN_NAME_KINDS(X)
#undef X
};

static uint64_t HashName(cnNameKind kind, const char* name, size_t length) {
    uint64_t hash = (uint64_t)kind;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
    }
    return cnMix64(hash);
}

void cnNames_Free(cnNames* names) {
    cnArray_Free(&names->entries);
    cnArray_Free(&names->letters);
    cnArray_Free(&names->slots);
}

static void PutInSlot(cnNames* names, int entry) {
    size_t mask = (size_t)names->slots.count - 1;
    size_t slot = (size_t)names->entries.data[entry].hash & mask;
    while (names->slots.data[slot] != 0) {
        slot = (slot + 1) & mask;
    }
    names->slots.data[slot] = entry + 1;
}

// Twice as many slots as entries at least, a power of two.
static bool MakeSlots(cnNames* names, int entryCount) {
    if (2 * entryCount <= names->slots.count) {
        return true;
    }
    int slotCount = names->slots.count > 0 ? 2 * names->slots.count : 64;
    if (!cnArray_Resize(&names->slots, slotCount)) {
        return false;
    }
    memset(names->slots.data, 0, (size_t)slotCount * sizeof *names->slots.data);
    for (int i = 0; i < names->entries.count; ++i) {
        PutInSlot(names, i);
    }
    return true;
}

bool cnNames_Add(cnNames* names, cnNameKind kind, const char* name, int row) {
    int length = (int)strlen(name);
    int text = names->letters.count;
    if (!MakeSlots(names, names->entries.count + 1) ||
        !cnArray_Reserve(&names->entries, names->entries.count + 1) ||
        !cnArray_Resize(&names->letters, text + length + 1)) {
        return false;
    }
    memcpy(names->letters.data + text, name, (size_t)length + 1);
    cnNameEntry entry = {kind, row, text, HashName(kind, name, (size_t)length)};
    names->entries.data[names->entries.count] = entry;
    PutInSlot(names, names->entries.count++);
    return true;
}

int cnNames_FindPart(const cnNames* names, cnNameKind kind, const char* name, size_t length) {
    if (names->slots.count == 0) {
        return -1;
    }
    uint64_t hash = HashName(kind, name, length);
    size_t mask = (size_t)names->slots.count - 1;
    for (size_t slot = (size_t)hash & mask; names->slots.data[slot] != 0; slot = (slot + 1) & mask) {
        const cnNameEntry* entry = &names->entries.data[names->slots.data[slot] - 1];
        const char* text = names->letters.data + entry->text;
        if (entry->hash == hash && entry->kind == kind && strncmp(text, name, length) == 0 &&
            text[length] == '\0') {
            return entry->row;
        }
    }
    return -1;
}

int cnNames_Find(const cnNames* names, cnNameKind kind, const char* name) {
    return cnNames_FindPart(names, kind, name, strlen(name));
}

const char* cnNames_NameOf(const cnNames* names, cnNameKind kind, int row) {
    for (int i = 0; i < names->entries.count; ++i) {
        const cnNameEntry* entry = &names->entries.data[i];
        if (entry->kind == kind && entry->row == row) {
            return names->letters.data + entry->text;
        }
    }
    return NULL;
}

const char* cnNameNoun(cnNameKind kind) {
    return cnNameNouns[kind];
}

void cnNames_Describe(const cnNames* names, cnNameKind kind, char* text, size_t size) {
    size_t length = 0;
    cnFormat(text, size, "none");
    for (int i = 0; i < names->entries.count; ++i) {
        if (names->entries.data[i].kind != kind) {
            continue;
        }
        const char* name = names->letters.data + names->entries.data[i].text;
        const char* comma = length > 0 ? ", " : "";
        if (length + strlen(name) + 12 > size) {
            cnFormat(text + length, size - length, "%s…", comma);
            return;
        }
        length += (size_t)cnFormat(text + length, size - length, "%s\"%s\"", comma, name);
    }
}
