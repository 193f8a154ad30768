// Materials and contact materials of one world: tables of columns, handles, lookup of explicit pairs.
//
// In come definitions from the public functions, each with the public function's name for the errors; out go
// rows that geometries name and that cnResolvePair (pair_properties.h) combines. Nothing here knows
// geometries: whoever destroys a material first makes sure that no geometry has it.
#pragma once

#include "base/containers/array.h"
#include "base/containers/hash_map.h"
#include "base/containers/id_pool.h"
#include "base/containers/table.h"
#include "cairn/types.h"
#include "material/library.h"
#include "material/pair_cache.h"

// Row of the material that geometries without one have.
#define CN_DEFAULT_MATERIAL_ROW (-1)

typedef double cnDouble2[2];
typedef double cnDouble3[3];
typedef double cnDouble4[4];

// With the zero that ends it, and zeros behind.
#define CN_MATERIAL_NAME_SIZE 64
typedef char cnMaterialName[CN_MATERIAL_NAME_SIZE];
typedef int32_t cnInt2[2];

enum {
    cn_materialLive = 1 << 0,
    cn_materialShared = 1 << 1, // ends with its last geometry
    cn_contactMaterialLive = 1 << 0,
};

// X(T, name, C type, scalar, lanes, role)
#define CN_MATERIAL_COLUMNS(X, T)                                                                            \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_input)                                                               \
    X(T, density, double, cn_f64, 1, cn_input)       /* kg/m³ */                                            \
    X(T, youngsModulus, double, cn_f64, 1, cn_input) /* Pa */                                                \
    X(T, damping, double, cn_f64, 1, cn_input)       /* s */                                                 \
    X(T, viscosity, double, cn_f64, 1, cn_input)     /* 0…1 */                                             \
    X(T, roughness, double, cn_f64, 1, cn_input)                                                             \
    X(T, adhesion, cnDouble2, cn_f64, 2, cn_input)      /* N, m */                                           \
    X(T, surfaceViscosity, double, cn_f64, 1, cn_input) /* (m/s)/N */                                        \
    X(T, restLength, cnDouble2, cn_f64, 2, cn_input)    /* m, least and largest */                           \
    X(T, contactReduction, uint8_t, cn_u8, 1, cn_input)                                                      \
    X(T, users, int32_t, cn_i32, 1, cn_derived)       /* geometries that have it */                          \
    X(T, libraryItem, int32_t, cn_i32, 1, cn_input)   /* row of the library, -1 without */                   \
    X(T, overridden, uint32_t, cn_u32, 1, cn_input)   /* cnMaterialField bits that the user gave */          \
    X(T, wire, cnDouble4, cn_f64, 4, cn_input)        /* Pa, Pa, s, s; 0: as of the bulk */                  \
    X(T, frictionModel, int32_t, cn_i32, 1, cn_input) /* cnMaterialFrictionModel */                          \
    X(T, name, cnMaterialName, cn_u8, 64, cn_reading) /* UTF-8 with a zero behind, empty: none */

