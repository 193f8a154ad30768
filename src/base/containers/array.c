#include "base/containers/array.h"

#include <stdint.h>

enum {
    smallestCapacity = 8
};

bool cnArray_Grow(void** data, int* capacity, int wanted, size_t itemBytes CN_GUARD_PARAMETER) {
    if (wanted <= *capacity) {
        return wanted >= 0;
    }
    CN_GUARD_MOVES(guard);
    int newCapacity = cnGrownCapacity(*capacity, wanted, smallestCapacity);
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
