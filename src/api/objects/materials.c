// Materials: the public functions.
#include "api/checks.h"
#include "world/sleep.h"

cnMaterialId cnCreateMaterial(cnWorldId worldId, const cnMaterialDef* def) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return (cnMaterialId){0};
    }
    cnMaterialId material = cnMaterialTables_CreateMaterial(&world->materials, def, call);
    cnWorld_PublishTables(world);
    return material;
}

cnErrorCode cnDestroyMaterial(cnWorldId worldId, cnMaterialId material) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    int row =
        world != NULL ? cnMaterialTables_FindMaterial(&world->materials, material, call, "material") : -1;
    if (row < 0) {
        return cnGetLastError()->code;
    }
    for (int g = 0; g < world->geometries.ids.rowCount; ++g) {
        if ((world->geometries.flags[g] & cn_geometryLive) != 0 && world->geometries.material[g] == row) {
            return cnFail(CN_ERROR_IN_USE, call, "material", "geometry 0x%08x has this material",
                          (unsigned)world->geometries.handle[g]);
        }
    }
    CN_TRY(cnMaterialTables_DestroyMaterial(&world->materials, material, call));
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnMaterial_IsValid(cnWorldId worldId, cnMaterialId material) {
    return cnWorld_IsValid(worldId) &&
           cnMaterialTables_IsMaterialValid(&cnFindWorld(worldId, __func__)->materials, material);
}

cnErrorCode cnMaterial_Set(cnWorldId worldId, cnMaterialId material, const cnMaterialDef* def) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnMaterialTables_SetMaterial(&world->materials, material, def, call));
    cnWakeAll(world);
    return CN_ERROR_NONE;
}

cnMaterialDef cnMaterial_Get(cnWorldId worldId, cnMaterialId material) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    return world != NULL ? cnMaterialTables_GetMaterial(&world->materials, material, call)
                         : (cnMaterialDef){0};
}

cnMaterialId cnWorld_FindMaterial(cnWorldId worldId, const char* name) {
    const char* call = __func__;
    const cnMaterialId none = {0};
    const cnWorld* world = cnReadWorld(worldId, call);
    if (world == NULL) {
        return none;
    }
    if (name == NULL) {
        cnFail(CN_ERROR_NULL_ARGUMENT, call, "name", "name is null, allowed is the name of a material");
        return none;
    }
    int row = cnMaterialTables_FindName(&world->materials, name);
    if (row < 0) {
        cnFail(CN_ERROR_UNKNOWN_NAME, call, "name",
               "name is \"%.64s\", allowed are the names of materials of the world", name);
        return none;
    }
    return (cnMaterialId){world->materials.materials.handle[row]};
}

// The body in whose frame friction has its directions; materials know no bodies.
static cnErrorCode CheckFrame(const cnWorld* world, const cnContactMaterialDef* def, const char* call) {
    if (def == NULL || (def->given & cn_contactFrictionModel) == 0 || CN_IS_NULL(def->frictionModel.frame) ||
        cnIdPool_Find(&world->bodies.ids, def->frictionModel.frame.value) >= 0) {
        return CN_ERROR_NONE;
    }
    return cnFail(CN_ERROR_STALE_HANDLE, call, "frictionModel.frame",
                  "frictionModel.frame (0x%08x) names a body that was destroyed, or one of another world",
                  (unsigned)def->frictionModel.frame.value);
}

cnContactMaterialId cnCreateContactMaterial(cnWorldId worldId, const cnContactMaterialDef* def) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL || CheckFrame(world, def, call) != CN_ERROR_NONE) {
        return (cnContactMaterialId){0};
    }
    cnContactMaterialId made = cnMaterialTables_CreateContactMaterial(&world->materials, def, call);
    if (!CN_IS_NULL(made)) {
        cnWakeAll(world);
    }
    cnWorld_PublishTables(world);
    return made;
}

cnErrorCode cnDestroyContactMaterial(cnWorldId worldId, cnContactMaterialId contactMaterial) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(cnMaterialTables_DestroyContactMaterial(&world->materials, contactMaterial, call));
    cnWakeAll(world);
    cnWorld_PublishTables(world);
    return CN_ERROR_NONE;
}

bool cnContactMaterial_IsValid(cnWorldId worldId, cnContactMaterialId contactMaterial) {
    return cnWorld_IsValid(worldId) && cnMaterialTables_IsContactMaterialValid(
                                           &cnFindWorld(worldId, __func__)->materials, contactMaterial);
}

cnErrorCode cnContactMaterial_Set(cnWorldId worldId, cnContactMaterialId contactMaterial,
                                  const cnContactMaterialDef* def) {
    const char* call = __func__;
    cnWorld* world = cnFindWorld(worldId, call);
    if (world == NULL) {
        return cnGetLastError()->code;
    }
    CN_TRY(CheckFrame(world, def, call));
    CN_TRY(cnMaterialTables_SetContactMaterial(&world->materials, contactMaterial, def, call));
    cnWakeAll(world);
    return CN_ERROR_NONE;
}

cnContactMaterialDef cnContactMaterial_Get(cnWorldId worldId, cnContactMaterialId contactMaterial) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    return world != NULL ? cnMaterialTables_GetContactMaterial(&world->materials, contactMaterial, call)
                         : (cnContactMaterialDef){0};
}

cnContactMaterialDef cnWorld_GetPairProperties(cnWorldId worldId, cnMaterialId material1,
                                               cnMaterialId material2) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    return world != NULL ? cnMaterialTables_GetPairProperties(&world->materials, material1, material2, call)
                         : (cnContactMaterialDef){0};
}

cnPairOrigins cnWorld_GetPairOrigins(cnWorldId worldId, cnMaterialId material1, cnMaterialId material2) {
    const char* call = __func__;
    const cnWorld* world = cnReadWorld(worldId, call);
    return world != NULL ? cnMaterialTables_GetPairOrigins(&world->materials, material1, material2, call)
                         : (cnPairOrigins){0};
}
