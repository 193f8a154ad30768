// What a world relies on beyond cnValidateWorld, because the public functions let nothing else in: asked of
// tables that come from outside.
#include "world/snapshot/format.h"

#include "base/containers/hash.h"
#include "collide/pairs/contact_reduction.h"
#include "dynamics/joint.h"
#include "geometry/meshes/height_field.h"
#include "material/value_checks.h"

#include <string.h>

// ---- before the tables can be walked ----------------------------------------------------------------------

static bool IsIn(double value, double min, double max) {
    return value >= min && value <= max;
}

static bool CheckSettings(const cnWorld* world, cnFault* fault) {
    const cnGravity* gravity = &world->gravity;
    CN_CHECK(fault,
             IsIn(world->timeStep, 1e-6, 1.0) && cnIsFinite(world->time) && cnIsFinite(world->stepCount) &&
                 cnIsFinite(world->maxPenetration),
             "world: time step %g s, time %g s, step %g", world->timeStep, world->time, world->stepCount);
    CN_CHECK(fault,
             (int)gravity->type > cn_gravityDefault && gravity->type <= cn_gravityKepler &&
                 cnIsFiniteVec(gravity->acceleration) && cnIsFiniteVec(gravity->centre) &&
                 cnIsFinite(gravity->magnitude) && cnIsFinite(gravity->mu),
             "world: gravity of type %d, or not finite", (int)gravity->type);
    const cnSolverSettings* solver = &world->solver;
    CN_CHECK(fault,
             (int)solver->type >= cn_solverAuto && solver->type <= cn_solverSplit && solver->substeps >= 0 &&
                 solver->substeps <= 64 && solver->iterations >= 0 && solver->iterations <= 1000,
             "world: solver of type %d with %d substeps and %d iterations", (int)solver->type,
             solver->substeps, solver->iterations);
    const cnSleepSettings* sleep = &world->sleep;
    CN_CHECK(fault,
             IsIn(sleep->linear, 0.0, 1e30) && IsIn(sleep->angular, 0.0, 1e30) &&
                 IsIn(sleep->time, 0.0, 1e30),
             "world: what is slower than %g m/s and %g rad/s for %g s sleeps", sleep->linear, sleep->angular,
             sleep->time);
#define CN_CHECK_THRESHOLD(member, otherwise, unit)                                                          \
    CN_CHECK(fault, IsIn(world->mergeSplit.member, 0.0, 1e30), "world: mergeSplit." #member " is %g",        \
             world->mergeSplit.member);
    CN_MERGE_THRESHOLDS(CN_CHECK_THRESHOLD)
#undef CN_CHECK_THRESHOLD
    CN_CHECK(
        fault,
        (int)world->contactReduction >= cn_reductionMaterial && world->contactReduction <= cn_reductionAll &&
            world->reductionResolution >= 1 && world->reductionResolution <= CN_REDUCTION_MAX_RESOLUTION,
        "world: contact reduction %d with %d bins", (int)world->contactReduction, world->reductionResolution);
    return true;
}

// Members of rows that are read as bool. The bytes of a record come from outside: a bool that is neither 0
// nor 1 must not be read.
static bool CheckFlags(const char* table, const void* rows, size_t rowBytes, int count, cnFieldList list,
                       cnFault* fault) {
    for (int f = 0; f < list.count; ++f) {
        const cnField* field = &list.fields[f];
        for (int row = 0; row < count && field->scalar == cn_u8; ++row) {
            const unsigned char* at = (const unsigned char*)rows + (size_t)row * rowBytes + field->offset;
            for (int i = 0; i < field->count; ++i) {
                CN_CHECK(fault, at[(size_t)i * field->stride] <= 1, "%s: row %d has a %s that is no flag",
                         table, row, field->name);
            }
        }
    }
    return true;
}

