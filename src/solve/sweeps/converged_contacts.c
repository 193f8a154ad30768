// Converged islands: Newton steps on a spanning tree of the contacts, then full sweeps, in f64.
//
// Per sub-step, with no compliance but the rows' own (Σ_p = 0) and no relaxing sweep, one sweep, which ends
// what rests as it did in the sub-step before; then, up to four times:
//   (a) Newton on a maximum spanning tree of the contacts (weight: summed λ, ties by index),
//         (M + Σᵢ Gᵢᵀ Gᵢ/Σᵢ) δv = −Σᵢ Gᵢᵀ rᵢ/Σᵢ,
//       i over the tree's pressing rows (λ > 0 or r < 0) and the friction rows that stick; its blocks are the
//       bodies', 6×6, so elimination from the leaves to the root makes no fill. Contacts with what is not
//       dynamic only add to the diagonal. Rows that would pull are released, friction beyond the bound of the
//       normal forces found is put on it, rows that the step would close are taken in, and the system solved
//       again;
//   (b) one sweep of all rows, stopping when it changes none by more than 1e-6 h_s g, or where the round
//       gained little: friction at its bound follows the normal forces of the round before, so what slides
//       or rolls slowly cycles between active sets. What is not heavy is then doubtful for a quarter of a
//       second (solver_choice.c).
// A stack or an arch is a tree, so one or two rounds converge at any mass ratio; plain sweeps take thousands.
// r is the row's residual, G v + max(c s, −push) − γ G v_k + Σ λ.
//
// Newton's active set may cycle while bodies tumble, and its steps may lead far away from where it started.
// Where the last sweep still changed a row by more than 1 mm/s, or by more than the first one did, the
// sub-step starts again from its warm start and takes plain sweeps instead: less exact, but never more energy
// than they leave. (Rounds that end farther from rest than they began throw out of its rest what rests in a
// pile: boxes slipped by half a millimetre in two seconds in thirteen piles of a hundred, now in seven.)
// Where nothing is heavy the sub-steps after it do so, too: rounds that failed once nearly always fail again.
// (What is heavy needs them whenever they succeed: a light stack below a tonne, on a belt, sways indefinitely
// with sweeps alone. After a step that failed it waits for them only while it moves: solver_choice.c.)
// Sweeps find the active set of what hardly moves; from there rounds are tried once more, and count only if
// they converge. (Without bounds of friction in the Newton step, and with sweeps alone after it, a wedge on a
// thin triangle rocks by 30 µm indefinitely.) A contact that came in by an impact and has not rested gets a
// relaxing sweep as the soft ones do, lest the depth found at the impact be thrown out as speed; contacts at
// rest need none, since G v = 0 there.
#include "solve/sweeps/converged_contacts.h"

#include "base/containers/sort.h"
#include "solve/direct/island_contents.h"
#include "solve/sweeps/converged_island.h"

#include <string.h>

#define CN_ROUNDS 4
// A row that changes by more than this in the last sweep, m/s, tells that the rounds failed.
#define CN_FAILED_CHANGE 1e-3
// Plain sweeps of a sub-step; where nothing is heavy they end after the eighth if they still change a row by
// more than CN_RESTLESS_CHANGE, m/s, and rounds will hardly follow.
#define CN_PLAIN_SWEEPS 30
#define CN_LEAST_SWEEPS 8
#define CN_RESTLESS_CHANGE 0.01
// A round that leaves more than this times the change before leads away.
#define CN_MOST_GROWTH 4.0
// From the second on, a round that leaves more than this part of the change before gains too little.
#define CN_LEAST_GAIN 0.5
// Min Σ of a row as a part of its own inverse effective mass: what keeps the Newton matrix solvable.
#define CN_MIN_SIGMA 1e-9

// ---- rows -------------------------------------------------------------------------------------------------

static double RowSpeedBefore(const cnConvergedIsland* island, const cnConvergedContact* contact,
                             const cnConvergedRow* row) {
    const cnConvergedBody* b1 = &island->bodies[contact->body1];
    const cnConvergedBody* b2 = &island->bodies[contact->body2];
    return cnVec6_DotTwo(&row->jacobian1, &b1->velocityBefore, &row->jacobian2, &b2->velocityBefore);
}

