#include "scene/json/json.h"

#include "base/report/format.h"

#include <stdarg.h>
#include <string.h>

const cnJsonRange cnJson_any = {-CN_LARGEST_NUMBER, false, CN_LARGEST_NUMBER, "a number"};
const cnJsonRange cnJson_positive = {0.0, true, CN_LARGEST_NUMBER, "a number > 0"};
const cnJsonRange cnJson_notNegative = {0.0, false, CN_LARGEST_NUMBER, "a number >= 0"};
const cnJsonRange cnJson_fraction = {0.0, false, 1.0, "a number from 0 to 1"};

// ---- texts ------------------------------------------------------------------------------------------------

// A text being written into a fixed place; what does not fit is cut.
typedef struct Line {
    char* text;
    size_t size;
    size_t length;
} Line;

// Appends at most `limit` bytes, whole characters only, control characters as '?'.
static void LineAddSome(Line* line, const char* text, size_t limit) {
    size_t length = strlen(text);
    size_t room = line->size - 1 - line->length;
    size_t end = length < limit ? length : limit;
    end = end < room ? end : room;
    while (end > 0 && end < length && ((unsigned char)text[end] & 0xc0) == 0x80) {
        --end;
    }
    for (size_t i = 0; i < end; ++i) {
        line->text[line->length++] = (unsigned char)text[i] < 0x20 ? '?' : text[i];
    }
    line->text[line->length] = '\0';
}

static void LineAdd(Line* line, const char* text) {
    LineAddSome(line, text, strlen(text));
}

static void AddPath(Line* line, const cnJson* node) {
    if (node->parent == NULL) {
        return;
    }
    AddPath(line, node->parent);
    LineAdd(line, "/");
    if (node->key != NULL) {
        LineAddSome(line, node->key, 40);
    } else {
        char digits[16];
        cnFormat(digits, sizeof digits, "%d", node->index);
        LineAdd(line, digits);
    }
}

void cnJson_GetPath(const cnJson* node, char* path, size_t size) {
    Line line = {path, size, 0};
    path[0] = '\0';
    AddPath(&line, node);
    if (line.length == 0) {
        LineAdd(&line, "/");
    }
}

// A value as an error quotes it: -1, "abc", a list of 3.
static void Describe(const cJSON* value, char* text, size_t size) {
    if (cJSON_IsNumber(value)) {
        if (cnIsFinite(value->valuedouble)) {
            cnFormat(text, size, "%.9g", value->valuedouble);
        } else {
            cnFormat(text, size, "too large a number");
        }
    } else if (cJSON_IsString(value)) {
        Line line = {text, size, 0};
        LineAdd(&line, "\"");
        LineAddSome(&line, value->valuestring, 32);
        LineAdd(&line, strlen(value->valuestring) > 32 ? "…\"" : "\"");
    } else if (cJSON_IsArray(value)) {
        cnFormat(text, size, "a list of %d", cJSON_GetArraySize(value));
    } else {
        cnFormat(text, size, "%s",
                 cJSON_IsObject(value)  ? "an object"
                 : cJSON_IsTrue(value)  ? "true"
                 : cJSON_IsFalse(value) ? "false"
                                        : "null");
    }
}

// Words with commas, cut with an ellipsis before the text is full.
static void AddWords(Line* line, const char* const* words, int wordCount, const char* quote) {
    for (int i = 0; i < wordCount; ++i) {
        if (line->length + strlen(words[i]) + 12 > line->size) {
            LineAdd(line, ", …");
            return;
        }
        LineAdd(line, i > 0 ? ", " : "");
        LineAdd(line, quote);
        LineAdd(line, words[i]);
        LineAdd(line, quote);
    }
}

// ---- the report -------------------------------------------------------------------------------------------

__attribute__((format(printf, 3, 0))) static void cnNoteError(const cnJson* node, cnErrorCode code,
                                                              const char* format, va_list arguments) {
    cnSceneReport* report = node->report;
    if (report->code != CN_ERROR_NONE) {
        return;
    }
    char what[sizeof report->message];
    cnFormatList(what, sizeof what, format, arguments);
    report->code = code;
    cnJson_GetPath(node, report->path, sizeof report->path);
    Line line = {report->message, sizeof report->message, 0};
    LineAdd(&line, report->path);
    LineAdd(&line, " ");
    LineAdd(&line, what);
}

void cnJson_Fail(const cnJson* node, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cnNoteError(node, CN_ERROR_SCENE, format, arguments);
    va_end(arguments);
}

void cnJson_FailWith(const cnJson* node, cnErrorCode code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cnNoteError(node, code, format, arguments);
    va_end(arguments);
}

void cnJson_FailMust(const cnJson* node, const char* allowed) {
    if (node->value == NULL) {
        cnJson_Fail(node, "is missing: must be %s", allowed);
        return;
    }
    char found[64];
    Describe(node->value, found, sizeof found);
    cnJson_Fail(node, "is %s: must be %s", found, allowed);
}

