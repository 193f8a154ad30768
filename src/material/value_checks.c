#include "material/value_checks.h"

#include "base/report/error.h"

#include <math.h>

// No quantity of a material is larger in any unit; products of two stay far from the end of f64.
#define LARGEST_VALUE 1e30

// X(member, name, bit, range, unit)
#define MATERIAL_NUMBERS(X)                                                                                  \
    X(density, "density", cn_materialDensity, cn_rangePositive, " kg/m³")                                    \
    X(youngsModulus, "youngsModulus", cn_materialYoungsModulus, cn_rangePositive, " Pa")                     \
    X(damping, "damping", cn_materialDamping, cn_rangeNotNegative, " s")                                     \
    X(viscosity, "viscosity", cn_materialViscosity, cn_rangeFraction, "")                                    \
    X(friction, "friction", cn_materialFriction, cn_rangeNotNegative, "")                                    \
    X(restitution, "restitution", cn_materialRestitution, cn_rangeFraction, "")                              \
    X(roughness, "roughness", cn_materialRoughness, cn_rangeNotNegative, "")                                 \
    X(adhesionForce, "adhesionForce", cn_materialAdhesion, cn_rangeNotNegative, " N")                        \
    X(adhesionOverlap, "adhesionOverlap", cn_materialAdhesion, cn_rangeNotNegative, " m")                    \
    X(surfaceViscosity, "surfaceViscosity", cn_materialSurfaceViscosity, cn_rangeNotNegative, " (m/s)/N")    \
    X(minRestLength, "minRestLength", cn_materialRestLength, cn_rangePositive, " m")                         \
    X(maxRestLength, "maxRestLength", cn_materialRestLength, cn_rangePositive, " m")                         \
    X(wire.stretchModulus, "wire.stretchModulus", cn_materialWire, cn_rangeNotNegative, " Pa")               \
    X(wire.bendModulus, "wire.bendModulus", cn_materialWire, cn_rangeNotNegative, " Pa")                     \
    X(wire.stretchDamping, "wire.stretchDamping", cn_materialWire, cn_rangeNotNegative, " s")                \
    X(wire.bendDamping, "wire.bendDamping", cn_materialWire, cn_rangeNotNegative, " s")

#define CONTACT_MATERIAL_NUMBERS(X)                                                                          \
    X(friction[0], "friction", cn_contactFriction, cn_rangeNotNegative, "")                                  \
    X(friction[1], "friction", cn_contactFriction, cn_rangeNotNegative, "")                                  \
    X(restitution, "restitution", cn_contactRestitution, cn_rangeFraction, "")                               \
    X(restitutionThreshold, "restitutionThreshold", cn_contactRestitutionThreshold, cn_rangeNotNegative,     \
      " m/s")                                                                                                \
    X(youngsModulus, "youngsModulus", cn_contactYoungsModulus, cn_rangePositive, " Pa")                      \
    X(damping, "damping", cn_contactDamping, cn_rangeNotNegative, " s")                                      \
    X(adhesionForce, "adhesionForce", cn_contactAdhesion, cn_rangeNotNegative, " N")                         \
    X(adhesionOverlap, "adhesionOverlap", cn_contactAdhesion, cn_rangeNotNegative, " m")                     \
    X(surfaceViscosity[0], "surfaceViscosity", cn_contactSurfaceViscosity, cn_rangeNotNegative, " (m/s)/N")  \
    X(surfaceViscosity[1], "surfaceViscosity", cn_contactSurfaceViscosity, cn_rangeNotNegative, " (m/s)/N")  \
    X(rollingResistance[0], "rollingResistance", cn_contactRollingResistance, cn_rangeNotNegative, " m")     \
    X(rollingResistance[1], "rollingResistance", cn_contactRollingResistance, cn_rangeNotNegative, " m")     \
    X(spinningFriction, "spinningFriction", cn_contactSpinningFriction, cn_rangeNotNegative, " m")           \
    X(slide[0], "slide", cn_contactSlide, cn_rangeAny, " m/s")                                               \
    X(slide[1], "slide", cn_contactSlide, cn_rangeAny, " m/s")                                               \
    X(staticFrictionScale, "staticFrictionScale", cn_contactStaticFrictionScale, cn_rangeNotNegative, "")

