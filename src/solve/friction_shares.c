// Friction of contacts whose area slides and spins at once: area_friction.h.
#include "solve/area_friction.h"
#include "solve/contact_rows.h"

// Principal axes of a contact's points from the friction centre, in its tangents: the larger one's direction.
typedef struct PointAxes {
    double cosine, sine, aspect;
    bool isLine; // too narrow for its area to tell of a hole
} PointAxes;

#define CN_LEAST_ASPECT 0.1

static PointAxes FindPointAxes(const cnContactRows* rows, const cnVec3 tangents[2]) {
    bool isFirst = rows->pair->body1 >= 0;
    double xx = 0.0, xy = 0.0, yy = 0.0;
    for (int i = 0; i < rows->pointCount; ++i) {
        cnVec3 arm = isFirst ? cnSub(cnContactRows_GetArm1(rows, i), rows->centreArm1)
                             : cnSub(cnContactRows_GetArm2(rows, i), rows->centreArm2);
        double x = cnDot(arm, tangents[0]), y = cnDot(arm, tangents[1]);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    double half = sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy), mean = 0.5 * (xx + yy);
    if (half <= 1e-9 * mean) {
        return (PointAxes){1.0, 0.0, 1.0, false};
    }
    double cosine = sqrt(0.5 + 0.25 * (xx - yy) / half), sine = sqrt(cnMax(0.0, 1.0 - cosine * cosine));
    double aspect = sqrt(cnMax(0.0, mean - half) / (mean + half));
    return (PointAxes){cosine, xy < 0.0 ? -sine : sine, cnMax(aspect, CN_LEAST_ASPECT),
                       aspect < CN_LEAST_ASPECT};
}

// Slower than by this part of what friction takes in a step nothing slides.
#define CN_LEAST_SLIP 1e-3
// The slower of both motions counts with this part of the faster at least: where friction is proportional to
// it, any speed tells how.
#define CN_LEAST_PART 1e-3
// And its share of the bound, which is proportional to it, cannot be less than this but by rounding.
#define CN_LEAST_SHARE 1e-4

// Slip of the centre along two tangents, and of what is r̄ from it by the spin, m/s.
typedef struct AreaSlip {
    double x, y, speed, rim;
} AreaSlip;

static AreaSlip FindAreaSlip(const cnSolve* solve, const cnVec3 tangents[2], double radius,
                             const cnContactRows* rows) {
    cnVec3 slip = cnAdd(cnContactRows_GetSlip(rows, solve->bodies), rows->surfaceVelocity);
    double x = cnDot(slip, tangents[0]), y = cnDot(slip, tangents[1]);
    double rim = radius * fabs(cnContactRows_GetSpin(rows, solve->bodies));
    return (AreaSlip){x, y, sqrt(x * x + y * y), rim};
}

// How a contact's area moves.
typedef struct MovingArea {
    PointAxes axes;
    cnFrictionArea area;
} MovingArea;

static MovingArea FindArea(const cnContactRows* rows, const cnVec3 tangents[2], double radius) {
    PointAxes axes = FindPointAxes(rows, tangents);
    double size = rows->pair->manifold.patch.area / (radius * radius);
    bool mayHaveHole = size > 0.0 && !axes.isLine;
    return (MovingArea){axes, mayHaveHole ? cnFrictionArea_OfSize(axes.aspect, size)
                                          : cnFrictionArea_WithHole(axes.aspect, 0.0)};
}

static cnFrictionShares FindShares(const MovingArea* moving, const AreaSlip* slip) {
    const PointAxes* axes = &moving->axes;
    cnAreaMotion motion = {slip->x * axes->cosine + slip->y * axes->sine,
                           slip->y * axes->cosine - slip->x * axes->sine, slip->rim};
    return cnShareFriction(&moving->area, &motion);
}

// What friction leaves of both motions in half a step, if anything: a step's friction is as in its middle.
static void MoveToMiddle(const cnSolve* solve, const cnSolverContact* contact, const cnContactRows* rows,
                         double radius, double bound, const cnFrictionShares* shares, AreaSlip* slip) {
    const cnInverseMass* m1 = &solve->solver.inverse[contact->body1];
    const cnInverseMass* m2 = &solve->solver.inverse[contact->body2];
    cnVec3 n = rows->normal;
    cnVec3 t = cnMinAxis(n);
    t = cnNormalize(cnMulAdd(t, -cnDot(t, n), n)); // added mass apart, one is as good as another
    double linear = cnDot(t, cnAdd(cnMulMat(m1->linear, t), cnMulMat(m2->linear, t)));
    double angular = cnDot(n, cnAdd(cnMulMat(m1->angular, n), cnMulMat(m2->angular, n)));
    double taken = 0.5 * solve->h * bound;
    double kept = 1.0 - taken * shares->force * linear / slip->speed;
    double rim = slip->rim - taken * shares->torque * angular * radius * radius;
    if (kept > 0.0 && rim > 0.0) {
        *slip = (AreaSlip){kept * slip->x, kept * slip->y, kept * slip->speed, rim};
    }
}