static double RowShift(const cnConvergedIsland* island, const cnConvergedContact* contact,
                       const cnConvergedRow* row) {
    const cnConvergedBody* b1 = &island->bodies[contact->body1];
    const cnConvergedBody* b2 = &island->bodies[contact->body2];
    return cnVec6_DotTwo(&row->jacobian1, &b1->shift, &row->jacobian2, &b2->shift);
}

static void MakeRow(cnConvergedRow* row, cnVec3 direction, cnVec3 arm1, cnVec3 arm2) {
    row->jacobian1 = cnVec6_Of(direction, cnCross(arm1, direction));
    row->jacobian2 = cnVec6_Of(cnNeg(direction), cnCross(direction, arm2));
}

// What f32 leaves of a multiplier; and the whole of it, where the remainder is that of this value: no more
// than its rounding, 2^-24 of it.
static float RemainderOf(double impulse) {
    return (float)(impulse - (float)impulse);
}

static double WithRemainder(float impulse, float remainder) {
    double whole = impulse;
    return fabs((double)remainder) <= 6e-8 * fabs(whole) ? whole + remainder : whole;
}

static cnVec6 FindResponse(const cnInverseMass* inverse, const cnVec6* jacobian) {
    return cnVec6_Of(cnMulMat(inverse->linear, cnVec6_GetLinear(jacobian)),
                     cnMulMat(inverse->angular, cnVec6_GetAngular(jacobian)));
}

// Of a row whose Jacobians are known.
static void FindResponses(const cnSolve* solve, const cnConvergedContact* contact, cnConvergedRow* row) {
    const cnInverseMass* inverse = solve->solver.inverse;
    int index1 = solve->contacts[contact->number].body1, index2 = solve->contacts[contact->number].body2;
    row->response1 = FindResponse(&inverse[index1], &row->jacobian1);
    row->response2 = FindResponse(&inverse[index2], &row->jacobian2);
    row->inverseMass = cnVec6_DotTwo(&row->jacobian1, &row->response1, &row->jacobian2, &row->response2);
}

static void LoadNormalRows(const cnSolve* solve, cnConvergedContact* contact) {
    cnContactRows* source = contact->source;
    double h = solve->substep;
    for (int i = 0; i < source->pointCount; ++i) {
        const cnContactPoint* point = &source->points[i];
        cnConvergedRow* row = &contact->rows[i];
        MakeRow(row, source->normal, cnContactRows_GetArm1(source, i), cnContactRows_GetArm2(source, i));
        FindResponses(solve, contact, row);
        row->start = cnPair_GetNormalSpeed(source->pair, solve->bodies, i);
        row->sigma = cnMax(contact->softness.sigma, CN_MIN_SIGMA * row->inverseMass);
        row->impulse = solve->settings.disableWarmStart
                           ? 0.0
                           : WithRemainder(source->pair->impulse[i], source->pair->impulseRemainder[i]);
        double stored = cnContactRows_GetStoredOverlap(source, row->impulse, 0.0, 0.0, h);
        double atPoses = row->start + source->pair->curvature * solve->h;
        row->separation = cnContactRows_GetSeparation(source, i, atPoses);
        double strain = cnContactRows_GetStrain(source, row->impulse, h);
        double elastic = cnContactRows_GetElasticPart(source, strain, row->start, h);
        const cnPointLoad load = {row->inverseMass, stored, elastic};
        row->push = cnContactRows_GetPush(source, false, i, &load, contact->softness.bounce);
        row->radius = point->radius;
    }
}

static void LoadAngularRow(const cnSolve* solve, cnConvergedContact* contact, cnConvergedRow* row,
                           cnVec3 axis, double start, double impulse) {
    row->jacobian1 = cnVec6_Of(cnVec3_zero, axis);
    row->jacobian2 = cnVec6_Of(cnVec3_zero, cnNeg(axis));
    FindResponses(solve, contact, row);
    row->sigma = CN_MIN_SIGMA * row->inverseMass;
    row->impulse = impulse;
    row->start = start;
}

