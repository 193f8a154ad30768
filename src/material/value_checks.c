#include "material/value_checks.h"

#include "base/report/error.h"

#include <math.h>

// No quantity of a material is larger in any unit; products of two stay far from the end of f64.
#define LARGEST_VALUE 1e30

typedef enum NumberRange {
    cn_rangePositive,
    cn_rangeNotNegative,
    cn_rangeFraction,
} NumberRange;

// X(member, bit, range, unit)
#define MATERIAL_NUMBERS(X)                                                                                  \
    X(density, cn_materialDensity, cn_rangePositive, " kg/m³")                                               \
    X(youngsModulus, cn_materialYoungsModulus, cn_rangePositive, " Pa")                                      \
    X(damping, cn_materialDamping, cn_rangeNotNegative, " s")                                                \
    X(viscosity, cn_materialViscosity, cn_rangeFraction, "")                                                 \
    X(roughness, cn_materialRoughness, cn_rangeNotNegative, "")                                              \
    X(adhesionForce, cn_materialAdhesion, cn_rangeNotNegative, " N")                                         \
    X(adhesionOverlap, cn_materialAdhesion, cn_rangeNotNegative, " m")                                       \
    X(surfaceViscosity, cn_materialSurfaceViscosity, cn_rangeNotNegative, " (m/s)/N")                        \
    X(minRestLength, cn_materialRestLength, cn_rangePositive, " m")                                          \
    X(maxRestLength, cn_materialRestLength, cn_rangePositive, " m")

// X(member, name, bit, range, unit)
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
    X(surfaceViscosity[1], "surfaceViscosity", cn_contactSurfaceViscosity, cn_rangeNotNegative, " (m/s)/N")

static cnErrorCode CheckNumber(double value, NumberRange range, const char* name, const char* unit,
                               const char* call) {
    static const char* const allowedTexts[] = {"> 0", ">= 0", "0…1"};
    const char* allowed = allowedTexts[range];
    if (!isfinite(value)) {
        return cnFail(CN_ERROR_NOT_FINITE, call, name, "%s is not a finite number, allowed is %s%s", name,
                      allowed, unit);
    }
    bool isTooSmall = range == cn_rangePositive ? value <= 0.0 : value < 0.0;
    bool isTooLarge = range == cn_rangeFraction && value > 1.0;
    if (isTooSmall || isTooLarge) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s is %g%s, allowed is %s%s", name, value, unit,
                      allowed, unit);
    }
    if (value > LARGEST_VALUE) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, name, "%s is %g%s, allowed is at most %g%s", name, value,
                      unit, LARGEST_VALUE, unit);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckAdhesion(double force, double overlap, const char* call) {
    if (force > 0.0 || overlap > 0.0) {
        return cnFail(CN_ERROR_NOT_SUPPORTED_YET, call, force > 0.0 ? "adhesionForce" : "adhesionOverlap",
                      "adhesion of %g N up to an overlap of %g m is not supported yet, allowed is 0", force,
                      overlap);
    }
    return CN_ERROR_NONE;
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

cnErrorCode cnCheckMaterialValues(const cnMaterialDef* def, const char* call) {
    cnErrorCode error = CheckGiven(def->given, CN_ALL_MATERIAL_FIELDS, call);
#define X(member, bit, range, unit)                                                                          \
    if (error == CN_ERROR_NONE && (def->given & (bit)) != 0) {                                               \
        error = CheckNumber(def->member, range, #member, unit, call);                                        \
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
    if ((def->given & cn_materialAdhesion) != 0) {
        return CheckAdhesion(def->adhesionForce, def->adhesionOverlap, call);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckIsotropic(const double values[2], const char* name, const char* call) {
    if (values[0] != values[1]) {
        return cnFail(
            CN_ERROR_NOT_SUPPORTED_YET, call, name,
            "%s is (%g, %g); two different directions are not supported yet, allowed are equal values", name,
            values[0], values[1]);
    }
    return CN_ERROR_NONE;
}

static cnErrorCode CheckFrictionModel(cnFrictionModelType model, const char* call) {
    // compilers may choose an unsigned type for the enum
    int number = (int)model;
    if (number < cn_frictionCone || number > cn_frictionNone) {
        return cnFail(CN_ERROR_OUT_OF_RANGE, call, "frictionModel", "frictionModel is %d, allowed is %d…%d",
                      number, cn_frictionCone, cn_frictionNone);
    }
    if (model != cn_frictionCone && model != cn_frictionNone) {
        return cnFail(CN_ERROR_NOT_SUPPORTED_YET, call, "frictionModel",
                      "frictionModel %d is not supported yet, allowed are cone (%d) and none (%d)", number,
                      cn_frictionCone, cn_frictionNone);
    }
    return CN_ERROR_NONE;
}

cnErrorCode cnCheckContactMaterialValues(const cnContactMaterialDef* def, const char* call) {
    cnErrorCode error = CheckGiven(def->given, CN_ALL_CONTACT_MATERIAL_FIELDS, call);
#define X(member, name, bit, range, unit)                                                                    \
    if (error == CN_ERROR_NONE && (def->given & (bit)) != 0) {                                               \
        error = CheckNumber(def->member, range, name, unit, call);                                           \
    }
    CONTACT_MATERIAL_NUMBERS(X)
#undef X
    if (error == CN_ERROR_NONE && (def->given & cn_contactFriction) != 0) {
        error = CheckIsotropic(def->friction, "friction", call);
    }
    if (error == CN_ERROR_NONE && (def->given & cn_contactSurfaceViscosity) != 0) {
        error = CheckIsotropic(def->surfaceViscosity, "surfaceViscosity", call);
    }
    if (error == CN_ERROR_NONE && (def->given & cn_contactAdhesion) != 0) {
        error = CheckAdhesion(def->adhesionForce, def->adhesionOverlap, call);
    }
    if (error == CN_ERROR_NONE && (def->given & cn_contactFrictionModel) != 0) {
        error = CheckFrictionModel(def->frictionModel.type, call);
    }
    return error;
}