void cnJson_NotYet(const cnJson* node, const char* format, ...) {
    cnSceneReport* report = node->report;
    if (report->isNotYet || report->code != CN_ERROR_NONE) {
        return;
    }
    char what[128];
    va_list arguments;
    va_start(arguments, format);
    cnFormatList(what, sizeof what, format, arguments);
    va_end(arguments);
    report->isNotYet = true;
    cnJson_GetPath(node, report->notYetPath, sizeof report->notYetPath);
    cnFormat(report->notYetMessage, sizeof report->notYetMessage, "not supported yet: %s (%s)", what,
             report->notYetPath);
}

// ---- objects and lists ------------------------------------------------------------------------------------

cnJson cnJson_Get(const cnJson* object, const char* key) {
    const cJSON* value =
        cJSON_IsObject(object->value) ? cJSON_GetObjectItemCaseSensitive(object->value, key) : NULL;
    return (cnJson){value, object->report, object, key, 0};
}

cnJson cnJson_Need(const cnJson* object, const char* key) {
    cnJson node = cnJson_Get(object, key);
    if (node.value == NULL) {
        cnJson_Fail(&node, "is missing");
    }
    return node;
}

bool cnJson_Has(const cnJson* object, const char* key) {
    return cnJson_Get(object, key).value != NULL;
}

bool cnJson_CheckKeys(const cnJson* node, const char* const* keys, int keyCount, const char* noun) {
    if (!cJSON_IsObject(node->value)) {
        cnJson_FailMust(node, "an object");
        return false;
    }
    uint64_t seen = 0;
    for (const cJSON* child = node->value->child; child != NULL; child = child->next) {
        cnJson item = {child, node->report, node, child->string, 0};
        int found = 0;
        while (found < keyCount && strcmp(keys[found], child->string) != 0) {
            ++found;
        }
        if (found == keyCount) {
            char words[200];
            Line line = {words, sizeof words, 0};
            AddWords(&line, keys, keyCount, "");
            cnJson_Fail(&item, "is no key of %s: allowed are %s", noun, words);
            return false;
        }
        if ((seen >> found & 1) != 0) {
            cnJson_Fail(&item, "is given twice: a key may stand once in an object");
            return false;
        }
        seen |= (uint64_t)1 << found;
    }
    return cnJson_IsFine(node);
}

int cnJson_NeedOneOf(const cnJson* object, const char* const* keys, int keyCount) {
    int found = -1;
    int count = 0;
    for (int i = 0; i < keyCount; ++i) {
        if (cnJson_Has(object, keys[i])) {
            found = i;
            ++count;
        }
    }
    if (count != 1) {
        char words[160];
        Line line = {words, sizeof words, 0};
        AddWords(&line, keys, keyCount, "");
        cnJson_Fail(object, "has %s of these keys, must have exactly one: %s",
                    count == 0 ? "none" : "more than one", words);
        return -1;
    }
    return found;
}

cnJson cnJson_First(const cnJson* list, const char* allowed) {
    const cJSON* first = NULL;
    if (list->value != NULL && !cJSON_IsArray(list->value)) {
        cnJson_FailMust(list, allowed);
    } else if (list->value != NULL) {
        first = list->value->child;
    }
    return (cnJson){first, list->report, list, NULL, 0};
}

void cnJson_Next(cnJson* item) {
    item->value = item->value->next;
    ++item->index;
}

bool cnJson_CheckCount(const cnJson* list, int count, const char* allowed) {
    if (!cJSON_IsArray(list->value) || cJSON_GetArraySize(list->value) != count) {
        cnJson_FailMust(list, allowed);
        return false;
    }
    return true;
}

cnJson cnJson_At(const cnJson* list, int index) {
    return (cnJson){cJSON_GetArrayItem(list->value, index), list->report, list, NULL, index};
}

// ---- values -----------------------------------------------------------------------------------------------

double cnJson_AsNumber(const cnJson* node, const cnJsonRange* range, double fallback) {
    if (node->value == NULL) {
        return fallback;
    }
    if (!cJSON_IsNumber(node->value)) {
        cnJson_FailMust(node, range->allowed);
        return fallback;
    }
    double number = node->value->valuedouble;
    if (!(number >= -CN_LARGEST_NUMBER && number <= CN_LARGEST_NUMBER)) {
        char allowed[96];
        cnFormat(allowed, sizeof allowed, "%s and of a magnitude up to 1e30", range->allowed);
        cnJson_FailMust(node, allowed);
        return fallback;
    }
    if (number < range->lowest || number > range->highest || (range->isOpen && number == range->lowest)) {
        cnJson_FailMust(node, range->allowed);
        return fallback;
    }
    return number;
}