cnErrorCode cnCheckQuantity(double value, cnQuantityRange range, const char* name, const char* unit,
                            const char* call) {
    static const char* const allowedTexts[] = {"> 0", ">= 0", "0…1", "any number"};
    const char* allowed = allowedTexts[range];
    if (!isfinite(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, name, "%s is not a finite number, allowed is %s%s", name,
                      allowed, unit);
    }
    bool isTooSmall = range == cn_rangePositive ? value <= 0.0 : value < 0.0 && range != cn_rangeAny;
    bool isTooLarge = range == cn_rangeFraction && value > 1.0;
    if (isTooSmall || isTooLarge) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s is %g%s, allowed is %s%s", name, value, unit,
                      allowed, unit);
    }
    if (fabs(value) > LARGEST_VALUE) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s is %g%s, allowed is at most %g%s", name, value,
                      unit, LARGEST_VALUE, unit);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckWord(int number, int last, const char* name, const char* call) {
    // compilers may choose an unsigned type for an enum
    return number >= 0 && number <= last
               ? CN_ERROR_NONE
               : cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s is %d, allowed is 0…%d", name, number, last);
}

cnFrictionModelType cnModelOfMaterial(cnMaterialFrictionModel model) {
    static const cnFrictionModelType types[] = {
        [cn_materialFrictionNeutral] = cn_frictionCone,
        [cn_materialFrictionCone] = cn_frictionCone,
        [cn_materialFrictionScaledBox] = cn_frictionScaledBox,
        [cn_materialFrictionScaledBoxFast] = cn_frictionScaledBoxFast,
        [cn_materialFrictionBox] = cn_frictionBox,
        [cn_materialFrictionNone] = cn_frictionNone,
    };
    return types[model];
}

static cnErrorCode CheckGiven(uint32_t given, uint32_t known, const char* call) {
    if ((given & ~known) != 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "given", "given has the bits 0x%x that name no field",
                      (unsigned)(given & ~known));
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckMaterialPointer(const void* def, const char* call) {
    return def != NULL ? CN_ERROR_NONE
                       : cnFail(CN_ERROR_NULL_ARGUMENT, call, "def",
                                "def is null, allowed is a pointer to a definition");
}

static cnErrorCode CheckAlias(uint32_t given, uint32_t alias, uint32_t original, const char* name,
                              const char* originalName, const char* call) {
    if ((given & alias) != 0 && (given & original) != 0) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, name,
                      "%s is given together with %s, of which it is another form, allowed is one of them",
                      name, originalName);
    }
    return CN_ERROR_NONE;
}

cnMaterialDef cnWithoutAliases(const cnMaterialDef* def) {
    cnMaterialDef plain = *def;
    if ((def->given & cn_materialFriction) != 0) {
        plain.roughness = def->friction;
        plain.given |= cn_materialRoughness;
    }
    if ((def->given & cn_materialRestitution) != 0) {
        plain.viscosity = 1.0 - def->restitution;
        plain.given |= cn_materialViscosity;
    }
    plain.given &= ~CN_MATERIAL_ALIASES;
    return plain;
}

cnErrorCode cnCheckMaterialValues(const cnMaterialDef* def, const char* call) {
    cnErrorCode error = CheckGiven(def->given, CN_ALL_MATERIAL_FIELDS | CN_MATERIAL_ALIASES, call);
#define X(member, name, bit, range, unit)                                                                    \
    if (error == CN_ERROR_NONE && (def->given & (bit)) != 0) {                                               \
        error = cnCheckQuantity(def->member, range, name, unit, call);                                       \
    }
    MATERIAL_NUMBERS(X)
#undef X
    if (error != CN_ERROR_NONE) {
        return error;
    }
    if ((def->given & cn_materialRestLength) != 0 && def->maxRestLength < def->minRestLength) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "maxRestLength",
                      "maxRestLength is %g m, allowed is >= minRestLength, which is %g m", def->maxRestLength,
                      def->minRestLength);
    }
    CN_TRY(CheckAlias(def->given, cn_materialFriction, cn_materialRoughness, "friction", "roughness", call));
    CN_TRY(CheckAlias(def->given, cn_materialRestitution, cn_materialViscosity, "restitution", "viscosity",
                      call));
    if ((def->given & cn_materialFrictionModel) != 0) {
        CN_TRY(CheckWord((int)def->frictionModel, cn_materialFrictionNone, "frictionModel", call));
    }
    return CN_ERROR_NONE;
}

