#include "material/library_json.h"

#include "base/report/error.h"
#include "base/report/format.h"

#include <stdarg.h>
#include <string.h>

// Longest path and key in an error.
enum {
    argumentSize = sizeof(((cnErrorInfo*)NULL)->argument)
};

cnErrorCode cnLibrary_Refuse(const cnLibraryReader* reader, const char* key, const char* format, ...) {
    char argument[argumentSize];
    cnFormat(argument, sizeof argument, "%s%s%s", reader->file->path, key[0] == '\0' ? "" : "/", key);
    char reason[240];
    va_list arguments;
    va_start(arguments, format);
    cnFormatList(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return cnFail(CN_ERROR_FILE, reader->call, argument, "%s: %s", argument, reason);
}

cJSON* cnLibrary_ParseFile(const cnLibraryReader* reader) {
    const char* end = NULL;
    cJSON* object = cJSON_ParseWithOpts(reader->file->text, &end, 1);
    if (object == NULL) {
        int line = 1;
        for (const char* c = reader->file->text; c < end; ++c) {
            line += *c == '\n';
        }
        cnLibrary_Refuse(reader, "", "no valid JSON near line %d", line);
        return NULL;
    }
    if (!cJSON_IsObject(object)) {
        cJSON_Delete(object);
        cnLibrary_Refuse(reader, "", "an object is wanted");
        return NULL;
    }
    return object;
}

cnErrorCode cnLibrary_CheckKey(const cnLibraryReader* reader, const cJSON* object, const cJSON* child) {
    return cJSON_GetObjectItemCaseSensitive(object, child->string) == child
               ? CN_ERROR_NONE
               : cnLibrary_Refuse(reader, child->string, "the key is there twice");
}

cnErrorCode cnLibrary_CheckText(const cnLibraryReader* reader, const cJSON* item) {
    if (strcmp(item->string, "description") == 0 && !cJSON_IsString(item)) {
        return cnLibrary_Refuse(reader, item->string, "a text is wanted");
    }
    if (strcmp(item->string, "sources") == 0 && !cJSON_IsObject(item)) {
        return cnLibrary_Refuse(reader, item->string, "an object is wanted");
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnLibrary_ReadName(const cnLibraryReader* reader, const cJSON* object, const char** name) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object, "name");
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0') {
        return cnLibrary_Refuse(reader, "name", "a text is wanted");
    }
    *name = item->valuestring;
    return CN_ERROR_NONE;
}

cnErrorCode cnLibrary_ReadOwnName(const cnLibraryReader* reader, const cJSON* object,
                                  char out[CN_LIBRARY_NAME_SIZE]) {
    const char* name = "";
    CN_TRY(cnLibrary_ReadName(reader, object, &name));
    size_t length = strlen(name);
    if (length >= CN_LIBRARY_NAME_SIZE) {
        return cnLibrary_Refuse(reader, "name", "the name has %zu bytes, allowed is 1…%d", length,
                                CN_LIBRARY_NAME_SIZE - 1);
    }
    memcpy(out, name, length + 1);
    return CN_ERROR_NONE;
}

cnErrorCode cnLibrary_BlameFile(const cnLibraryReader* reader) {
    char key[argumentSize];
    char reason[sizeof cnGetLastError()->message];
    memcpy(key, cnGetLastError()->argument, sizeof key);
    memcpy(reason, cnGetLastError()->message, sizeof reason);
    return cnLibrary_Refuse(reader, key, "%s", reason);
}
