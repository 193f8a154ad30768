// Bytes that grow, up to 1 GB.
#pragma once

#include "base/containers/array.h"

#include <string.h>

typedef struct cnBuffer {
    CN_ARRAY(char) bytes;
} cnBuffer;

// False when memory ran out or the buffer is full; it stays as it was.
static inline bool cnBuffer_Add(cnBuffer* buffer, const void* bytes, size_t count) {
    if ((size_t)buffer->bytes.count + count > INT32_MAX / 2 ||
        !cnArray_Reserve(&buffer->bytes, buffer->bytes.count + (int)count)) {
        return false;
    }
    if (count > 0) {
        memcpy(buffer->bytes.data + buffer->bytes.count, bytes, count);
    }
    buffer->bytes.count += (int)count;
    return true;
}
