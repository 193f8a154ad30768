// What the fuzzers share: their arguments, and a generator of random numbers that starts again with every
// case.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct FuzzOptions {
    long cases;
    uint64_t seed;
    const char* folder; // of the seed files
} FuzzOptions;

// Takes [--cases n] [--seed n] [--folder DIR] out of the arguments; what is left stands first, and is
// counted.
static inline FuzzOptions takeOptions(int* count, char** arguments) {
    FuzzOptions options = {.cases = 10000, .seed = 1, .folder = "."};
    int kept = 1;
    for (int i = 1; i < *count; ++i) {
        bool hasValue = i + 1 < *count;
        if (hasValue && strcmp(arguments[i], "--cases") == 0) {
            options.cases = strtol(arguments[++i], NULL, 10);
        } else if (hasValue && strcmp(arguments[i], "--seed") == 0) {
            options.seed = strtoull(arguments[++i], NULL, 10);
        } else if (hasValue && strcmp(arguments[i], "--folder") == 0) {
            options.folder = arguments[++i];
        } else {
            arguments[kept++] = arguments[i];
        }
    }
    *count = kept;
    return options;
}

static uint64_t randomState;

// Every case has a generator of its own, so that one can be run again alone.
static inline void startCase(const FuzzOptions* options, long number) {
    randomState = options->seed * 0x2545f4914f6cdd1du + (uint64_t)number * 0x9e3779b97f4a7c15u;
}

// splitmix64
static inline uint64_t nextRandom(void) {
    uint64_t x = randomState += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline size_t below(size_t limit) {
    return limit > 0 ? (size_t)(nextRandom() % limit) : 0;
}

// For fuzzers that take nothing else: false, with a line, where something is left.
static inline bool isNothingLeft(int count, char** arguments) {
    if (count > 1) {
        fprintf(stderr, "%s: %s is no argument, allowed are --cases N, --seed N and --folder DIR\n",
                arguments[0], arguments[1]);
    }
    return count == 1;
}