static cnVec3 WithRemainders(cnVec3f value, cnVec3f remainder) {
    return cnVec(WithRemainder(value.x, remainder.x), WithRemainder(value.y, remainder.y),
                 WithRemainder(value.z, remainder.z));
}

// At the friction centre.
static void LoadFrictionRows(const cnSolve* solve, cnConvergedContact* contact) {
    const cnContactRows* source = contact->source;
    const cnContactFriction* friction = &source->friction;
    cnConvergedRow* rows = cnConvergedContact_GetFriction(contact);
    cnVec3 slip = cnContactRows_GetSlip(source, solve->bodies);
    cnVec3 surface = source->surfaceVelocity;
    bool isCold = solve->settings.disableWarmStart || !cnFriction_HasRows(friction);
    double warm = isCold ? 0.0 : 1.0, impulse[2];
    cnVec3 sliding = WithRemainders(source->pair->friction, source->pair->frictionRemainder);
    cnFrictionAxes_Split(&source->sliding, sliding, impulse);
    for (int i = 0; i < 2; ++i) {
        cnConvergedRow* row = &rows[i];
        cnVec3 axis = source->sliding.axis[i];
        MakeRow(row, axis, source->centreArm1, source->centreArm2);
        FindResponses(solve, contact, row);
        row->start = cnDot(axis, slip);
        row->start += cnDot(axis, surface);
        double sigma = cnFriction_GetSigma(friction, i, source->pointCount, solve->substep);
        row->sigma = cnMax(sigma, CN_MIN_SIGMA * row->inverseMass);
        row->impulse = warm * impulse[i];
    }
    double torsional = WithRemainder(source->pair->torsionalFriction, source->pair->torsionalRemainder);
    LoadAngularRow(solve, contact, &rows[cn_frictionTorsional], source->normal,
                   cnContactRows_GetSpin(source, solve->bodies), warm * torsional);
    rows[cn_frictionTorsional].sigma += cnFriction_GetSpinSigma(friction, solve->substep);
    if (friction->rolls) {
        cnVec3 roll = cnContactRows_GetRoll(source, solve->bodies);
        cnFrictionAxes_Split(&source->rolling, cnToD(source->pair->rollingFriction), impulse);
        for (int i = 0; i < 2; ++i) {
            cnVec3 axis = source->rolling.axis[i];
            LoadAngularRow(solve, contact, &rows[cn_frictionRolling + i], axis, cnDot(axis, roll),
                           warm * impulse[i]);
        }
    }
}

// `places` are those of bodies in the island, by solver index.
static void LoadContact(const cnSolve* solve, int number, const int* places, cnConvergedContact* contact) {
    contact->number = number;
    contact->source = cnSolve_GetRows(solve, number);
    contact->body1 = places[solve->contacts[number].body1];
    contact->body2 = places[solve->contacts[number].body2];
    contact->points = contact->source->pointCount;
    contact->rowEnd = contact->points + cnFriction_CountRows(&contact->source->friction);
    memset(contact->rows, 0, (size_t)contact->rowEnd * sizeof contact->rows[0]);
    contact->softness = cnContactRows_GetSoftness(contact->source, solve->substep);
    contact->least = -contact->source->adhesion * solve->substep;
    contact->relaxes = (contact->source->pair->flags & cn_pairLimitedCorrection) != 0;
    LoadNormalRows(solve, contact);
    LoadFrictionRows(solve, contact);
    for (int i = 0; i < contact->rowEnd; ++i) {
        contact->rows[i].gain = 1.0 / (contact->rows[i].inverseMass + contact->rows[i].sigma);
    }
}

// Biases of a sub-step that begins `elapsed` after the step did.
static void SetBiases(const cnConvergedIsland* island, double elapsed) {
    CN_ASSERT(elapsed >= 0.0);
    double h = island->solve->substep;
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        double curvature = contact->source->pair->curvature;
        double rate = curvature * (island->solve->h - 2.0 * (elapsed + h));
        cnVec3 turning = cnContactRows_GetTurning(contact->source, island->solve->bodies, 2.0 * elapsed + h);
        for (int i = 0; i < 2; ++i) {
            cnConvergedContact_GetFriction(contact)[i].bias =
                cnDot(contact->source->sliding.axis[i], turning);
        }
        for (int i = 0; i < contact->points; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            row->rate = rate;
            double s = row->separation +
                       elapsed * (row->start + curvature * (island->solve->h - h - elapsed)) +
                       RowShift(island, contact, row);
            if (s > 0.0) {
                row->bias = rate + s / h;
            } else {
                double before =
                    row->start + rate + 2.0 * h * curvature + RowSpeedBefore(island, contact, row);
                row->bias =
                    rate + cnMax(contact->softness.bounce * s, -row->push) - contact->softness.gamma * before;
            }
        }
    }
}
// ---- sweep ------------------------------------------------------------------------------------------------

