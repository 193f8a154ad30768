#include "solve/contact_rows.h"

#include "dynamics/gravity.h"
#include "solve/contact_area.h"

#define CN_CONTACT_CHUNK 64
// Energy that an overlap would give to the bodies were it stored, as the speed that it would make, m/s.
#define CN_EXCESS_SPEED 0.01
// How far apart surfaces that stick to one another may be found, of the inradius.
#define CN_ADHESION_REACH 1e-3

// ---- preparation ------------------------------------------------------------------------------------------

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

static void PreparePoints(const cnSolve* solve, const cnSolverContact* contact,
                          const cnPairProperties* properties, cnContactRows* rows) {
    const cnInverseMass* m1 = &solve->solver.inverse[contact->body1];
    const cnInverseMass* m2 = &solve->solver.inverse[contact->body2];
    const cnPair* pair = rows->pair;
    double share = 1.0 / rows->pointCount, overlap = ResolveAdhesion(properties, rows);
    rows->centreArm1 = rows->centreArm2 = cnVec3_zero;
    for (int i = 0; i < rows->pointCount; ++i) {
        cnContactPoint* point = &rows->points[i];
        point->arm1 = cnToD(pair->arm1[i]);
        point->arm2 = cnToD(pair->arm2[i]);
        double depth = pair->manifold.points[i].depth - overlap;
        point->depth = depth > 0.0 ? rows->depthShare * depth : depth;
        point->inverseEffectiveMass = cnInverseEffectiveMass(
            m1, m2, rows->normal, cnCross(point->arm1, rows->normal), cnCross(point->arm2, rows->normal));
        CN_ASSERT(!(point->inverseEffectiveMass <= 0.0)); // it may be NaN where numbers overflow
        rows->centreArm1 = cnMulAdd(rows->centreArm1, share, point->arm1);
        rows->centreArm2 = cnMulAdd(rows->centreArm2, share, point->arm2);
    }
    double sum = 0.0;
    for (int i = 0; i < rows->pointCount; ++i) {
        cnContactPoint* point = &rows->points[i];
        point->radius = cnLength(pair->body1 >= 0 ? cnSub(point->arm1, rows->centreArm1)
                                                  : cnSub(point->arm2, rows->centreArm2));
        sum += point->radius;
    }

    // friction of a face or of a line acts all over it, not at its corners
    double meanRadius = pair->manifold.patch.meanRadius, lever = sum * share;
    double part = rows->pointCount == 2 ? 0.5 : (meanRadius > 0.0 ? cnMin(1.0, meanRadius / lever) : 1.0);
    for (int i = 0; i < rows->pointCount; ++i) {
        rows->points[i].radius *= part;
    }
}

// w over the smaller inradius, of the pair's worst point.
static double IteratedSink(const cnSolve* solve, const cnSolverContact* contact, const cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    CN_ASSERT(pair->inradius > 0.0);

    // what a point bears at least, by the weight of the upper body alone
    double weight = 0.0;
    if (contact->body1 != 0 && contact->body2 != 0) {
        int row1 = solve->solver.rows[contact->body1], row2 = solve->solver.rows[contact->body2];
        cnVec3 gravity = cnGravityAt(&solve->gravity, solve->bodies->centreOfMass[row1]);
        double along = cnDot(rows->normal, gravity);
        double mass = solve->bodies->mass[along < 0.0 ? row1 : row2];
        weight = solve->substep * mass * fabs(along) / rows->pointCount;
    }
    double worst = 0.0, impulse = cnMax(pair->integralImpulse, weight);
    for (int i = 0; impulse > 0.0 && i < rows->pointCount; ++i) {
        worst = cnMax(worst, rows->points[i].inverseEffectiveMass * impulse);
    }
    return solve->substep * worst / pair->inradius;
}

static void PrepareContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    CN_ASSERT(begin >= 0 && end <= solve->contactCount);
    for (int c = begin; c < end; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
        cnPair* pair = &solve->pairs->pairs.data[contact->pair];
        cnContactRows* rows = &solve->contactRows[c];
        rows->pair = pair;
        rows->pointCount = pair->manifold.pointCount;
        CN_ASSERT(rows->pointCount >= 1 && rows->pointCount <= CN_MANIFOLD_POINTS);
        rows->normal = cnToD(pair->manifold.normal);
        cnPairProperties scratch;
        const cnPairProperties* properties = ResolveMaterial(solve, contact, rows, &scratch);
        PreparePoints(solve, contact, properties, rows);
        cnContactRows_ResolveFriction(solve, contact, properties, rows);
        rows->iteratedSink = IteratedSink(solve, contact, rows); // while all of it is in the cache
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

// ---- velocities -------------------------------------------------------------------------------------------

static cnVec3 SurfaceVelocityOf(const cnSolve* solve, int geometry) {
    CN_ASSERT(geometry >= 0 && (solve->geometries->flags[geometry] & cn_geometryLive) != 0);
    cnVec3 velocity = solve->geometries->surfaceVelocity[geometry];
    if (velocity.x == 0.0 && velocity.y == 0.0 && velocity.z == 0.0) {
        return velocity;
    }
    velocity = cnRotate(solve->geometries->rotation[geometry], velocity);
    int body = solve->geometries->body[geometry];
    return body >= 0 ? cnRotate(solve->bodies->rotation[body], velocity) : velocity;
}

cnVec3 cnContactRows_GetSurfaceVelocity(const cnContactRows* rows, const cnSolve* solve) {
    cnVec3 conveyors = cnSub(SurfaceVelocityOf(solve, rows->pair->geometry1),
                             SurfaceVelocityOf(solve, rows->pair->geometry2));
    return cnSub(conveyors, rows->slide);
}

double cnContactRows_GetNormalSpeed(const cnContactRows* rows, const cnBodyTable* bodies, int point) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    const cnContactPoint* at = &rows->points[point];
    return cnDot(rows->normal,
                 cnRelativeVelocity(bodies, rows->pair->body1, rows->pair->body2, at->arm1, at->arm2));
}

