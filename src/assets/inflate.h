// Decompression of zlib streams (RFC 1950, RFC 1951), as PNG files hold them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Fills `out` with exactly `outLength` bytes. False where the stream is damaged, shorter or longer.
bool cnInflate(const uint8_t* bytes, size_t length, uint8_t* out, size_t outLength);