static bool CheckProxyNumbers(const cnWorld* world, cnFault* fault) {
    int proxies = world->proxies.capacity;
    const cnPairTable* table = &world->pairs;
    CN_CHECK(fault, table->heads.rows.count == table->pairs.count, "pairs: %d have %d heads",
             table->pairs.count, table->heads.rows.count);
    for (int i = 0; i < table->pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(table, i);
        const cnPairHead* head = &table->heads.rows.data[i];
        CN_CHECK(fault, head->proxy1 == pair->proxy1 && head->proxy2 == pair->proxy2,
                 "pairs: row %d of proxies %d and %d has the head of %d and %d", i, pair->proxy1,
                 pair->proxy2, head->proxy1, head->proxy2);
        CN_CHECK(fault,
                 pair->proxy1 >= 0 && pair->proxy2 > pair->proxy1 && pair->proxy2 < proxies &&
                     pair->part <= CN_PAIR_MANIFOLDS && pair->concave >= -1,
                 "pairs: row %d of proxies %d and %d, part %d, concave %d", i, pair->proxy1, pair->proxy2,
                 pair->part, pair->concave);
    }
    CN_CHECK(fault, table->distantHeads.rows.count == table->distant.count, "distant pairs: %d have %d heads",
             table->distant.count, table->distantHeads.rows.count);
    for (int row = 0; row < table->distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(table, row);
        const cnPairHead* head = &table->distantHeads.rows.data[row];
        CN_CHECK(fault, head->proxy1 == pair->proxy1 && head->proxy2 == pair->proxy2,
                 "distant pairs: row %d of proxies %d and %d has the head of %d and %d", row, pair->proxy1,
                 pair->proxy2, head->proxy1, head->proxy2);
        CN_CHECK(fault, pair->proxy1 >= 0 && pair->proxy2 > pair->proxy1 && pair->proxy2 < proxies,
                 "distant pairs: row %d of proxies %d and %d", row, pair->proxy1, pair->proxy2);
    }
    for (int i = 0; i < table->concaves.count; ++i) {
        const cnConcave* concave = &table->concaves.data[i];
        CN_CHECK(fault,
                 concave->proxy1 == -1 ||
                     (concave->proxy1 >= 0 && concave->proxy1 < concave->proxy2 && concave->proxy2 < proxies),
                 "concaves: row %d of proxies %d and %d", i, concave->proxy1, concave->proxy2);
    }
    return true;
}

// Rows of bodies and geometries that a table of readings names; they may be of some that are gone since.
static bool CheckNames(const cnWorld* world, const char* table, const int32_t* bodies,
                       const int32_t* geometries, int count, cnFault* fault) {
    for (int i = 0; i < count; ++i) {
        CN_CHECK(fault,
                 bodies[i] >= -1 && bodies[i] < world->bodies.ids.rowCount && geometries[i] >= 0 &&
                     geometries[i] < world->geometries.ids.rowCount,
                 "%s: row %d has body %d and geometry %d", table, i, bodies[i], geometries[i]);
    }
    return true;
}

static bool CheckReadings(const cnWorld* world, cnFault* fault) {
    const cnContactTable* contacts = &world->contacts;
    const cnContactEventTable* events = &world->contactEvents;
    for (int i = 0; i < world->islands.count; ++i) {
        int solver;
        memcpy(&solver, &world->islands.data[i].solver, sizeof solver);
        CN_CHECK(fault, solver >= 0 && solver <= cn_islandGrouped, "islands: row %d has solver %d", i,
                 solver);
    }
    for (int event = 0; event < events->count; ++event) {
        int pair = events->pair[event];
        CN_CHECK(fault, pair < world->pairs.pairs.count && pair >= -2 - contacts->count,
                 "contact events: row %d has pair %d of %d", event, pair, world->pairs.pairs.count);
    }
    return CheckNames(world, "contacts", contacts->body1, contacts->geometry1, contacts->count, fault) &&
           CheckNames(world, "contacts", contacts->body2, contacts->geometry2, contacts->count, fault) &&
           CheckNames(world, "contact events", events->body1, events->geometry1, events->count, fault) &&
           CheckNames(world, "contact events", events->body2, events->geometry2, events->count, fault);
}

bool cnCheckRanges(const cnWorld* world, cnFault* fault) {
    const cnPairTable* pairs = &world->pairs;
    const cnConstraintTable* constraints = &world->constraints;
    return CheckSettings(world, fault) &&
           CheckFlags("concaves", pairs->concaves.data, sizeof(cnConcave), pairs->concaves.count,
                      cnConcaveFields, fault) &&
           CheckFlags("constraints", constraints->constraints, sizeof(cnConstraint),
                      constraints->ids.rowCount, cnConstraintFields, fault) &&
           CheckProxyNumbers(world, fault) && CheckReadings(world, fault);
}

// ---- once they can ----------------------------------------------------------------------------------------

// No number of any column is NaN, infinite or beyond 2^256, as its exponent tells: products of a few stay
// finite. What is added carries into the sign of too large ones only; without a branch, several numbers are
// looked at at once.
static bool AreFiniteDoubles(const unsigned char* at, size_t count) {
    const uint64_t limit = 0x4ff0000000000000u, sign = 0x8000000000000000u;
    uint64_t signs = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, at + sizeof bits * i, sizeof bits);
        signs |= (bits & ~sign) + (sign - limit);
    }
    return (signs & sign) == 0;
}