// Changes a row's multiplier. Returns the change of its speed.
static double MoveRow(const cnConvergedIsland* island, cnConvergedContact* contact, cnConvergedRow* row,
                      double impulse, double inverseMass) {
    double delta = impulse - row->impulse;
    row->impulse = impulse;
    cnConvergedRow_Push(row, island, contact, delta);
    return inverseMass * fabs(delta);
}

static double SweepCircle(const cnConvergedIsland* island, cnConvergedContact* contact,
                          cnConvergedRow rows[2], double bound) {
    double largest = cnMax(rows[0].inverseMass + rows[0].sigma, rows[1].inverseMass + rows[1].sigma);
    double gain = cnMin(rows[0].gain, rows[1].gain);
    double next1 = rows[0].impulse - gain * cnConvergedRow_GetResidual(&rows[0], island, contact);
    double next2 = rows[1].impulse - gain * cnConvergedRow_GetResidual(&rows[1], island, contact);
    double scale = cnFriction_GetScale(next1, next2, bound);
    double change = MoveRow(island, contact, &rows[0], scale * next1, largest);
    return change + MoveRow(island, contact, &rows[1], scale * next2, largest);
}

static double SweepBounded(const cnConvergedIsland* island, cnConvergedContact* contact, cnConvergedRow* row,
                           double bound) {
    double next = row->impulse - row->gain * cnConvergedRow_GetResidual(row, island, contact);
    return MoveRow(island, contact, row, cnClamp(next, -bound, bound), row->inverseMass);
}

// Friction of one contact: scalar steps with the larger inverse effective mass, projected on the circle, or
// steps along each side of a box; then torsional friction and rolling.
static double SweepFriction(const cnConvergedIsland* island, cnConvergedContact* contact, double load,
                            double moment) {
    cnConvergedRow* t = cnConvergedContact_GetFriction(contact);
    const cnContactFriction* friction = &contact->source->friction;
    cnFrictionBounds bounds = cnFriction_GetBounds(friction, load, moment, island->solve->substep);
    double change = 0.0;
    if (friction->isBox) {
        for (int i = 0; i < 2; ++i) {
            change += SweepBounded(island, contact, &t[i], bounds.tangential[i]);
        }
    } else {
        change = SweepCircle(island, contact, t, bounds.tangential[0]);
    }
    double radius = contact->source->pair->inradius; // makes m/s of rotations
    if (t[cn_frictionTorsional].inverseMass > 0.0) {
        double turn = SweepBounded(island, contact, &t[cn_frictionTorsional], bounds.torsional);
        change = cnMax(change, turn * radius);
    }
    if (friction->rolls) {
        double turn = SweepCircle(island, contact, &t[cn_frictionRolling], bounds.rolling);
        change = cnMax(change, turn * radius);
    }
    return change;
}

// All rows once. Returns the largest change, in m/s.
static double SweepAll(const cnConvergedIsland* island) {
    double change = 0.0;
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        double load = 0.0, moment = 0.0;
        for (int i = 0; i < contact->points; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            double step = row->gain * cnConvergedRow_GetResidual(row, island, contact);
            double updated = cnMax(contact->least, row->impulse - step);
            double delta = updated - row->impulse;
            row->impulse = updated;
            cnConvergedRow_Push(row, island, contact, delta);
            change = cnMax(change, row->inverseMass * fabs(delta));
            load += updated - contact->least;
            moment += (updated - contact->least) * row->radius;
        }
        change = cnMax(change, SweepFriction(island, contact, load, moment));
    }
    return change;
}

