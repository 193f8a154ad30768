// Checked reading of parsed JSON: values with the place where they stand, and a report of what is wrong.
//
// A cnJson is a value and the way to it: its key or index and the node around it, which lives on the stack of
// the function that reads it. So a path such as /bodies/3/geometries/0/shape/radius costs nothing until an
// error needs it.
//
// The report keeps the first error and from then on readers return their fall-backs, loops over lists end,
// and nobody has to ask after every key. What this build cannot do yet is kept apart: reading goes on, and a
// file that is wrong anywhere is called wrong, not unsupported.
#pragma once

#include "cairn/cairn.h"
#include "cjson/cJSON.h"

typedef struct cnSceneReport {
    cnErrorCode code; // CN_ERROR_NONE as long as the file is right
    char path[96];
    char message[256]; // begins with the path
    bool isNotYet;     // the file is right so far, but wants what this build lacks
    char notYetPath[96];
    char notYetMessage[256];
} cnSceneReport;

typedef struct cnJson {
    const cJSON* value; // null: the key is not given
    cnSceneReport* report;
    const struct cnJson* parent; // null: the document
    const char* key;             // in an object; else null
    int index;                   // in a list
} cnJson;

// Which numbers are allowed. Every number is finite and of a magnitude up to 1e30 besides.
typedef struct cnJsonRange {
    double lowest;
    bool isOpen; // lowest itself is not allowed
    double highest;
    const char* allowed; // "a number > 0"
} cnJsonRange;

#define CN_LARGEST_NUMBER 1e30

extern const cnJsonRange cnJson_any;         // a number
extern const cnJsonRange cnJson_positive;    // > 0
extern const cnJsonRange cnJson_notNegative; // >= 0
extern const cnJsonRange cnJson_fraction;    // 0…1

// ---- the report -------------------------------------------------------------------------------------------

// Notes an error unless there is one already. The message is the path and what follows it: "is -1: must be a
// number > 0".
__attribute__((format(printf, 2, 3))) void cnJson_Fail(const cnJson* node, const char* format, ...);

// The same with another code than CN_ERROR_SCENE, for errors of the engine.
__attribute__((format(printf, 3, 4))) void cnJson_FailWith(const cnJson* node, cnErrorCode code,
                                                           const char* format, ...);

// "<path> is <value>: must be <allowed>", or "<path> is missing: …".
void cnJson_FailMust(const cnJson* node, const char* allowed);

// Notes that the value is right, but beyond this build: "not supported yet: <what> (<path>)".
__attribute__((format(printf, 2, 3))) void cnJson_NotYet(const cnJson* node, const char* format, ...);

static inline bool cnJson_IsFine(const cnJson* node) {
    return node->report->code == CN_ERROR_NONE;
}

// Writes the path, "/" for the document, cut to fit.
void cnJson_GetPath(const cnJson* node, char* path, size_t size);

// ---- objects and lists ------------------------------------------------------------------------------------

// The value of a key; its `value` is null when the key is not given, or when `object` is none.
cnJson cnJson_Get(const cnJson* object, const char* key);

// The same, an error when the key is not given.
cnJson cnJson_Need(const cnJson* object, const char* key);

static inline bool cnJson_IsGiven(const cnJson* node) {
    return node->value != NULL;
}

bool cnJson_Has(const cnJson* object, const char* key);

static inline bool cnJson_IsNull(const cnJson* node) {
    return cJSON_IsNull(node->value);
}

// An object with keys of this table only, each at most once. `noun` is for the message: "a body".
bool cnJson_CheckKeys(const cnJson* node, const char* const* keys, int keyCount, const char* noun);

#define CN_CHECK_KEYS(node, keys, noun)                                                                      \
    cnJson_CheckKeys((node), (keys), (int)(sizeof(keys) / sizeof((keys)[0])), (noun))

// Exactly one of the keys is given: its index, else -1 and an error.
int cnJson_NeedOneOf(const cnJson* object, const char* const* keys, int keyCount);

// Items of a list; a key that is not given is an empty list:
// for (cnJson item = cnJson_First(&list, "a list"); cnJson_More(&item); cnJson_Next(&item))
cnJson cnJson_First(const cnJson* list, const char* allowed);
void cnJson_Next(cnJson* item);

static inline bool cnJson_More(const cnJson* item) {
    return item->value != NULL && cnJson_IsFine(item);
}

// A list of exactly `count` items, or an error that names `allowed`.
bool cnJson_CheckCount(const cnJson* list, int count, const char* allowed);
cnJson cnJson_At(const cnJson* list, int index);

// ---- values: `fallback` where the key is not given or the value is wrong ----------------------------------

double cnJson_AsNumber(const cnJson* node, const cnJsonRange* range, double fallback);
int cnJson_AsInteger(const cnJson* node, int lowest, int highest, int fallback);
bool cnJson_AsBoolean(const cnJson* node, bool fallback);

// The same of a key of an object.
bool cnJson_GetBoolean(const cnJson* object, const char* key, bool fallback);
cnVec3 cnJson_GetVector(const cnJson* object, const char* key, const cnJsonRange* range, cnVec3 fallback);

// Null where there is no text.
const char* cnJson_AsText(const cnJson* node, const char* allowed);

// Index in the table of words.
int cnJson_AsChoice(const cnJson* node, const char* const* words, int wordCount, int fallback);

#define CN_AS_CHOICE(node, words, fallback)                                                                  \
    cnJson_AsChoice((node), (words), (int)(sizeof(words) / sizeof((words)[0])), (fallback))

// `count` numbers; left alone where the key is not given.
bool cnJson_AsNumbers(const cnJson* node, double* numbers, int count, const cnJsonRange* range);
cnVec3 cnJson_AsVector(const cnJson* node, const cnJsonRange* range, cnVec3 fallback);

// Any vector but zero; the fallback where it is zero.
cnVec3 cnJson_AsDirection(const cnJson* node, cnVec3 fallback);

// Of length 1 within 1e-3, normalised. The identity where the key is not given.
cnQuat cnJson_AsRotation(const cnJson* node);

// One number for both, or [primary, secondary]. Left alone where the key is not given.
void cnJson_AsPair(const cnJson* node, double pair[2], const cnJsonRange* range);

// A name: not empty, without '/', ',' and '*'. Null where it is none.
const char* cnJson_AsName(const cnJson* node);
