#include "base/containers/table.h"

#include <string.h>

// The column's pointer has some object type of its own; copying its bytes is the way to read it as void*.
static void* GetPointer(const void* table, const cnColumn* column) {
    void* pointer;
    memcpy(&pointer, (const char*)table + column->offset, sizeof pointer);
    return pointer;
}

static void SetPointer(void* table, const cnColumn* column, void* pointer) {
    memcpy((char*)table + column->offset, &pointer, sizeof pointer);
}

bool cnTable_GrowColumns(void* table, const cnColumnList* list, int newCapacity, int* capacity,
                         uint32_t* epoch CN_GUARD_PARAMETER) {
    CN_GUARD_MOVES(guard);
    const cnColumn* columns = list->columns;

    // all new columns first, so that a failure changes nothing
    size_t listBytes = (size_t)list->count * sizeof(void*);
    void** grown = cnAllocate(listBytes);
    if (grown == NULL) {
        return false;
    }
    int grownCount = 0;
    while (grownCount < list->count) {
        grown[grownCount] = cnAllocateUnset((size_t)newCapacity * (size_t)columns[grownCount].rowBytes);
        if (grown[grownCount] == NULL) {
            break;
        }
        grownCount += 1;
    }
    bool isComplete = grownCount == list->count;

    // move over, or give back what was had
    for (int i = 0; i < grownCount; ++i) {
        size_t rowBytes = (size_t)columns[i].rowBytes;
        if (!isComplete) {
            cnFree(grown[i], (size_t)newCapacity * rowBytes);
            continue;
        }
        void* old = GetPointer(table, &columns[i]);
        size_t kept = old != NULL ? (size_t)*capacity * rowBytes : 0;
        if (old != NULL) {
            memcpy(grown[i], old, kept);
            cnFree(old, kept);
        }
        memset((char*)grown[i] + kept, 0, (size_t)newCapacity * rowBytes - kept);
        SetPointer(table, &columns[i], grown[i]);
    }
    cnFree(grown, listBytes);
    *capacity = isComplete ? newCapacity : *capacity;
    *epoch += isComplete;
    return isComplete;
}

void cnTable_FreeColumns(void* table, const cnColumnList* list, int capacity) {
    const cnColumn* columns = list->columns;
    for (int i = 0; i < list->count; ++i) {
        cnFree(GetPointer(table, &columns[i]), (size_t)capacity * (size_t)columns[i].rowBytes);
        SetPointer(table, &columns[i], NULL);
    }
}

void* cnTable_GetColumn(const void* table, const cnColumn* column) {
    return GetPointer(table, column);
}

int cnColumnList_CountPublic(const cnColumnList* list) {
    int count = 0;
    while (count < list->count && list->columns[count].scalar != cn_record) {
        count += 1;
    }
    return count;
}
