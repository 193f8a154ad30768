#include "base/containers/bitset.h"

#include "base/report/assert.h"

#include <string.h>

bool cnBitset_Reset(cnBitset* set, int count) {
    int wordCount = (int)(((int64_t)count + 63) / 64);
    if (!cnArray_Resize(&set->words, wordCount)) {
        return false;
    }
    if (wordCount > 0) {
        memset(set->words.data, 0, (size_t)wordCount * sizeof(uint64_t));
    }
    return true;
}

void cnBitset_Free(cnBitset* set) {
    cnArray_Free(&set->words);
}

void cnBitset_Unite(cnBitset* a, const cnBitset* b) {
    CN_ASSERT(a->words.count == b->words.count);
    for (int i = 0; i < a->words.count; ++i) {
        a->words.data[i] |= b->words.data[i];
    }
}

int cnBitset_Count(const cnBitset* set) {
    int count = 0;
    for (int i = 0; i < set->words.count; ++i) {
        count += __builtin_popcountll(set->words.data[i]);
    }
    return count;
}

int cnBitset_Next(const cnBitset* set, int from) {
    if (from < 0) {
        from = 0;
    }
    int wordIndex = from >> 6;
    if (wordIndex >= set->words.count) {
        return -1;
    }
    uint64_t word = set->words.data[wordIndex] & (~(uint64_t)0 << (from & 63));
    while (word == 0) {
        wordIndex += 1;
        if (wordIndex == set->words.count) {
            return -1;
        }
        word = set->words.data[wordIndex];
    }
    return 64 * wordIndex + __builtin_ctzll(word);
}