static bool AreFiniteFloats(const unsigned char* at, size_t count) {
    const uint32_t infinity = 0x7f800000u, sign = 0x80000000u;
    uint32_t signs = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, at + sizeof bits * i, sizeof bits);
        signs |= (bits & ~sign) + (sign - infinity);
    }
    return (signs & sign) == 0;
}

static bool CheckFinite(const char* name, const void* table, const cnColumnList* list, int rows,
                        cnFault* fault) {
    for (int c = 0; c < list->count && rows > 0; ++c) {
        const cnColumn* column = &list->columns[c];
        const unsigned char* numbers = cnTable_GetColumn(table, column);
        size_t count = (size_t)rows * (size_t)column->lanes;
        CN_CHECK(fault,
                 (column->scalar != cn_f64 || AreFiniteDoubles(numbers, count)) &&
                     (column->scalar != cn_f32 || AreFiniteFloats(numbers, count)),
                 "%s: %s has a number that is NaN, infinite or beyond 1e77", name, column->name);
    }
    return true;
}

// The largest moment, and how far a matrix is off a symmetric one.
static double SizeOf(cnMat33 m) {
    return cnMax(cnMax(fabs(m.x.x), fabs(m.y.y)), fabs(m.z.z));
}

static double SkewOf(cnMat33 m) {
    return fabs(m.x.y - m.y.x) + fabs(m.x.z - m.z.x) + fabs(m.y.z - m.z.y);
}

// By Sylvester's criterion; the matrix is symmetric but for rounding.
static bool IsPositiveDefinite(cnMat33 m) {
    return m.x.x > 0.0 && m.x.x * m.y.y - m.x.y * m.y.x > 0.0 && cnDot(m.x, cnCross(m.y, m.z)) > 0.0;
}

// Inertia is symmetric within 1e-9 of its size, as cnBody_SetInertia wants it. S = A − Aᵀ becomes A⁻¹ S A⁻¹
// in the inverse, which for a long thin body is much more than 1e-9 of the inverse's size, and A⁻¹ is up to
// (1 + added inertia) times what the table holds.
static bool IsSymmetric(const cnBodyTable* bodies, int row) {
    const double tolerance = 1e-9, norms = 100.0; // entries to norms of 3 × 3 matrices, thrice
    cnVec3 added = bodies->inertiaCoefficients[row];
    double size = SizeOf(bodies->inertia[row]);
    double inverse = SizeOf(bodies->inverseInertia[row]) * (1.0 + cnMax(cnMax(added.x, added.y), added.z));
    return SkewOf(bodies->inertia[row]) <= tolerance * size &&
           SkewOf(bodies->inverseInertia[row]) <= norms * tolerance * size * inverse * inverse;
}

static bool IsNotNegative(cnVec3 v) {
    return v.x >= 0.0 && v.y >= 0.0 && v.z >= 0.0;
}

// What the solve divides by: energies of bodies are positive.
static bool CheckMasses(const cnWorld* world, cnFault* fault) {
    const cnBodyTable* bodies = &world->bodies;
    for (int row = 0; row < bodies->ids.rowCount; ++row) {
        uint32_t dynamic = cn_bodyLive | cn_bodyDynamic;
        if ((bodies->flags[row] & dynamic) != dynamic) {
            continue;
        }
        cnVec3 moments = bodies->principalInertia[row];
        CN_CHECK(fault,
                 IsNotNegative(bodies->linearDamping[row]) && IsNotNegative(bodies->angularDamping[row]) &&
                     IsNotNegative(bodies->massCoefficients[row]) &&
                     IsNotNegative(bodies->inertiaCoefficients[row]),
                 "bodies: row %d has damping or added mass below 0", row);
        CN_CHECK(fault, fabs(bodies->gravityScale[row]) <= CN_MAX_GRAVITY_SCALE,
                 "bodies: row %d has a gravity scale of %g", row, bodies->gravityScale[row]);
        CN_CHECK(fault, bodies->mass[row] > 0.0, "bodies: row %d has a mass of %g kg", row,
                 bodies->mass[row]);
        CN_CHECK(fault,
                 IsSymmetric(bodies, row) && IsPositiveDefinite(bodies->inertia[row]) &&
                     IsPositiveDefinite(bodies->inverseInertia[row]) && moments.x > 0.0 &&
                     moments.x <= moments.y && moments.y <= moments.z,
                 "bodies: row %d has moments of inertia %g, %g, %g kg m², or a matrix that has none", row,
                 moments.x, moments.y, moments.z);
    }
    return true;
}