double cnContactRows_GetApproach(const cnContactRows* rows, const cnSolve* solve, int point) {
    return cnContactRows_GetNormalSpeed(rows, solve->bodies, point) + rows->pair->curvature * solve->h;
}

// Towards the axis through the centre of mass along the normal.
static cnVec3 TurningOf(const cnBodyTable* bodies, int row, cnVec3 arm, cnVec3 n) {
    if (row < 0) {
        return cnVec3_zero;
    }
    double spin = cnDot(n, bodies->halfStepAngularVelocity[row]);
    return cnScale(-spin * spin, cnMulAdd(arm, -cnDot(arm, n), n));
}

cnVec3 cnContactRows_GetTurning(const cnContactRows* rows, const cnBodyTable* bodies, double h) {
    if (rows->pointCount < CN_FACE_POINTS) {
        return cnVec3_zero; // what rolls touches elsewhere then
    }
    cnVec3 n = rows->normal;
    return cnScale(0.5 * h, cnSub(TurningOf(bodies, rows->pair->body1, rows->centreArm1, n),
                                  TurningOf(bodies, rows->pair->body2, rows->centreArm2, n)));
}

cnVec3 cnContactRows_GetSlip(const cnContactRows* rows, const cnBodyTable* bodies) {
    return cnRelativeVelocity(bodies, rows->pair->body1, rows->pair->body2, rows->centreArm1,
                              rows->centreArm2);
}

cnVec3 cnContactRows_GetRoll(const cnContactRows* rows, const cnBodyTable* bodies) {
    int row1 = rows->pair->body1, row2 = rows->pair->body2;
    cnVec3 spin1 = row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero;
    cnVec3 spin2 = row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero;
    return cnSub(spin1, spin2);
}

double cnContactRows_GetSpin(const cnContactRows* rows, const cnBodyTable* bodies) {
    return cnDot(rows->normal, cnContactRows_GetRoll(rows, bodies));
}

// ---- normal rows ------------------------------------------------------------------------------------------

double cnContactRows_GetStoredOverlap(const cnContactRows* rows, int point, double impulse,
                                      double integralImpulse, double theta, double substep) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    double own = theta * rows->points[point].inverseEffectiveMass * substep;
    double strain = cnContactRows_GetStrain(rows, impulse, substep);
    return cnMax(0.0, strain + own * (impulse - CN_INTEGRAL_SHARE * integralImpulse));
}

void cnContactRows_LimitCorrection(const cnContactRows* rows, int point, double excess) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    cnPair* pair = rows->pair;
    if ((pair->flags & cn_pairLimitedCorrection) == 0 && !rows->isFoundation &&
        excess > cnContactRows_GetOverlapOfSpeed(rows, point, CN_EXCESS_SPEED)) {
        pair->flags |= cn_pairLimitedCorrection;
        pair->correctionLimit = CN_PUSH_LIMIT;
    }
}

// Of an overlap that the multiplier does not explain (`stored`, m) the rows see nothing while the position
// correction is limited: it is for cnSolve_CorrectPositions. Where that is more than what it explains, and
// could make a speed of CN_EXCESS_SPEED, it limits the position correction. Of loaded rows an impact alone
// limits it, to a speed.
double cnContactRows_GetPush(const cnContactRows* rows, bool large, int point, double stored, double bounce) {
    CN_ASSERT(point >= 0 && point < rows->pointCount);
    if (rows->isFoundation) {
        return CN_ANY_PUSH;
    }
    double excess = rows->points[point].depth - 2.0 * stored;
    if (excess > CN_DEEP_SHARE * rows->pair->inradius) {
        rows->pair->flags |= cn_pairDeep;
    }
    bool isLoaded = cnContactRows_AreLoaded(rows, large);
    if (!isLoaded && excess > 0.0) {
        cnContactRows_LimitCorrection(rows, point, excess);
    }
    double limit = cnContactRows_GetCorrectionSpeed(rows);
    bool isBound = !isLoaded && (rows->pair->flags & cn_pairLimitedCorrection) != 0;
    return isBound ? cnMin(bounce * stored, limit) : limit;
}
