// What a step knows of its contacts: of all of them, and rows of those that need some.
#include "solve/contact_rows.h"

#include "solve/contact_area.h"

#define CN_CONTACT_CHUNK 64
// How far apart surfaces that stick to one another may be found, of the inradius.
#define CN_ADHESION_REACH 1e-3

// The only place of the solve where two materials become one; in `scratch` or where the pair is kept.
static const cnPairProperties* FindProperties(const cnSolve* solve, const cnPair* pair,
                                              cnPairProperties* scratch) {
    return cnFindPair(solve->materials, solve->proxies->material[pair->proxy1],
                      solve->proxies->material[pair->proxy2], scratch);
}

// ---- what all contacts have -------------------------------------------------------------------------------

// Whether an area is neither loaded, nor known to slide: what friction makes of it asks for its motion.
static bool IsOpen(const cnSolve* solve, const cnPair* pair) {
    double load = 0.0;
    for (int i = 0; i < pair->manifold.pointCount && !solve->settings.disableWarmStart; ++i) {
        load += pair->impulse[i];
    }
    return !(load > 0.0) || (pair->flags & cn_pairSlides) != 0;
}

// Whether some point that touches approaches fast enough for the impact stage, which has bodies that bounce,
// and fast ones: the latter's speeds are too large for changes in f32, and there their momentum is kept in
// f64.
static bool IsImpact(const cnSolve* solve, const cnSolverContact* contact, const cnPair* pair) {
    uint32_t flags1 = pair->body1 >= 0 ? solve->bodies->flags[pair->body1] : 0;
    uint32_t flags2 = pair->body2 >= 0 ? solve->bodies->flags[pair->body2] : 0;
    bool mayBounce = contact->restitution > 0.0 || ((flags1 | flags2) & cn_bodyFast) != 0;
    if (!mayBounce ||
        cnPair_GetMostApproach(pair, solve, cnPair_GetReach(pair)) < contact->restitutionThreshold) {
        return false;
    }
    bool isImpact = false;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        isImpact = isImpact || (pair->manifold.depths[i] >= 0.0f &&
                                -cnPair_GetApproach(pair, solve, i) > contact->restitutionThreshold);
    }
    return isImpact;
}

static void ResolveContact(const cnSolve* solve, cnSolverContact* contact) {
    const cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
    cnPairProperties scratch;
    const cnPairProperties* properties = FindProperties(solve, pair, &scratch);
    bool hasCone = properties->frictionModel.type != cn_frictionNone;
    bool slid = (pair->flags & cn_pairSlides) != 0;
    contact->compliance = (float)(1.0 / properties->youngsModulus); // of 1 m and 1 m²
    contact->damping = (float)properties->damping;
    contact->staticScale = (float)properties->staticFrictionScale;
    contact->friction =
        hasCone ? (float)((slid ? 1.0 : properties->staticFrictionScale) * properties->friction[0]) : 0.0f;
    contact->viscosity = (float)properties->surfaceViscosity[0];
    contact->restitution = properties->restitution;
    contact->restitutionThreshold = properties->restitutionThreshold;
    contact->frictionSolve = properties->frictionModel.solve;
    contact->isFoundation = properties->contactArea.enabled;
    contact->isImpact = IsImpact(solve, contact, pair);
    bool isArea = pair->manifold.pointCount > 1 && contact->friction > 0.0f;
    contact->isPlain = properties->isPlain && !solve->hasConveyors && (pair->flags & cn_pairCustom) == 0 &&
                       !(isArea && IsOpen(solve, pair));
}

typedef struct Resolving {
    const cnSolve* solve;
    cnContactTraits* traits; // by chunk
} Resolving;

static void ResolveContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const Resolving* resolving = context;
    cnContactTraits traits = {0};
    for (int c = begin; c < end; ++c) {
        cnSolverContact* contact = &resolving->solve->contacts[c];
        ResolveContact(resolving->solve, contact);
        traits.anyImpact |= contact->isImpact;
        traits.anyOdd |= !contact->isPlain;
        traits.anyWish |= contact->isFoundation || contact->frictionSolve != cn_frictionSolveWorld;
    }
    resolving->traits[begin / CN_CONTACT_CHUNK] = traits;
}

bool cnSolve_ResolveContacts(cnSolve* solve) {
    int chunks = (solve->contactCount + CN_CONTACT_CHUNK - 1) / CN_CONTACT_CHUNK;
    cnContactTraits* traits = CN_PUSH(solve->stack, cnContactTraits, chunks + 1, "traits of contacts");
    if (traits == NULL) {
        return false;
    }
    cnThreadPool_Run(solve->threads, ResolveContacts, &(Resolving){solve, traits}, solve->contactCount,
                     CN_CONTACT_CHUNK);
    solve->traits = (cnContactTraits){0};
    for (int chunk = 0; chunk < chunks; ++chunk) {
        solve->traits.anyImpact |= traits[chunk].anyImpact;
        solve->traits.anyOdd |= traits[chunk].anyOdd;
        solve->traits.anyWish |= traits[chunk].anyWish;
    }
    cnStack_Pop(solve->stack, traits);
    return true;
}

// ---- rows -------------------------------------------------------------------------------------------------