// λ' = max(0, λ − G v / D) for overlapping points of contacts that came in by an impact.
static void RelaxImpacts(const cnConvergedIsland* island) {
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        for (int i = 0; contact->relaxes && i < contact->points; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            if (row->separation <= 0.0) {
                double speed = row->start + row->rate + cnConvergedRow_GetSpeed(row, island, contact);
                double updated = cnMax(contact->least, row->impulse - speed / row->inverseMass);
                cnConvergedRow_Push(row, island, contact, updated - row->impulse);
                row->impulse = updated;
            }
        }
    }
}

// ---- an island --------------------------------------------------------------------------------------------

static void ForAllRows(const cnConvergedIsland* island,
                       void (*apply)(const cnConvergedIsland*, cnConvergedContact*, cnConvergedRow*)) {
    for (int c = 0; c < island->contactCount; ++c) {
        for (int i = 0; i < island->contacts[c].rowEnd; ++i) {
            apply(island, &island->contacts[c], &island->contacts[c].rows[i]);
        }
    }
}

static void ApplyImpulse(const cnConvergedIsland* island, cnConvergedContact* contact, cnConvergedRow* row) {
    row->warmImpulse = row->impulse;
    cnConvergedRow_Push(row, island, contact, row->impulse);
}

static void RestoreImpulse(const cnConvergedIsland* island, cnConvergedContact* contact,
                           cnConvergedRow* row) {
    (void)island;
    (void)contact;
    row->impulse = row->warmImpulse;
}

// Rounds of Newton and sweep, after a sweep that changed `change`. The largest change in the last sweep, m/s.
static double SolveInRounds(cnConvergedIsland* island, double change, double tolerance) {
    for (int round = 0; round < CN_ROUNDS && change > tolerance; ++round) {
        cnConvergedIsland_StepNewton(island);
        double before = change;
        change = SweepAll(island);
        bool leadsAway = change > cnMax(CN_FAILED_CHANGE, CN_MOST_GROWTH * before);
        if (leadsAway || (round > 0 && change > CN_LEAST_GAIN * before)) {
            break;
        }
    }
    island->isSlow = island->isSlow || change > tolerance;
    return change;
}

static void KeepImpulse(const cnConvergedIsland* island, cnConvergedContact* contact, cnConvergedRow* row) {
    (void)island;
    (void)contact;
    row->warmImpulse = row->impulse;
}

static void KeepState(const cnConvergedIsland* island) {
    for (int place = 1; place <= island->bodyCount; ++place) {
        cnConvergedBody* body = &island->bodies[place];
        body->warmVelocity = body->velocity;
    }
    ForAllRows(island, KeepImpulse);
}

static void RestoreState(const cnConvergedIsland* island) {
    for (int place = 1; place <= island->bodyCount; ++place) {
        cnConvergedBody* body = &island->bodies[place];
        body->velocity = body->warmVelocity;
    }
    ForAllRows(island, RestoreImpulse);
}

// The change of the last one, m/s.
static double SweepPlainly(const cnConvergedIsland* island) {
    double change = 0.0;
    for (int sweep = 1; sweep <= CN_PLAIN_SWEEPS; ++sweep) {
        change = SweepAll(island);
        if (!island->isHeavy && sweep >= CN_LEAST_SWEEPS && change > CN_RESTLESS_CHANGE) {
            break;
        }
    }
    return change;
}

// Rounds, or plain sweeps where those fail and, where these nearly end, rounds from there. True where the
// first sweep changed nothing: the multipliers of the sub-step before are those of this one.
static bool SolveRows(cnConvergedIsland* island, double tolerance) {
    CN_ASSERT(tolerance > 0.0);
    KeepState(island);
    double first = SweepAll(island);
    if (first <= tolerance) {
        return true;
    }
    bool isTried = island->isHeavy || !island->failed;
    if (isTried && SolveInRounds(island, first, tolerance) <= cnMin(first, CN_FAILED_CHANGE)) {
        return false;
    }
    RestoreState(island);
    island->failed = true;
    double change = SweepPlainly(island);
    if (change > CN_FAILED_CHANGE) {
        return false;
    }
    KeepState(island);
    if (SolveInRounds(island, INFINITY, tolerance) > tolerance) {
        RestoreState(island);
    }
    return false;
}

