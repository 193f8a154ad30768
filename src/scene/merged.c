// The section "mergedBodies" of a scene: checked to the last key, and then refused, because
// this build has none.
#include "scene/load.h"

// [a, b] or [a, b, kind] of bodies in the list.
static void CheckEdge(cnSceneLoader* loader, const cnJson* node) {
    static const char* const kinds[] = {"empty", "contactGenerator", "geometryContact", "constraint"};
    int count = cJSON_GetArraySize(node->value);
    if (!cJSON_IsArray(node->value) || count < 2 || count > 3) {
        cnJson_FailMust(node, "[a, b] or [a, b, kind]");
        return;
    }
    cnJson first = cnJson_At(node, 0);
    cnJson second = cnJson_At(node, 1);
    int row1 = cnLoader_FindNamed(loader, &first, cn_name_body);
    int row2 = cnLoader_FindNamed(loader, &second, cn_name_body);
    if (row1 == row2) {
        cnJson_Fail(node, "joins a body to itself: must name two different ones");
    }
    if (count == 3) {
        cnJson kind = cnJson_At(node, 2);
        CN_AS_CHOICE(&kind, kinds, 0);
    }
}

void cnLoadMergedBodies(cnSceneLoader* loader, const cnJson* list) {
    static const char* const keys[] = {"name", "bodies", "edges", "active"};
    for (cnJson item = cnJson_First(list, "a list of merged bodies"); cnJson_More(&item);
         cnJson_Next(&item)) {
        if (!CN_CHECK_KEYS(&item, keys, "a merged body")) {
            return;
        }
        cnJson bodies = cnJson_Get(&item, "bodies");
        for (cnJson body = cnJson_First(&bodies, "a list of names of bodies"); cnJson_More(&body);
             cnJson_Next(&body)) {
            cnLoader_FindNamed(loader, &body, cn_name_body);
        }
        cnJson edges = cnJson_Get(&item, "edges");
        for (cnJson edge = cnJson_First(&edges, "a list of edges"); cnJson_More(&edge); cnJson_Next(&edge)) {
            CheckEdge(loader, &edge);
        }
        cnJson active = cnJson_Get(&item, "active");
        cnJson_AsBoolean(&active, true);
        cnJson_NotYet(&item, "merged bodies");
    }
}