static void ResolveMaterial(const cnSolve* solve, const cnSolverContact* contact,
                            const cnPairProperties* properties, cnContactRows* rows) {
    rows->stiffness = properties->youngsModulus; // of a length of 1 m and an area of 1 m²
    rows->depthShare = 1.0;
    rows->isFoundation = properties->contactArea.enabled;
    if (rows->isFoundation) {
        cnContactArea_Resolve(solve, contact, properties, rows);
    }
    rows->compliance = 1.0 / rows->stiffness;
    rows->damping = properties->damping;
    rows->restitution = properties->restitution;
    rows->restitutionThreshold = properties->restitutionThreshold;
}

// Attraction acts from touching on, and rests at its overlap: what the depths of the points are less, m.
static double ResolveAdhesion(const cnPairProperties* properties, cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    rows->adhesion = 0.0;
    if (properties->adhesionForce == 0.0) {
        return 0.0;
    }
    double depth = -INFINITY;
    for (int i = 0; i < rows->pointCount; ++i) {
        depth = cnMax(depth, pair->manifold.depths[i]);
    }
    double reach = CN_ADHESION_REACH * pair->inradius + properties->adhesionForce / rows->stiffness;
    if (depth < -reach) {
        return 0.0;
    }
    rows->adhesion = properties->adhesionForce / rows->pointCount;
    return properties->adhesionOverlap;
}

static void PreparePoints(const cnPairProperties* properties, cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    double share = 1.0 / rows->pointCount, overlap = ResolveAdhesion(properties, rows);
    rows->centreArm1 = rows->centreArm2 = cnVec3_zero;
    for (int i = 0; i < rows->pointCount; ++i) {
        cnContactPoint* point = &rows->points[i];
        cnVec3 arm1 = cnToD(pair->arm1[i]), arm2 = cnToD(pair->arm2[i]);
        double depth = pair->manifold.depths[i] - overlap;
        point->depth = depth > 0.0 ? rows->depthShare * depth : depth;
        rows->centreArm1 = cnMulAdd(rows->centreArm1, share, arm1);
        rows->centreArm2 = cnMulAdd(rows->centreArm2, share, arm2);
    }
    double sum = 0.0;
    for (int i = 0; i < rows->pointCount; ++i) {
        cnContactPoint* point = &rows->points[i];
        point->radius = cnLength(pair->body1 >= 0 ? cnSub(cnToD(pair->arm1[i]), rows->centreArm1)
                                                  : cnSub(cnToD(pair->arm2[i]), rows->centreArm2));
        sum += point->radius;
    }

    // friction of a face or of a line acts all over it, not at its corners
    double meanRadius = pair->manifold.patch.meanRadius, lever = sum * share;
    double part = rows->pointCount == 2 ? 0.5 : (meanRadius > 0.0 ? cnMin(1.0, meanRadius / lever) : 1.0);
    for (int i = 0; i < rows->pointCount; ++i) {
        rows->points[i].radius *= part;
    }
}

static void PrepareContact(const cnSolve* solve, const cnSolverContact* contact) {
    CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
    cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
    cnContactRows* rows = &solve->contactRows[contact->row];
    rows->pair = pair;
    rows->pointCount = pair->manifold.pointCount;
    CN_ASSERT(rows->pointCount >= 1 && rows->pointCount <= CN_MANIFOLD_POINTS);
    rows->normal = cnToD(pair->manifold.normal);
    cnPairProperties scratch;
    const cnPairProperties* properties = FindProperties(solve, pair, &scratch);
    ResolveMaterial(solve, contact, properties, rows);
    PreparePoints(properties, rows);
    cnContactRows_ResolveFriction(solve, contact, properties, rows);
}

static void PrepareContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    CN_ASSERT(begin >= 0 && end <= solve->contactCount);
    for (int c = begin; c < end; ++c) {
        if (solve->contacts[c].row >= 0) {
            PrepareContact(solve, &solve->contacts[c]);
        }
    }
}

// What packs a swept contact does without rows where nothing of it is out of the ordinary.
static bool NeedsRows(const cnSolve* solve, const cnSolverContact* contact) {
    const cnIsland* island = &solve->islands[contact->island];
    return !contact->isPlain || island->solver != cn_islandSwept || island->jointCount > 0 ||
           island->hasImpacts;
}

// Whether some contact may.
static bool MayNeedRows(const cnSolve* solve) {
    bool may = solve->traits.anyOdd || solve->traits.anyImpact;
    for (int i = 0; i < solve->islandCount && !may; ++i) {
        const cnIsland* island = &solve->islands[i];
        may = island->contactCount > 0 && (island->solver != cn_islandSwept || island->jointCount > 0);
    }
    return may;
}

bool cnSolve_PrepareContacts(cnSolve* solve) {
    solve->rowCount = 0;
    bool mayNeed = MayNeedRows(solve);
    for (int c = 0; mayNeed && c < solve->contactCount; ++c) {
        cnSolverContact* contact = &solve->contacts[c];
        contact->row = NeedsRows(solve, contact) ? solve->rowCount++ : -1;
    }
    solve->contactRows = CN_PUSH(solve->stack, cnContactRows, solve->rowCount + 1, "contact rows");
    if (solve->contactRows == NULL) {
        return false;
    }
    if (solve->rowCount > 0) {
        cnThreadPool_Run(solve->threads, PrepareContacts, solve, solve->contactCount, CN_CONTACT_CHUNK);
    }
    return true;
}