int cnJson_AsInteger(const cnJson* node, int lowest, int highest, int fallback) {
    if (node->value == NULL) {
        return fallback;
    }
    double number = cJSON_IsNumber(node->value) ? node->value->valuedouble : 0.5;
    if (!(number >= lowest && number <= highest) || number != (double)(int)number) {
        char allowed[64];
        cnFormat(allowed, sizeof allowed, "a whole number from %d to %d", lowest, highest);
        cnJson_FailMust(node, allowed);
        return fallback;
    }
    return (int)number;
}

bool cnJson_AsBoolean(const cnJson* node, bool fallback) {
    if (node->value == NULL) {
        return fallback;
    }
    if (!cJSON_IsBool(node->value)) {
        cnJson_FailMust(node, "true or false");
        return fallback;
    }
    return cJSON_IsTrue(node->value) != 0;
}

bool cnJson_GetBoolean(const cnJson* object, const char* key, bool fallback) {
    cnJson node = cnJson_Get(object, key);
    return cnJson_AsBoolean(&node, fallback);
}

const char* cnJson_AsText(const cnJson* node, const char* allowed) {
    if (node->value == NULL) {
        return NULL;
    }
    if (!cJSON_IsString(node->value)) {
        cnJson_FailMust(node, allowed);
        return NULL;
    }
    return node->value->valuestring;
}

int cnJson_AsChoice(const cnJson* node, const char* const* words, int wordCount, int fallback) {
    if (node->value == NULL) {
        return fallback;
    }
    for (int i = 0; i < wordCount && cJSON_IsString(node->value); ++i) {
        if (strcmp(words[i], node->value->valuestring) == 0) {
            return i;
        }
    }
    char allowed[200];
    Line line = {allowed, sizeof allowed, 0};
    LineAdd(&line, wordCount > 1 ? "one of " : "");
    AddWords(&line, words, wordCount, "\"");
    cnJson_FailMust(node, allowed);
    return fallback;
}

bool cnJson_AsNumbers(const cnJson* node, double* numbers, int count, const cnJsonRange* range) {
    if (node->value == NULL) {
        return true;
    }
    if (!cJSON_IsArray(node->value) || cJSON_GetArraySize(node->value) != count) {
        char allowed[48];
        cnFormat(allowed, sizeof allowed, "a list of %d numbers", count);
        cnJson_FailMust(node, allowed);
        return false;
    }
    for (cnJson item = cnJson_First(node, "a list"); cnJson_More(&item); cnJson_Next(&item)) {
        numbers[item.index] = cnJson_AsNumber(&item, range, numbers[item.index]);
    }
    return cnJson_IsFine(node);
}

cnVec3 cnJson_AsVector(const cnJson* node, const cnJsonRange* range, cnVec3 fallback) {
    double numbers[3] = {fallback.x, fallback.y, fallback.z};
    cnJson_AsNumbers(node, numbers, 3, range);
    return cnVec(numbers[0], numbers[1], numbers[2]);
}

cnVec3 cnJson_GetVector(const cnJson* object, const char* key, const cnJsonRange* range, cnVec3 fallback) {
    cnJson node = cnJson_Get(object, key);
    return cnJson_AsVector(&node, range, fallback);
}

cnVec3 cnJson_AsDirection(const cnJson* node, cnVec3 fallback) {
    cnVec3 vector = cnJson_AsVector(node, &cnJson_any, fallback);
    if (vector.x == 0.0 && vector.y == 0.0 && vector.z == 0.0) {
        cnJson_Fail(node, "is zero: must be a vector with a direction");
        return fallback;
    }
    return vector;
}

cnQuat cnJson_AsRotation(const cnJson* node) {
    double numbers[4] = {0.0, 0.0, 0.0, 1.0};
    if (node->value == NULL || !cnJson_AsNumbers(node, numbers, 4, &cnJson_any)) {
        return cnQuat_identity;
    }
    cnQuat rotation = {numbers[0], numbers[1], numbers[2], numbers[3]};
    double length = cnLengthQuat(rotation);
    if (!(length >= 1.0 - 1e-3 && length <= 1.0 + 1e-3)) {
        cnJson_Fail(node, "has the length %.9g: must be a quaternion [x, y, z, w] of length 1 within 1e-3",
                    length);
        return cnQuat_identity;
    }
    return cnNormalizeQuat(rotation);
}

void cnJson_AsPair(const cnJson* node, double pair[2], const cnJsonRange* range) {
    if (cJSON_IsArray(node->value)) {
        cnJson_AsNumbers(node, pair, 2, range);
    } else {
        double number = cnJson_AsNumber(node, range, pair[0]);
        if (node->value != NULL) {
            pair[0] = pair[1] = number;
        }
    }
}

const char* cnJson_AsName(const cnJson* node) {
    const char* allowed = "a name: a text that is not empty and holds no '/', ',' or '*'";
    const char* name = cnJson_AsText(node, allowed);
    if (name != NULL && (name[0] == '\0' || strpbrk(name, "/,*") != NULL)) {
        cnJson_FailMust(node, allowed);
        return NULL;
    }
    return name;
}