// What a motion is resisted by that gets a share of a bound; (m/s)/N or (rad/s)/(N m).
static double ViscosityOf(double speed, double share, double bound) {
    return speed / (cnMax(share, CN_LEAST_SHARE) * bound);
}

static void ScaleBounds(double force, double torque, cnContactFriction* friction) {
    friction->perLoad[0] *= force;
    friction->perLoad[1] *= force;
    friction->perMoment *= torque;
}

// What slides and spins: the faster motion's bound gets its share, the slower's row becomes viscous.
static void ShareByMotion(const cnSolve* solve, const cnSolverContact* contact, const cnVec3 tangents[2],
                          double radius, double load, cnContactRows* rows) {
    cnContactFriction* friction = &rows->friction;
    AreaSlip slip = FindAreaSlip(solve, tangents, radius, rows);
    double inverseMass = cnPair_GetInverseEffectiveMass(rows->pair, solve, contact, 0);
    double taken = friction->perMoment * load * solve->h * inverseMass;
    if (slip.speed + slip.rim <= CN_LEAST_SLIP * taken) {
        return;
    }
    if (slip.speed < CN_LEAST_PART * slip.rim) {
        slip.x = slip.speed = CN_LEAST_PART * slip.rim;
        slip.y = 0.0;
    }
    slip.rim = cnMax(slip.rim, CN_LEAST_PART * slip.speed);
    double bound = friction->perMoment * load; // N
    MovingArea moving = FindArea(rows, tangents, radius);
    cnFrictionShares shares = FindShares(&moving, &slip);
    MoveToMiddle(solve, contact, rows, radius, bound, &shares, &slip);
    shares = FindShares(&moving, &slip);
    if (slip.speed < slip.rim) {
        for (int i = 0; i < 2; ++i) {
            double scale = rows->sliding.scale[i];
            friction->viscosity[i] +=
                rows->pointCount * scale * scale * ViscosityOf(slip.speed, shares.force, bound);
        }
        ScaleBounds(1.0, shares.torque, friction);
    } else if (friction->spinPerLoad > 0.0) { // a bound beside that of the area
        ScaleBounds(shares.force, shares.torque, friction);
    } else {
        friction->spinViscosity = ViscosityOf(slip.rim, shares.torque, bound) / (radius * radius);
        ScaleBounds(shares.force, 1.0, friction);
    }
}

// What meets with motions faster than friction takes in a step from what lies by its weight: it will slide.
static void ShareOfNew(const cnSolve* solve, const cnVec3 tangents[2], cnContactRows* rows) {
    double radius = cnContactRows_GetMeanRadius(rows);
    AreaSlip slip = FindAreaSlip(solve, tangents, radius, rows);
    if (slip.speed + slip.rim > rows->friction.perMoment * CN_STANDARD_GRAVITY * solve->h) {
        MovingArea moving = FindArea(rows, tangents, radius);
        cnFrictionShares shares = FindShares(&moving, &slip);
        ScaleBounds(shares.force, shares.torque, &rows->friction);
    }
}

// What does not slide yet, under a load Λ with the moment Σ rᵢ λᵢ, N s.
static void ShareByForces(double load, double moment, cnContactRows* rows) {
    cnContactFriction* friction = &rows->friction;
    cnFrictionBounds bounds = cnFriction_GetBounds(friction, load, moment, 0.0);
    double lambda[2];
    cnFrictionAxes_Split(&rows->sliding, cnToD(rows->pair->friction), lambda);
    double torque = fabs((double)rows->pair->torsionalFriction) / bounds.torsional;
    double force = sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]) / bounds.tangential[0];
    double part = sqrt(force * force + torque * torque);
    if (part > 1.0) {
        ScaleBounds(force / part, torque / part, &rows->friction);
    }
}

void cnContactRows_ShareFriction(const cnSolve* solve, const cnSolverContact* contact,
                                 const cnVec3 tangents[2], cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < rows->pointCount && !solve->settings.disableWarmStart; ++i) {
        double pressed = pair->impulse[i] + rows->adhesion * solve->substep;
        load += pressed;
        moment += pressed * rows->points[i].radius;
    }
    if (!(moment > 0.0)) {
        ShareOfNew(solve, tangents, rows);
    } else if ((pair->flags & cn_pairSlides) != 0) {
        ShareByMotion(solve, contact, tangents, moment / load, load / solve->substep, rows);
    } else {
        ShareByForces(load, moment, rows);
    }
}