// As its setters would take it.
static bool IsRowFine(const cnRowSettings* row) {
    return row->compliance >= 0.0 && row->min <= row->max;
}

static bool AreRowsFine(const cnConstraint* joint) {
    for (int dof = 0; dof < 6; ++dof) {
        if (!IsRowFine(&joint->dofs[dof])) {
            return false;
        }
    }
    for (int slot = cn_slotMotor; slot < cn_slotCount; ++slot) {
        const cnSecondary* secondary = &joint->secondaries[slot - cn_slotMotor];
        if (secondary->given && !IsRowFine(&secondary->row)) {
            return false;
        }
    }
    return true;
}

static bool CheckConstraint(const cnWorld* world, int row, cnFault* fault) {
    const cnConstraintTable* table = &world->constraints;
    const cnConstraint* joint = &table->constraints[row];
    bool isRack = cnJoint_Has(joint, cn_hasRadius);
    bool isCoupling = cnJoint_Has(joint, cn_hasPartners);
    CN_CHECK(fault, isCoupling == (joint->partner1 >= 0), "constraints: row %d of type %d has the partner %d",
             row, (int)joint->type, joint->partner1);
    if (isCoupling) {
        cnConstraintType type1 = table->constraints[joint->partner1].type;
        cnConstraintType type2 = table->constraints[joint->partner2].type;
        CN_CHECK(fault,
                 cnJoint_CoordinateOfKind(type1, false) >= 0 && cnJoint_CoordinateOfKind(type2, isRack) >= 0,
                 "constraints: row %d couples constraints of types %d and %d", row, (int)type1, (int)type2);
    }
    CN_CHECK(fault,
             (int)joint->solve >= cn_solveDirect && joint->solve <= cn_solveDirectAndIterative &&
                 joint->groupedSteps >= 0 && joint->splitSteps >= 0 && joint->islandWork >= 0.0 &&
                 cnIsFinite(joint->lastStep),
             "constraints: row %d is solved by %d, or what it remembers of its island makes no sense", row,
             (int)joint->solve);
    CN_CHECK(fault, AreRowsFine(joint), "constraints: row %d has a compliance below 0 or bounds that cross",
             row);
    uint32_t acting = 0;
    for (int slot = cn_slotMotor; slot < cn_slotCount; ++slot) {
        const cnSecondary* secondary = &joint->secondaries[slot - cn_slotMotor];
        acting |= (uint32_t)(secondary->given && secondary->enabled) << slot;
    }
    CN_CHECK(fault, joint->acting == acting,
             "constraints: row %d says that %x act, its secondaries that %x do", row, (unsigned)joint->acting,
             (unsigned)acting);
    return true;
}

// Members of records: bounds may be infinite, nothing may be NaN.
static bool CheckNumbers(const cnConstraint* joint, int row, cnFault* fault) {
    for (int f = 0; f < cnConstraintFields.count; ++f) {
        const cnField* field = &cnConstraintFields.fields[f];
        for (int i = 0; i < field->count * field->lanes && field->scalar == cn_f64; ++i) {
            double number;
            const char* at = (const char*)joint + field->offset + (size_t)(i / field->lanes) * field->stride;
            memcpy(&number, at + (size_t)(i % field->lanes) * sizeof number, sizeof number);
            CN_CHECK(fault, number == number, "constraints: row %d has a %s that is NaN", row, field->name);
        }
    }
    return true;
}

static bool CheckConstraints(const cnWorld* world, cnFault* fault) {
    const cnConstraintTable* table = &world->constraints;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&table->ids, row) &&
            (!CheckConstraint(world, row, fault) || !CheckNumbers(&table->constraints[row], row, fault))) {
            return false;
        }
    }
    return true;
}

static bool CheckMaterials(const cnWorld* world, cnFault* fault) {
    const cnMaterialTables* tables = &world->materials;
    for (int row = 0; row < tables->materials.ids.rowCount; ++row) {
        if (!cnIdPool_IsLive(&tables->materials.ids, row)) {
            continue;
        }
        int item = tables->materials.libraryItem[row];
        CN_CHECK(fault, item >= -1 && item < tables->library.materials.count,
                 "materials: row %d is item %d of a library of %d", row, item,
                 tables->library.materials.count);
        cnMaterialDef def = cnMaterialTables_ReadRow(tables, row);
        CN_CHECK(fault, cnCheckMaterialValues(&def, "cnWorld_Restore") == CN_ERROR_NONE,
                 "materials: row %d has a value out of its range", row);
    }
    for (int row = 0; row < tables->contactMaterials.ids.rowCount; ++row) {
        if (cnIdPool_IsLive(&tables->contactMaterials.ids, row)) {
            cnContactMaterialDef def = cnMaterialTables_ReadContactRow(tables, row);
            CN_CHECK(fault, cnCheckContactMaterialValues(&def, "cnWorld_Restore") == CN_ERROR_NONE,
                     "contact materials: row %d has a value out of its range", row);
        }
    }
    return true;
}

