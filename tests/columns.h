// Columns of a world's tables by their names, for tests that read what no public function tells.
#pragma once

#include "cairn/cairn.h"
#include "world/table_registry.h"

#include <string.h>

// First row of a column, null without one of that name.
static inline const void* findColumn(cnWorldId world, cnTableKind kind, const char* name) {
    int count = 0;
    const cnColumn* columns = cnTableColumns(kind, &count);
    for (int i = 0; i < count; ++i) {
        if (strcmp(columns[i].name, name) == 0) {
            return cnWorld_GetColumn(world, kind, i);
        }
    }
    return NULL;
}