typedef struct cnMaterialTable {
    CN_MATERIAL_COLUMNS(CN_COLUMN_FIELD, cnMaterialTable)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnMaterialTable;

extern const cnColumnList cnMaterialColumns;

// X(T, name, C type, scalar, lanes, role)
#define CN_CONTACT_MATERIAL_COLUMNS(X, T)                                                                    \
    X(T, handle, uint32_t, cn_u32, 1, cn_reading)                                                            \
    X(T, flags, uint32_t, cn_u32, 1, cn_input)                                                               \
    X(T, materials, cnInt2, cn_i32, 2, cn_input)            /* rows, as given */                             \
    X(T, friction, cnDouble2, cn_f64, 2, cn_input)          /* primary, secondary */                         \
    X(T, restitution, double, cn_f64, 1, cn_input)          /* 0…1 */                                      \
    X(T, restitutionThreshold, double, cn_f64, 1, cn_input) /* m/s */                                        \
    X(T, youngsModulus, double, cn_f64, 1, cn_input)        /* Pa */                                         \
    X(T, damping, double, cn_f64, 1, cn_input)              /* s */                                          \
    X(T, adhesion, cnDouble2, cn_f64, 2, cn_input)          /* N, m */                                       \
    X(T, surfaceViscosity, cnDouble2, cn_f64, 2, cn_input)  /* (m/s)/N, primary, secondary */                \
    X(T, contactReduction, uint8_t, cn_u8, 1, cn_input)                                                      \
    X(T, frictionModel, int32_t, cn_i32, 1, cn_input) /* cnFrictionModelType */                              \
    X(T, frictionSolve, int32_t, cn_i32, 1, cn_input) /* cnFrictionSolve */                                  \
    X(T, exactCone, uint8_t, cn_u8, 1, cn_input)                                                             \
    X(T, frameHandle, uint32_t, cn_u32, 1, cn_reading)                                                       \
    X(T, frame, int32_t, cn_i32, 1, cn_input)     /* row of a body, -1: world axes */                        \
    X(T, primary, cnDouble3, cn_f64, 3, cn_input) /* in the frame, zero: none */                             \
    X(T, forceGiven, uint8_t, cn_u8, 1, cn_input)                                                            \
    X(T, force, cnDouble2, cn_f64, 2, cn_input)        /* N, primary, secondary */                           \
    X(T, acceleration, cnDouble2, cn_f64, 2, cn_input) /* m/s² */                                           \
    X(T, normalForce, double, cn_f64, 1, cn_input)     /* N, or N/m where scaled with the depth */           \
    X(T, depthScaled, uint8_t, cn_u8, 1, cn_input)                                                           \
    X(T, contactArea, uint8_t, cn_u8, 1, cn_input)          /* elastic foundation */                         \
    X(T, restLength, cnDouble2, cn_f64, 2, cn_input)        /* m, least and largest */                       \
    X(T, rollingResistance, cnDouble2, cn_f64, 2, cn_input) /* m, primary, secondary */                      \
    X(T, spinningFriction, double, cn_f64, 1, cn_input)     /* m */                                          \
    X(T, slide, cnDouble2, cn_f64, 2, cn_input)             /* m/s, primary, secondary */                    \
    X(T, staticFrictionScale, double, cn_f64, 1, cn_input)

typedef struct cnContactMaterialTable {
    CN_CONTACT_MATERIAL_COLUMNS(CN_COLUMN_FIELD, cnContactMaterialTable)
    cnIdPool ids;
    CN_TABLE_FIELDS
} cnContactMaterialTable;

// The values of a row, as initialisers of a cnContactMaterialDef or of cnPairProperties, whose members have
// the same names.
#define CN_CONTACT_MATERIAL_VALUES(table, row)                                                               \
    .friction = {(table)->friction[row][0], (table)->friction[row][1]},                                      \
    .restitution = (table)->restitution[row], .restitutionThreshold = (table)->restitutionThreshold[row],    \
    .youngsModulus = (table)->youngsModulus[row], .damping = (table)->damping[row],                          \
    .adhesionForce = (table)->adhesion[row][0], .adhesionOverlap = (table)->adhesion[row][1],                \
    .surfaceViscosity = {(table)->surfaceViscosity[row][0], (table)->surfaceViscosity[row][1]},              \
    .contactReduction = (table)->contactReduction[row] != 0,                                                 \
    .frictionModel = {.type = (cnFrictionModelType)(table)->frictionModel[row],                              \
                      .solve = (cnFrictionSolve)(table)->frictionSolve[row],                                 \
                      .exactCone = (table)->exactCone[row] != 0,                                             \
                      .frame = {(table)->frameHandle[row]},                                                  \
                      .primary = {(table)->primary[row][0], (table)->primary[row][1],                        \
                                  (table)->primary[row][2]},                                                 \
                      .forceGiven = (table)->forceGiven[row] != 0,                                           \
                      .force = {(table)->force[row][0], (table)->force[row][1]},                             \
                      .acceleration = {(table)->acceleration[row][0], (table)->acceleration[row][1]},        \
                      .normalForce = (table)->normalForce[row],                                              \
                      .depthScaled = (table)->depthScaled[row] != 0},                                        \
    .contactArea = {.enabled = (table)->contactArea[row] != 0,                                               \
                    .minRestLength = (table)->restLength[row][0],                                            \
                    .maxRestLength = (table)->restLength[row][1]},                                           \
    .rollingResistance = {(table)->rollingResistance[row][0], (table)->rollingResistance[row][1]},           \
    .spinningFriction = (table)->spinningFriction[row],                                                      \
    .slide = {(table)->slide[row][0], (table)->slide[row][1]},                                               \
    .staticFrictionScale = (table)->staticFrictionScale[row]

extern const cnColumnList cnContactMaterialColumns;

typedef struct cnMaterialTables {
    cnMaterialTable materials;
    cnContactMaterialTable contactMaterials;
    cnHashMap pairs;           // from two material rows to the row of their contact material
    cnMaterialLibrary library; // up to date whenever a material was made of it
    cnPairCache cache;
    uint32_t revision; // goes up whenever a pair may have got other properties, and with the density
} cnMaterialTables;

// `seed` sets the first generations of the handles. Takes no memory.
void cnMaterialTables_Init(cnMaterialTables* tables, uint32_t seed);
void cnMaterialTables_Free(cnMaterialTables* tables);

// Values of the material that geometries without one have, all fields given.
cnMaterialDef cnDefaultMaterial(void);

// Values of a contact material that gives nothing; null materials.
cnContactMaterialDef cnDefaultContactMaterial(void);

// kg/m³; the row may be CN_DEFAULT_MATERIAL_ROW.
double cnMaterialTables_GetDensity(const cnMaterialTables* tables, int materialRow);

// All values of a live row or of CN_DEFAULT_MATERIAL_ROW.
cnMaterialDef cnMaterialTables_ReadRow(const cnMaterialTables* tables, int materialRow);

// All values of a live row of contact materials, without its materials.
cnContactMaterialDef cnMaterialTables_ReadContactRow(const cnMaterialTables* tables, int row);

// Row of a live handle; -1 after CN_ERROR_NULL_HANDLE or CN_ERROR_STALE_HANDLE for `argument`.
int cnMaterialTables_FindMaterial(const cnMaterialTables* tables, cnMaterialId material, const char* call,
                                  const char* argument);
int cnMaterialTables_FindContactMaterial(const cnMaterialTables* tables, cnContactMaterialId contactMaterial,
                                         const char* call, const char* argument);

// Rows of two live handles, of which either may be null: the default material. Errors:
// CN_ERROR_STALE_HANDLE for "material1" or "material2".
cnErrorCode cnMaterialTables_FindTwo(const cnMaterialTables* tables, cnMaterialId material1,
                                     cnMaterialId material2, int rows[2], const char* call);

// Of a live row; null of CN_DEFAULT_MATERIAL_ROW.
cnMaterialId cnMaterialTables_HandleOf(const cnMaterialTables* tables, int materialRow);

// Row of the material with the name, -1 where none has it. Never an error.
int cnMaterialTables_FindName(const cnMaterialTables* tables, const char* name);

// Of the library up to the last item that a material starts from; 0 where none does, 1 where one starts from
// an item that there is not.
uint64_t cnMaterialTables_GetLibraryFingerprint(const cnMaterialTables* tables);

// Never an error.
bool cnMaterialTables_IsMaterialValid(const cnMaterialTables* tables, cnMaterialId material);
bool cnMaterialTables_IsContactMaterialValid(const cnMaterialTables* tables,
                                             cnContactMaterialId contactMaterial);

// What cnCreateMaterial, cnMaterial_Set, … do. The errors are theirs (cairn.h) and CN_ERROR_NULL_ARGUMENT,
// _NOT_FINITE, _OUT_OF_RANGE, _TOO_MANY, _OUT_OF_MEMORY, _FILE (the library).
// After an error nothing has changed, but that what is new in the library may have been taken in.
cnMaterialId cnMaterialTables_CreateMaterial(cnMaterialTables* tables, const cnMaterialDef* def,
                                             const char* call);

// A library item may be named only if it is the one that the material started from.
cnErrorCode cnMaterialTables_SetMaterial(cnMaterialTables* tables, cnMaterialId material,
                                         const cnMaterialDef* def, const char* call);

// The name of the library item lives as long as the tables, the material's until materials change. Zeros
// after an error.
cnMaterialDef cnMaterialTables_GetMaterial(const cnMaterialTables* tables, cnMaterialId material,
                                           const char* call);

// Contact materials that name it go with it. The caller has checked that no geometry has it.
cnErrorCode cnMaterialTables_DestroyMaterial(cnMaterialTables* tables, cnMaterialId material,
                                             const char* call);

cnContactMaterialId cnMaterialTables_CreateContactMaterial(cnMaterialTables* tables,
                                                           const cnContactMaterialDef* def, const char* call);

// All fields; zeros after an error.
cnContactMaterialDef cnMaterialTables_GetContactMaterial(const cnMaterialTables* tables,
                                                         cnContactMaterialId contactMaterial,
                                                         const char* call);

// The pair in the definition is not looked at.
cnErrorCode cnMaterialTables_SetContactMaterial(cnMaterialTables* tables, cnContactMaterialId contactMaterial,
                                                const cnContactMaterialDef* def, const char* call);
cnErrorCode cnMaterialTables_DestroyContactMaterial(cnMaterialTables* tables,
                                                    cnContactMaterialId contactMaterial, const char* call);

// Friction models in the frame of a body that ends are in world axes from then on.
void cnMaterialTables_ForgetBody(cnMaterialTables* tables, int bodyRow);

// All that name the material.
void cnMaterialTables_DestroyContactMaterialsOf(cnMaterialTables* tables, int materialRow);

// Makes a live contact material known by its materials, which have none. Room in `pairs` was reserved.
void cnMaterialTables_MapPair(cnMaterialTables* tables, int contactMaterialRow);

// ---- shared_materials.c -----------------------------------------------------------------------------------

// Row of the material with the roughness and the viscosity of a definition and else the default values that
// geometries share, made where there is none; -1 after an error. It lives as long as it has users: the caller
// adds one, or adds and drops one.
int cnMaterialTables_Share(cnMaterialTables* tables, const cnMaterialDef* def, const char* call);

// A geometry more or less that has the material; the row may be CN_DEFAULT_MATERIAL_ROW.
void cnMaterialTables_AddUser(cnMaterialTables* tables, int materialRow);
void cnMaterialTables_DropUser(cnMaterialTables* tables, int materialRow);

// ---- contact_material_table.c -----------------------------------------------------------------------------

// Row of the contact material of two materials, in either order; -1 where there is none. O(1).
int cnMaterialTables_FindPair(const cnMaterialTables* tables, int materialRow1, int materialRow2);
