#include "material/library.h"

#include "base/containers/hash.h"

#include <string.h>

void cnMaterialLibrary_Free(cnMaterialLibrary* library) {
    cnArray_Free(&library->materials);
    cnArray_Free(&library->pairs);
    cnArray_Free(&library->properties);
    cnHashMap_Free(&library->pairOfItems);
    library->newest = NULL;
}

uint64_t cnLibrary_PairKey(int item1, int item2) {
    int smaller = item1 < item2 ? item1 : item2;
    int larger = item1 < item2 ? item2 : item1;
    return (uint64_t)larger << 32 | (uint32_t)(smaller + 1);
}

int cnMaterialLibrary_FindItem(const cnMaterialLibrary* library, const char* name) {
    for (int i = 0; i < library->materials.count; ++i) {
        if (strcmp(library->materials.data[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const cnMaterialItem* cnMaterialLibrary_FindMaterial(const cnMaterialLibrary* library, const char* name) {
    int item = cnMaterialLibrary_FindItem(library, name);
    return item < 0 ? NULL : &library->materials.data[item];
}

const cnPairItem* cnMaterialLibrary_FindPair(const cnMaterialLibrary* library, int item1, int item2) {
    if (item1 < 0 || item2 < 0) {
        return NULL;
    }
    const int32_t* pair = cnHashMap_Find(&library->pairOfItems, cnLibrary_PairKey(item1, item2));
    return pair == NULL ? NULL : &library->pairs.data[*pair];
}

uint64_t cnMaterialLibrary_GetFingerprint(const cnMaterialLibrary* library, int itemCount) {
    cnHash sum = cnHash_Start();
    for (int i = 0; i < itemCount; ++i) {
        cnHash_AddU64(&sum, library->materials.data[i].checksum);
    }
    for (int i = 0; i < library->pairs.count; ++i) {
        const cnPairItem* pair = &library->pairs.data[i];
        if (pair->items[0] < itemCount && pair->items[1] < itemCount) {
            cnHash_AddU64(&sum, pair->checksum);
        }
    }
    return sum.value | 2; // neither 0 nor 1
}
