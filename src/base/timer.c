// clock_gettime is POSIX, which -std=c17 hides.
#define _POSIX_C_SOURCE 200809L

#include "base/timer.h"

#if defined(__EMSCRIPTEN__)

#include <emscripten.h>

double cnGetMilliseconds(void) {
    return emscripten_get_now();
}

#else

#include <time.h>

double cnGetMilliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

#endif
