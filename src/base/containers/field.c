#include "base/containers/field.h"

#include <string.h>

bool cnFieldList_AreSame(cnFieldList list, const void* a, const void* b) {
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        for (int i = 0; i < field->count; ++i) {
            size_t offset = field->offset + (size_t)i * field->stride;
            if (memcmp((const char*)a + offset, (const char*)b + offset, field->bytes) != 0) {
                return false;
            }
        }
    }
    return true;
}
