// The section "mergedBodies" of a scene: bodies that move as one from the start, or once they are active.
#include "scene/load.h"

static const char* const kinds[] = {
    [cn_mergeEdgeEmpty] = "empty",
    [cn_mergeEdgeContactGenerator] = "contactGenerator",
    [cn_mergeEdgeGeometryContact] = "geometryContact",
    [cn_mergeEdgeConstraint] = "constraint",
};

// A constraint of two bodies of the scene, null where there is none.
static cnConstraintId FindConstraint(const cnScene* scene, cnBodyId body1, cnBodyId body2) {
    for (int i = 0; i < scene->constraints.count; ++i) {
        cnConstraintId joint = scene->constraints.data[i];
        cnBodyId first = cnConstraint_GetBody(scene->world, joint, 1);
        cnBodyId second = cnConstraint_GetBody(scene->world, joint, 2);
        if ((CN_SAME_ID(first, body1) && CN_SAME_ID(second, body2)) ||
            (CN_SAME_ID(first, body2) && CN_SAME_ID(second, body1))) {
            return joint;
        }
    }
    return (cnConstraintId){0};
}

// The first geometry of a body, null where it has none.
static cnGeometryId FindGeometry(const cnScene* scene, cnBodyId body) {
    for (int i = 0; i < scene->geometries.count; ++i) {
        if (CN_SAME_ID(cnGeometry_GetBody(scene->world, scene->geometries.data[i]), body)) {
            return scene->geometries.data[i];
        }
    }
    return (cnGeometryId){0};
}

static void AddEdge(cnSceneLoader* loader, const cnJson* node, cnMergedBodyId merged, cnMergeEdgeDef* def) {
    cnScene* scene = loader->scene;
    if (def->kind == cn_mergeEdgeConstraint) {
        def->constraint = FindConstraint(scene, def->body1, def->body2);
        if (CN_IS_NULL(def->constraint)) {
            cnJson_Fail(node, "is of a constraint: must join two bodies that a constraint joins");
            return;
        }
        def->body1 = def->body2 = (cnBodyId){0}; // in its order
    } else if (def->kind != cn_mergeEdgeEmpty) {
        def->geometry1 = FindGeometry(scene, def->body1);
        def->geometry2 = FindGeometry(scene, def->body2);
        // nothing has touched yet
        def->kind = cn_mergeEdgeContactGenerator;
        if (CN_IS_NULL(def->geometry1) || CN_IS_NULL(def->geometry2)) {
            cnJson_Fail(node, "is of a contact: must join two bodies that have geometries");
            return;
        }
    }
    cnMergeEdgeId edge = cnMergedBody_AddEdge(scene->world, merged, def);
    cnLoader_Accept(node, !CN_IS_NULL(edge));
}

// [a, b] or [a, b, kind] of bodies.
static void LoadEdge(cnSceneLoader* loader, const cnJson* node, cnMergedBodyId merged) {
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
    cnMergeEdgeDef def = {.kind = cn_mergeEdgeEmpty};
    if (count == 3) {
        cnJson kind = cnJson_At(node, 2);
        def.kind = (cnMergeEdgeKind)CN_AS_CHOICE(&kind, kinds, cn_mergeEdgeEmpty);
    }
    if (cnLoader_Builds(loader)) {
        def.body1 = loader->scene->bodies.data[row1];
        def.body2 = loader->scene->bodies.data[row2];
        AddEdge(loader, node, merged, &def);
    }
}

static void LoadMergedBody(cnSceneLoader* loader, const cnJson* node) {
    static const char* const keys[] = {"name", "bodies", "edges", "active"};
    if (!CN_CHECK_KEYS(node, keys, "a merged body")) {
        return;
    }
    cnScene* scene = loader->scene;
    cnMergedBodyId merged = {0};
    if (cnLoader_Builds(loader)) { // joined once all of it is there
        merged = cnCreateMergedBody(scene->world, &(cnMergedBodyDef){.inactive = true});
        scene->mergedBodies.data[node->index] = merged;
        cnLoader_Accept(node, !CN_IS_NULL(merged));
    }
    cnJson bodies = cnJson_Get(node, "bodies");
    for (cnJson body = cnJson_First(&bodies, "a list of names of bodies"); cnJson_More(&body);
         cnJson_Next(&body)) {
        int row = cnLoader_FindNamed(loader, &body, cn_name_body);
        if (cnLoader_Builds(loader)) {
            cnErrorCode code = cnMergedBody_AddBody(scene->world, merged, scene->bodies.data[row]);
            cnLoader_Accept(&body, code == CN_ERROR_NONE);
        }
    }
    cnJson edges = cnJson_Get(node, "edges");
    for (cnJson edge = cnJson_First(&edges, "a list of edges"); cnJson_More(&edge); cnJson_Next(&edge)) {
        LoadEdge(loader, &edge, merged);
    }
    bool active = cnJson_GetBoolean(node, "active", true);
    if (cnLoader_Builds(loader) && active) {
        cnLoader_Accept(node, cnMergedBody_SetActive(scene->world, merged, true) == CN_ERROR_NONE);
    }
}

void cnLoadMergedBodies(cnSceneLoader* loader, const cnJson* list) {
    if (!cnArray_Resize(&loader->scene->mergedBodies, cJSON_GetArraySize(list->value))) {
        cnLoader_FailMemory(list);
        return;
    }
    for (cnJson item = cnJson_First(list, "a list of merged bodies"); cnJson_More(&item);
         cnJson_Next(&item)) {
        LoadMergedBody(loader, &item);
    }
}
