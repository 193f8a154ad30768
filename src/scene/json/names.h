// The names of a scene: what has which name, found by hash.
#pragma once

#include "base/containers/array.h"

#include <stdint.h>

// One list of names each; the nouns are for messages.
#define CN_NAME_KINDS(X)                                                                                     \
    X(material, "material")                                                                                  \
    X(mesh, "mesh")                                                                                          \
    X(body, "body")                                                                                          \
    X(geometry, "geometry")                                                                                  \
    X(constraint, "constraint")                                                                              \
    X(mergedBody, "merged body")                                                                             \
    X(observer, "observer")                                                                                  \
    X(group, "group")

typedef enum cnNameKind {
#define X(name, noun) cn_name_##name,
    CN_NAME_KINDS(X)
#undef X
    cn_nameKindCount
} cnNameKind;

typedef struct cnNameEntry {
    cnNameKind kind;
    int row;  // of the named object in its list
    int text; // offset in the letters
    uint64_t hash;
} cnNameEntry;

typedef struct cnNames {
    CN_ARRAY(cnNameEntry) entries; // in the order of the file
    CN_ARRAY(char) letters;        // the names, each zero-terminated
    CN_ARRAY(int) slots;           // open addressing; entry + 1, 0 for an empty slot
} cnNames;

void cnNames_Free(cnNames* names);

// False when memory ran out. The caller asks cnNames_Find before: a name stands once in its list.
bool cnNames_Add(cnNames* names, cnNameKind kind, const char* name, int row);

// The row of what has the name, -1 where nothing has it.
int cnNames_Find(const cnNames* names, cnNameKind kind, const char* name);

// The same for a part of a text.
int cnNames_FindPart(const cnNames* names, cnNameKind kind, const char* name, size_t length);

// The name of what is at a row of a kind, null where it has none.
const char* cnNames_NameOf(const cnNames* names, cnNameKind kind, int row);

// "material", "merged body".
const char* cnNameNoun(cnNameKind kind);

// The names of a kind as a list for a message: "a", "b", …; "none" where there is none.
void cnNames_Describe(const cnNames* names, cnNameKind kind, char* text, size_t size);
