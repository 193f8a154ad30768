// Rows of contacts, once a step.
#include "solve/contact_rows.h"

#include "base/prefetch.h"
#include "solve/contact_area.h"

#include <string.h>

#define CN_CONTACT_CHUNK 64
// Contacts whose memory is asked for together.
#define CN_CONTACT_GROUP 8
// How far apart surfaces that stick to one another may be found, of the inradius.
#define CN_ADHESION_REACH 1e-3

// The only place of the solve where two materials become one; in `scratch` or where the pair is kept.
static const cnPairProperties* ResolveMaterial(const cnSolve* solve, const cnSolverContact* contact,
                                               cnContactRows* rows, cnPairProperties* scratch) {
    const cnPair* pair = rows->pair;
    const cnPairProperties* properties = cnFindPair(solve->materials, solve->proxies->material[pair->proxy1],
                                                    solve->proxies->material[pair->proxy2], scratch);
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
    return properties;
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
        depth = cnMax(depth, pair->manifold.points[i].depth);
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
        double depth = pair->manifold.points[i].depth - overlap;
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

static void CopyPair(const cnPair* pair, cnPairCopy* copy) {
    copy->body1 = pair->body1;
    copy->body2 = pair->body2;
    copy->flags = pair->flags;
    copy->correctionLimit = pair->correctionLimit;
    copy->inradius = (float)pair->inradius;
    copy->curvature = (float)pair->curvature;
    memcpy(copy->arm1, pair->arm1, sizeof copy->arm1);
    memcpy(copy->arm2, pair->arm2, sizeof copy->arm2);
    memcpy(copy->impulse, pair->impulse, sizeof copy->impulse);
    copy->integralImpulse = pair->integralImpulse;
    copy->convergedSteps = pair->convergedSteps;
    copy->friction[0] = pair->friction.x;
    copy->friction[1] = pair->friction.y;
    copy->friction[2] = pair->friction.z;
    copy->friction[3] = pair->torsionalFriction;
}

static void PrepareContact(const cnSolve* solve, cnSolverContact* contact) {
    CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
    cnPair* pair = &solve->pairs->pairs.data[contact->pair];
    cnContactRows* rows = &solve->contactRows[contact->row];
    rows->pair = pair;
    rows->pointCount = pair->manifold.pointCount;
    CN_ASSERT(rows->pointCount >= 1 && rows->pointCount <= CN_MANIFOLD_POINTS);
    rows->normal = cnToD(pair->manifold.normal);
    CopyPair(pair, &rows->of);
    cnPairProperties scratch;
    const cnPairProperties* properties = ResolveMaterial(solve, contact, rows, &scratch);
    PreparePoints(properties, rows);
    cnContactRows_ResolveFriction(solve, contact, properties, rows);
    contact->frictionSolve = rows->friction.solve;
    contact->isFoundation = rows->isFoundation;
    contact->isPlain = rows->friction.isPlain;
    contact->restitution = rows->restitution;
}

static void PrepareContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    CN_ASSERT(begin >= 0 && end <= solve->contactCount);
    for (int first = begin; first < end; first += CN_CONTACT_GROUP) {
        int last = first + CN_CONTACT_GROUP < end ? first + CN_CONTACT_GROUP : end;
        for (int c = first; c < last; ++c) {
            cnPrefetchObject(&solve->pairs->pairs.data[solve->contacts[c].pair], sizeof(cnPair));
            cnPrefetchObject(&solve->contactRows[solve->contacts[c].row], sizeof(cnContactRows));
        }
        for (int c = first; c < last; ++c) {
            PrepareContact(solve, &solve->contacts[c]);
        }
    }
}

bool cnSolve_PrepareContacts(cnSolve* solve) {
    solve->contactRows = CN_PUSH(solve->stack, cnContactRows, solve->contactCount + 1, "contact rows");
    if (solve->contactRows == NULL) {
        return false;
    }
    cnThreadPool_Run(solve->threads, PrepareContacts, solve, solve->contactCount, CN_CONTACT_CHUNK);
    return true;
}