// Numbers that a pair has from its shapes are those that it would begin with.
static bool CheckPairs(const cnWorld* world, cnFault* fault) {
    for (int i = 0; i < world->pairs.pairs.count; ++i) {
        const cnPair* pair = cnPairTable_Get(&world->pairs, i);
        cnPair fresh = *pair;
        cnPair_Measure(&fresh, &world->proxies, world->shapes.shapes);
        CN_CHECK(fault,
                 fresh.inradius == pair->inradius && fresh.order == pair->order &&
                     (pair->part > 0 ||
                      (fresh.roundCount == pair->roundCount && fresh.ballCount == pair->ballCount)),
                 "pairs: row %d has other numbers than its shapes", i);
        bool isConcave = cnIsConcave((cnShapeType)world->shapes.type[world->proxies.shape[pair->proxy1]],
                                     (cnShapeType)world->shapes.type[world->proxies.shape[pair->proxy2]]);
        CN_CHECK(fault, (pair->part > 0 || pair->concave >= 0) == isConcave,
                 "pairs: row %d, part %d, has the concave %d, its shapes are others", i, pair->part,
                 pair->concave);
    }
    for (int row = 0; row < world->pairs.distant.count; ++row) {
        const cnDistantPair* pair = cnPairTable_GetDistant(&world->pairs, row);
        cnPair fresh;
        cnDistantPair_CopyTo(pair, &world->proxies, world->shapes.shapes, &fresh);
        CN_CHECK(fault, (float)cnPair_GetMargin(&fresh) == pair->margin,
                 "distant pairs: row %d has other numbers than its shapes", row);
        CN_CHECK(fault,
                 !cnIsConcave((cnShapeType)world->shapes.type[world->proxies.shape[pair->proxy1]],
                              (cnShapeType)world->shapes.type[world->proxies.shape[pair->proxy2]]),
                 "distant pairs: row %d is of shapes that touch in several places", row);
    }
    for (int i = 0; i < world->pairs.concaves.count; ++i) {
        const cnConcave* concave = &world->pairs.concaves.data[i];
        for (int k = 0; concave->proxy1 >= 0 && k < concave->manifoldCount; ++k) {
            int part = concave->partOf[k];
            CN_CHECK(fault, part >= 1 && part <= CN_PAIR_MANIFOLDS && (concave->parts >> part & 1) != 0,
                     "concaves: row %d has manifold %d as part %d, its parts are %x", i, k, part,
                     (unsigned)concave->parts);
        }
    }
    return true;
}

// Columns of shapes repeat what the shapes are.
static bool CheckShapeColumns(const cnWorld* world, cnFault* fault) {
    const cnShapeTable* table = &world->shapes;
    for (int row = 0; row < table->ids.rowCount; ++row) {
        const cnShape* shape = table->shapes[row];
        CN_CHECK(fault,
                 shape == NULL ||
                     (table->type[row] == (uint32_t)shape->type && table->volume[row] == shape->mass.volume &&
                      table->columnCount[row] == (shape->field != NULL ? shape->field->columnCount : 0) &&
                      table->rowCount[row] == (shape->field != NULL ? shape->field->rowCount : 0)),
                 "shapes: row %d is of type %u, its shape of another, or of another size", row,
                 (unsigned)table->type[row]);
    }
    return true;
}

bool cnCheckMeaning(const cnWorld* world, cnFault* fault) {
    return CheckFinite("bodies", &world->bodies, &cnBodyColumns, world->bodies.ids.rowCount, fault) &&
           CheckFinite("geometries", &world->geometries, &cnGeometryColumns, world->geometries.ids.rowCount,
                       fault) &&
           CheckFinite("proxies", &world->proxies, &cnProxyColumns, world->proxies.capacity, fault) &&
           CheckShapeColumns(world, fault) && CheckMasses(world, fault) && CheckConstraints(world, fault) &&
           CheckMaterials(world, fault) && CheckPairs(world, fault);
}
