// Errors, memory hooks, log, version.

#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(CN_BUILD_SHARED)
#define CN_API __attribute__((visibility("default")))
#else
#define CN_API
#endif

#define CN_VERSION_MAJOR 0
#define CN_VERSION_MINOR 1
#define CN_VERSION_PATCH 0

// Every error code with the sentence that explains it. The JavaScript names are these, without the prefix.
#define CN_ERROR_CODES(X)                                                                                    \
    X(NONE, "no error")                                                                                      \
    X(NULL_HANDLE, "the handle is null")                                                                     \
    X(STALE_HANDLE, "the handle names an object that was destroyed, or one of another world")                \
    X(NULL_ARGUMENT, "a pointer is null")                                                                    \
    X(NOT_FINITE, "a number is NaN or infinite")                                                             \
    X(OUT_OF_RANGE, "a value is outside its allowed range")                                                  \
    X(WRONG_TYPE, "a value has the wrong type")                                                              \
    X(DEGENERATE_SHAPE, "a shape has no volume or its points span no solid")                                 \
    X(OUT_OF_MEMORY, "memory could not be had")                                                              \
    X(TOO_MANY, "a table is full")                                                                           \
    X(WRONG_PHASE, "the call does not fit the phase of the step")                                            \
    X(IN_USE, "the object is still used by others")                                                          \
    X(NAME_TAKEN, "the name is used already")                                                                \
    X(UNKNOWN_NAME, "nothing has this name")                                                                 \
    X(SCENE, "the scene file is not valid")                                                                  \
    X(NOT_SUPPORTED_YET, "this build cannot do that yet")                                                    \
    X(NON_FINITE_STATE, "the state of a body became NaN or infinite")                                        \
    X(FILE, "a file could not be read or written")                                                           \
    X(CORRUPT_STATE, "tables of the world do not agree: a defect of Cairn, or memory was overwritten")       \
    X(SNAPSHOT, "the bytes are no snapshot or recording that this build can restore")

typedef enum cnErrorCode {
#define X(name, text) CN_ERROR_##name,
    CN_ERROR_CODES(X)
#undef X
    CN_ERROR_COUNT
} cnErrorCode;

// What went wrong in the last call of this thread that failed.
typedef struct cnErrorInfo {
    cnErrorCode code;
    char call[48];     // the public function, "cnBody_SetVelocity"
    char argument[96]; // the argument or the JSON path, "velocity", "/bodies/3/mass"
    char message[256]; // argument, value and what is allowed, in one sentence
} cnErrorInfo;

// Name of a code, "STALE_HANDLE". Never null.
CN_API const char* cnErrorName(cnErrorCode code);

// Sentence that explains a code. Never null.
CN_API const char* cnErrorText(cnErrorCode code);

// Details of the last failed call of the calling thread. A call that succeeds leaves them as they are.
CN_API const cnErrorInfo* cnGetLastError(void);

// Sets the calling thread's last error to CN_ERROR_NONE.
CN_API void cnClearLastError(void);

// Memory hooks. `allocate` returns `bytes` bytes aligned to 16, or null; `release` gets the size
// that was asked for. Worlds with several threads call them from all of these at once.
typedef struct cnAllocator {
    void* (*allocate)(size_t bytes, void* context);
    void (*release)(void* memory, size_t bytes, void* context);
    void* context;
} cnAllocator;

// Replaces the allocator for all worlds made afterwards. Null restores malloc and free. Only while no world
// exists, otherwise CN_ERROR_IN_USE.
CN_API cnErrorCode cnSetAllocator(const cnAllocator* allocator);

// Ends the threads that worlds share (cnWorldDef.threads); they sleep between steps and outlive worlds.
// The next step of a world with threads starts them again. CN_ERROR_IN_USE while another thread steps a
// world with them.
CN_API cnErrorCode cnStopThreads(void);

// Bytes that Cairn holds at the moment, over all worlds.
CN_API size_t cnGetBytesInUse(void);

// Receives one line of text without a line end. Nothing is logged unless a function is set; null removes it.
typedef void cnLogFunction(const char* line, void* context);
CN_API void cnSetLogFunction(cnLogFunction* function, void* context);