// Whether some contact would still take part in relaxing sweeps.
static bool HasImpacts(const cnConvergedIsland* island) {
    for (int c = 0; c < island->contactCount; ++c) {
        if (island->contacts[c].relaxes) {
            return true;
        }
    }
    return false;
}

// The multipliers bear for so many sub-steps what they bear.
static void SumImpulses(const cnConvergedIsland* island, int count) {
    for (int c = 0; c < island->contactCount; ++c) {
        for (int i = 0; i < island->contacts[c].rowEnd; ++i) {
            cnConvergedRow* row = &island->contacts[c].rows[i];
            row->sum += count * row->impulse;
        }
    }
}

// The sub-steps that are left go as the last one did: nothing changed in it but what forces and the
// multipliers of the one before make.
static void RepeatSubstep(cnConvergedIsland* island, int count, double h) {
    for (int place = 1; place <= island->bodyCount; ++place) {
        cnConvergedBody* body = &island->bodies[place];
        cnVec6 change = cnVec6_Sub(&body->velocity, &body->velocityBefore);
        double triangle = 0.5 * count * (count + 1); // 1 + 2 + … + count
        cnVec6_AddScaled(&body->shift, count * h, &body->velocity);
        cnVec6_AddScaled(&body->shift, triangle * h, &change);
        cnVec6_AddScaled(&body->velocity, count, &change);
    }
    SumImpulses(island, count);
}

static void SolveIsland(cnConvergedIsland* island) {
    const cnSolve* solve = island->solve;
    CN_ASSERT(island->contactCount >= 1);
    double h = solve->substep;
    double tolerance = cnConvergedIsland_GetTolerance(island);
    bool mayRepeat = !HasImpacts(island);
    for (int substep = 0; substep < solve->substeps; ++substep) {
        for (int place = 1; place <= island->bodyCount; ++place) {
            cnConvergedBody* body = &island->bodies[place];
            const cnForceResponse* force = &solve->solver.response[body->index];
            int row = solve->solver.rows[body->index];
            cnVec3 linear = cnVec6_GetLinear(&body->velocity), angular = cnVec6_GetAngular(&body->velocity);
            cnVec3 v = cnAdd(solve->bodies->halfStepVelocity[row], linear);
            cnVec3 w = cnAdd(solve->bodies->halfStepAngularVelocity[row], angular);
            body->velocityBefore = body->velocity;
            body->velocity = cnVec6_Of(cnAdd(linear, cnForceResponse_Linear(force, v)),
                                       cnAdd(angular, cnForceResponse_Angular(force, w)));
        }
        SetBiases(island, substep * h);
        ForAllRows(island, ApplyImpulse);
        bool isSame = SolveRows(island, tolerance);
        if (isSame && mayRepeat && cnConvergedIsland_IsStill(island)) {
            cnConvergedIsland_Stop(island);
            SumImpulses(island, solve->substeps - substep);
            break;
        }
        for (int place = 1; place <= island->bodyCount; ++place) {
            cnConvergedBody* body = &island->bodies[place];
            cnVec6_AddScaled(&body->shift, h, &body->velocity);
        }
        RelaxImpacts(island);
        SumImpulses(island, 1);
        if (isSame && mayRepeat) {
            RepeatSubstep(island, solve->substeps - 1 - substep, h);
            break;
        }
    }
}

static void StoreMotion6(cnMotion6* out, const cnVec6* motion) {
    const double* n = motion->n;
    *out = (cnMotion6){
        {(float)n[0], (float)n[1], (float)n[2], 0.0f},
        {(float)n[3], (float)n[4], (float)n[5], 0.0f},
    };
}

