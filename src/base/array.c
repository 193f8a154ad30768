#include "base/array.h"

#include <limits.h>
#include <stdint.h>

enum {
    smallestCapacity = 8
};

bool cnArray_Grow(void** data, int* capacity, int wanted, size_t itemBytes) {
    if (wanted <= *capacity) {
        return wanted >= 0;
    }
    int newCapacity = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    if (newCapacity < wanted) {
        newCapacity = wanted;
    }
    if (newCapacity < smallestCapacity) {
        newCapacity = smallestCapacity;
    }
    if ((size_t)newCapacity > SIZE_MAX / itemBytes) {
        return false;
    }

    void* moved = cnReallocate(*data, (size_t)*capacity * itemBytes, (size_t)newCapacity * itemBytes);
    if (moved == NULL) {
        return false;
    }
    *data = moved;
    *capacity = newCapacity;
    return true;
}
