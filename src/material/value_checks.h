// What the fields of material definitions may hold: one list for the public functions and for the library's
// files.
#pragma once

#include "cairn/types.h"

// All bits of `given`.
#define CN_ALL_MATERIAL_FIELDS ((uint32_t)((cn_materialFrictionModel << 1) - 1))
#define CN_ALL_CONTACT_MATERIAL_FIELDS ((uint32_t)((cn_contactStaticFrictionScale << 1) - 1))

// Bits of other names for fields, which no row has.
#define CN_MATERIAL_ALIASES ((uint32_t)(cn_materialFriction | cn_materialRestitution))

typedef enum cnQuantityRange {
    cn_rangePositive,
    cn_rangeNotNegative,
    cn_rangeFraction,
    cn_rangeAny,
} cnQuantityRange;

// A number that is finite and in its range. Errors name it: CN_ERROR_NOT_FINITE, CN_ERROR_OUT_OF_RANGE.
cnErrorCode cnCheckQuantity(double value, cnQuantityRange range, const char* name, const char* unit,
                            const char* call);

// A definition that is there.
cnErrorCode cnCheckMaterialPointer(const void* def, const char* call);

// Checks the fields whose bits are set in `given`. Errors name the field: CN_ERROR_NOT_FINITE,
// CN_ERROR_OUT_OF_RANGE (also for bits that no field has).
cnErrorCode cnCheckMaterialValues(const cnMaterialDef* def, const char* call);
cnErrorCode cnCheckContactMaterialValues(const cnContactMaterialDef* def, const char* call);

// With the roughness and the viscosity that the aliases stand for; the definition has passed the checks.
cnMaterialDef cnWithoutAliases(const cnMaterialDef* def);

// Of a pair in which nothing else counts.
cnFrictionModelType cnModelOfMaterial(cnMaterialFrictionModel model);

// With the default limits in place of zeros.
cnContactArea cnCompleteContactArea(const cnContactArea* area);
