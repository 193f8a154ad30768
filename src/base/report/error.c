#include "base/report/error.h"

#include "base/report/format.h"

#include <stdarg.h>

static _Thread_local cnErrorInfo lastError;

static cnLogFunction* logFunction;
static void* logContext;

static const char* const errorNames[] = {
#define X(name, text) #name,
    CN_ERROR_CODES(X)
#undef X
};

static const char* const errorTexts[] = {
#define X(name, text) text,
    CN_ERROR_CODES(X)
#undef X
};

const char* cnErrorName(cnErrorCode code) {
    return (unsigned)code < CN_ERROR_COUNT ? errorNames[code] : "UNKNOWN_CODE";
}

const char* cnErrorText(cnErrorCode code) {
    return (unsigned)code < CN_ERROR_COUNT ? errorTexts[code] : "this number is no error code";
}

const cnErrorInfo* cnGetLastError(void) {
    return &lastError;
}

void cnClearLastError(void) {
    lastError = (cnErrorInfo){.code = CN_ERROR_NONE};
}

// strncpy without its two traps: always terminated, the rest not padded.
static void CopyText(char* target, size_t size, const char* source) {
    size_t length = 0;
    if (source != NULL) {
        for (; length + 1 < size && source[length] != '\0'; ++length) {
            target[length] = source[length];
        }
    }
    target[length] = '\0';
}

cnErrorCode cnFail(cnErrorCode code, const char* call, const char* argument, const char* format, ...) {
    // the message first: its arguments may be texts of the last error
    char message[sizeof lastError.message];
    va_list arguments;
    va_start(arguments, format);
    cnFormatList(message, sizeof message, format, arguments);
    va_end(arguments);

    lastError.code = code;
    if (call != lastError.call) {
        CopyText(lastError.call, sizeof lastError.call, call);
    }
    if (argument != lastError.argument) {
        CopyText(lastError.argument, sizeof lastError.argument, argument);
    }
    CopyText(lastError.message, sizeof lastError.message, message);
    return code;
}

void cnSetLogFunction(cnLogFunction* function, void* context) {
    logFunction = function;
    logContext = context;
}

void cnWriteLog(const char* format, ...) {
    if (logFunction == NULL) {
        return;
    }
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    cnFormatList(line, sizeof line, format, arguments);
    va_end(arguments);
    logFunction(line, logContext);
}
