// Rows of a table to go through: those listed, ascending, or all.
#pragma once

#include <stddef.h>

typedef struct cnRowList {
    const int* rows; // null: 0 … count−1
    int count;
} cnRowList;

static inline int cnRowList_Get(const cnRowList* list, int place) {
    return list->rows != NULL ? list->rows[place] : place;
}