static void StoreFriction(const cnConvergedContact* contact, double perStep, double substep) {
    const cnContactRows* source = contact->source;
    cnPair* pair = source->pair;
    const cnConvergedRow* t = &contact->rows[contact->points];
    const cnConvergedRow* r = &t[cn_frictionRolling];
    cnVec3 sliding = cnFrictionAxes_Join(&source->sliding, t[0].impulse, t[1].impulse);
    pair->friction = cnToF(sliding);
    pair->frictionRemainder = cnToF(cnSub(sliding, cnToD(pair->friction)));
    pair->torsionalFriction = (float)t[cn_frictionTorsional].impulse;
    pair->torsionalRemainder = RemainderOf(t[cn_frictionTorsional].impulse);
    pair->frictionForce = cnToF(cnScale(perStep, cnFrictionAxes_Join(&source->sliding, t[0].sum, t[1].sum)));
    if (source->friction.rolls) {
        pair->rollingFriction = cnToF(cnFrictionAxes_Join(&source->rolling, r[0].impulse, r[1].impulse));
    }
    cnConvergedLoad pressed = cnConvergedContact_GetLoad(contact);
    const double lambda[3] = {t[0].impulse, t[1].impulse, t[cn_frictionTorsional].impulse};
    cnPair_NoteSliding(pair, &source->friction, source->isArea, pressed.load, pressed.moment, substep,
                       lambda);
}

// `doubtful`: for so many steps its pairs remember that it did not converge.
static void StoreIsland(const cnConvergedIsland* island, int doubtful) {
    const cnSolve* solve = island->solve;
    for (int place = 1; place <= island->bodyCount; ++place) {
        const cnConvergedBody* body = &island->bodies[place];
        StoreMotion6(&solve->solver.velocity[body->index], &body->velocity);
        StoreMotion6(&solve->solver.displacement[body->index], &body->shift);
    }
    for (int c = 0; c < island->contactCount; ++c) {
        const cnConvergedContact* contact = &island->contacts[c];
        CN_ASSERT(contact->points >= 1);
        cnPair* pair = contact->source->pair;
        int index1 = island->bodies[contact->body1].index, index2 = island->bodies[contact->body2].index;
        double perStep = 1.0 / cnSolve_GetForceTime(solve, index1, index2), sum = 0.0;
        for (int i = 0; i < contact->points; ++i) {
            pair->impulse[i] = (float)contact->rows[i].impulse;
            pair->impulseRemainder[i] = RemainderOf(contact->rows[i].impulse);
            pair->normalForce[i] = (float)(contact->rows[i].sum * perStep);
            sum += contact->rows[i].sum;
        }
        double mean = sum / (contact->points * solve->substeps);
        pair->integralImpulse += (float)(solve->h / CN_INTEGRAL_TIME * (mean - pair->integralImpulse));
        pair->convergedSteps = doubtful > 0 ? -doubtful : pair->convergedSteps;
        StoreFriction(contact, perStep, solve->substep);
    }
}

// What a thread solves islands in, one after the other: it suffices for the largest.
typedef struct Room {
    cnConvergedBody* bodies;
    cnConvergedContact* contacts;
    int *roots, *tree;
    int *order, *edges;
} Room;

struct cnConvergedIslands {
    cnSolve* solve;
    int* numbers; // of islands, the largest first
    int count;
    cnMembers bodiesOf, contactsOf;
    int* places; // in their islands, by solver index
    Room rooms[CN_MAX_THREADS];
};

int cnConvergedIslands_GetCount(const cnConvergedIslands* islands) {
    return islands->count;
}

void cnConvergedIslands_Solve(cnConvergedIslands* islands, int which, int thread) {
    CN_ASSERT(which >= 0 && which < islands->count);
    cnSolve* solve = islands->solve;
    const Room* room = &islands->rooms[thread];
    int number = islands->numbers[which];
    cnConvergedIsland island = {
        .solve = solve,
        .bodies = room->bodies,
        .contacts = room->contacts,
        .tree = room->tree,
        .roots = room->roots,
        .order = room->order,
        .edges = room->edges,
        .isHeavy = solve->islands[number].isHeavy,
    };
    island.bodies[0] = (cnConvergedBody){0};
    for (int b = islands->bodiesOf.first[number]; b >= 0; b = islands->bodiesOf.next[b]) {
        int place = islands->places[b] = ++island.bodyCount;
        island.bodies[place] = (cnConvergedBody){
            .index = b,
            .mass = cnInverse(solve->solver.inverse[b].linear),
            .inertia = cnInverse(solve->solver.inverse[b].angular),
        };
    }
    for (int c = islands->contactsOf.first[number]; c >= 0; c = islands->contactsOf.next[c]) {
        LoadContact(solve, c, islands->places, &island.contacts[island.contactCount++]);
    }
    CN_ASSERT(island.bodyCount == solve->islands[number].bodyCount);
    CN_ASSERT(island.contactCount == solve->islands[number].contactCount);
    cnConvergedIsland_BuildTree(&island);
    SolveIsland(&island);
    int afterFailure = island.isHeavy ? CN_WAIT_STEPS : CN_BACK_OFF_STEPS;
    int otherwise = island.isSlow && !island.isHeavy ? CN_WAIT_STEPS : 0;
    StoreIsland(&island, island.failed ? afterFailure : otherwise);
}