// ---- contact materials ------------------------------------------------------------------------------------

cnContactArea cnCompleteContactArea(const cnContactArea* area) {
    const cnContactArea defaults = {.minRestLength = 0.001, .maxRestLength = 0.1}; // docs/physics.md
    return (cnContactArea){
        .enabled = area->enabled,
        .minRestLength = area->minRestLength == 0.0 ? defaults.minRestLength : area->minRestLength,
        .maxRestLength = area->maxRestLength == 0.0 ? defaults.maxRestLength : area->maxRestLength,
    };
}

static cnErrorCode CheckContactArea(const cnContactArea* given, const char* call) {
    CN_TRY(
        cnCheckQuantity(given->minRestLength, cn_rangeNotNegative, "contactArea.minRestLength", " m", call));
    CN_TRY(
        cnCheckQuantity(given->maxRestLength, cn_rangeNotNegative, "contactArea.maxRestLength", " m", call));
    cnContactArea area = cnCompleteContactArea(given);
    if (area.maxRestLength < area.minRestLength) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "contactArea.maxRestLength",
                      "contactArea.maxRestLength is %g m, allowed is >= minRestLength, which is %g m",
                      area.maxRestLength, area.minRestLength);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckFrictionModel(const cnFrictionModel* model, const char* call) {
    CN_TRY(CheckWord((int)model->type, cn_frictionNone, "frictionModel.type", call));
    CN_TRY(CheckWord((int)model->solve, cn_frictionSolveDirectAndIterative, "frictionModel.solve", call));
    const double primary[] = {model->primary.x, model->primary.y, model->primary.z};
    for (int i = 0; i < 3; ++i) {
        CN_TRY(cnCheckQuantity(primary[i], cn_rangeAny, "frictionModel.primary", "", call));
    }
    bool isOriented = primary[0] != 0.0 || primary[1] != 0.0 || primary[2] != 0.0;
    if (!CN_IS_NULL(model->frame) && !isOriented) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "frictionModel.primary",
                      "frictionModel.primary is zero, allowed with a frame is a direction in it");
    }
    for (int i = 0; i < 2; ++i) {
        if (model->forceGiven) {
            CN_TRY(cnCheckQuantity(model->force[i], cn_rangeNotNegative, "frictionModel.force", " N", call));
        }
        CN_TRY(cnCheckQuantity(model->acceleration[i], cn_rangeNotNegative, "frictionModel.acceleration",
                               " m/s²", call));
    }
    return cnCheckQuantity(model->normalForce, cn_rangeNotNegative, "frictionModel.normalForce",
                           model->depthScaled ? " N/m" : " N", call);
}

cnErrorCode cnCheckContactMaterialValues(const cnContactMaterialDef* def, const char* call) {
    CN_TRY(CheckGiven(def->given, CN_ALL_CONTACT_MATERIAL_FIELDS, call));
#define X(member, name, bit, range, unit)                                                                    \
    if ((def->given & (bit)) != 0) {                                                                         \
        CN_TRY(cnCheckQuantity(def->member, range, name, unit, call));                                       \
    }
    CONTACT_MATERIAL_NUMBERS(X)
#undef X
    if ((def->given & cn_contactFrictionModel) != 0) {
        CN_TRY(CheckFrictionModel(&def->frictionModel, call));
    }
    if ((def->given & cn_contactArea) != 0) {
        CN_TRY(CheckContactArea(&def->contactArea, call));
    }
    return CN_ERROR_NONE;
}
