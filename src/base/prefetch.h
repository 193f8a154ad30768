// Memory that will be wanted, asked for ahead of its use.
//
// What lies scattered in tables larger than the cache costs a hundred instructions to reach, and loads that
// wait for one another cost it each time. Asked for some dozens ahead, in a loop that does nothing else, they
// come side by side. WebAssembly has no instruction for that; there a load whose value nobody wants does as
// well.
#pragma once

#include <stddef.h>

#define CN_CACHE_LINE 64

// The line at an address; any address will do. A hint alone, and none in WebAssembly.
static inline void cnPrefetch(const void* address) {
#if defined(__GNUC__) && !defined(__wasm__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

// The lines of an object, in WebAssembly too.
static inline void cnPrefetchObject(const void* object, size_t size) {
    for (size_t offset = 0; offset < size; offset += CN_CACHE_LINE) {
        const char* line = (const char*)object + offset;
#if defined(__wasm__)
        __asm__ volatile("" : : "r"(*line));
#else
        cnPrefetch(line);
#endif
    }
}
