#include "base/containers/paged_array.h"

#include <limits.h>
#include <string.h>

// Pages that hold so many items.
static int PagesOf(int count, size_t itemBytes) {
    const int items = CN_PAGE_ITEMS(itemBytes);
    return count / items + (count % items != 0);
}

// The list of pages has room for a power of two of them, which the number of pages tells.
static int ListCapacity(int pageCount) {
    int capacity = 1;
    while (capacity < pageCount) {
        capacity *= 2;
    }
    return pageCount > 0 ? capacity : 0;
}

static size_t ListBytes(int pageCount) {
    return (size_t)ListCapacity(pageCount) * sizeof(void*);
}

bool cnPagedArray_Grow(void*** pages, int* capacity, int wanted, size_t itemBytes CN_GUARD_PARAMETER) {
    if (wanted <= *capacity) {
        return wanted >= 0;
    }
    CN_GUARD_MOVES(guard);
    const int items = CN_PAGE_ITEMS(itemBytes);
    if (wanted > INT_MAX - items) {
        return false;
    }
    for (int page = *capacity / items; page < PagesOf(wanted, itemBytes); ++page) {
        void* fresh = cnAllocateUnset((size_t)items * itemBytes);
        if (fresh == NULL) {
            return false;
        }
        if (ListBytes(page + 1) > ListBytes(page)) {
            void** moved = cnReallocate(*pages, ListBytes(page), ListBytes(page + 1));
            if (moved == NULL) {
                cnFree(fresh, (size_t)items * itemBytes);
                return false;
            }
            *pages = moved;
        }
        (*pages)[page] = fresh;
        *capacity += items;
    }
    return true;
}

void cnPagedArray_Release(void** pages, int capacity, size_t itemBytes CN_GUARD_PARAMETER) {
    CN_GUARD_MOVES(guard);
    const int pageCount = PagesOf(capacity, itemBytes);
    for (int page = 0; page < pageCount; ++page) {
        cnFree(pages[page], (size_t)CN_PAGE_ITEMS(itemBytes) * itemBytes);
    }
    cnFree(pages, ListBytes(pageCount));
}

void** cnPagedArray_Lend(void* items, int count, size_t itemBytes) {
    const int pageCount = PagesOf(count, itemBytes);
    void** pages = cnAllocateUnset(ListBytes(pageCount));
    for (int page = 0; pages != NULL && page < pageCount; ++page) {
        pages[page] = (char*)items + (size_t)page * CN_PAGE_ITEMS(itemBytes) * itemBytes;
    }
    return pages;
}

void cnPagedArray_GiveBack(void** pages, int count, size_t itemBytes) {
    cnFree(pages, ListBytes(PagesOf(count, itemBytes)));
}