// A room a thread, all of one kind side by side.
static bool PushRooms(const cnSolve* solve, int bodyCount, int contactCount, Room* rooms) {
    int threads = cnThreadPool_GetThreads(solve->threads), places = bodyCount + 1;
    int allPlaces = threads * places, allContacts = threads * contactCount;
    Room all = {
        .bodies = CN_PUSH(solve->stack, cnConvergedBody, allPlaces, "converged bodies"),
        .contacts = CN_PUSH(solve->stack, cnConvergedContact, allContacts, "converged contacts"),
        .roots = CN_PUSH(solve->stack, int, allPlaces, "converged islands' roots"),
        .tree = CN_PUSH(solve->stack, int, allPlaces, "converged islands' trees"),
        .order = CN_PUSH(solve->stack, int, allContacts, "converged contacts by weight"),
        .edges = CN_PUSH(solve->stack, int, allContacts, "converged islands' edges"),
    };
    if (all.bodies == NULL || all.contacts == NULL || all.roots == NULL || all.tree == NULL ||
        all.order == NULL || all.edges == NULL) {
        return false;
    }
    for (int thread = 0; thread < threads; ++thread) {
        int firstBody = thread * places, firstContact = thread * contactCount;
        rooms[thread] = (Room){
            .bodies = all.bodies + firstBody,
            .contacts = all.contacts + firstContact,
            .roots = all.roots + firstBody,
            .tree = all.tree + firstBody,
            .order = all.order + firstContact,
            .edges = all.edges + firstContact,
        };
    }
    return true;
}

cnConvergedIslands* cnConvergedIslands_Prepare(cnSolve* solve) {
    cnConvergedIslands* islands = CN_PUSH(solve->stack, cnConvergedIslands, 1, "converged islands");
    int* numbers = CN_PUSH(solve->stack, int, solve->statistics.convergedIslands, "numbers of islands");
    int* places = CN_PUSH(solve->stack, int, solve->solver.count, "places in converged islands");
    if (islands == NULL || numbers == NULL || places == NULL) {
        return NULL;
    }
    int count = 0, bodyCount = 0, contactCount = 0; // of the largest
    for (int number = 0; number < solve->islandCount; ++number) {
        const cnIsland* island = &solve->islands[number];
        if (island->solver == cn_islandConverged) {
            numbers[count++] = number;
            bodyCount = island->bodyCount > bodyCount ? island->bodyCount : bodyCount;
            contactCount = island->contactCount > contactCount ? island->contactCount : contactCount;
        }
    }
    CN_ASSERT(count <= solve->statistics.convergedIslands);
    const cnIsland* of = solve->islands;
    CN_SHELL_SORT(int, numbers, count, a, b,
                  of[a].contactCount > of[b].contactCount ||
                      (of[a].contactCount == of[b].contactCount && a < b));
    *islands = (cnConvergedIslands){.solve = solve, .numbers = numbers, .count = count, .places = places};
    places[0] = 0;
    bool isComplete =
        PushRooms(solve, bodyCount, contactCount, islands->rooms) &&
        cnDirect_FindMembers(solve, solve->islandCount, solve->solver.count, solve->solver.island,
                             sizeof(int), &islands->bodiesOf) &&
        cnDirect_FindMembers(solve, solve->islandCount, solve->contactCount, &solve->contacts->island,
                             sizeof *solve->contacts, &islands->contactsOf);
    return isComplete ? islands : NULL;
}
