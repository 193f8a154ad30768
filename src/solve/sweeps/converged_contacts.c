// Converged islands: Newton steps on a spanning tree of the contacts, then full sweeps, in f64.
//
// Per sub-step, with no compliance but the rows' own (Σ_p = 0) and no relaxing sweep, one sweep, which ends
// what rests as it did in the sub-step before; then, up to four times:
//   (a) Newton on a maximum spanning tree of the contacts (weight: summed λ, ties by index),
//         (M + Σᵢ Gᵢᵀ Gᵢ/Σᵢ) δv = −Σᵢ Gᵢᵀ rᵢ/Σᵢ,
//       i over the tree's pressing rows (λ > 0 or r < 0) and the friction rows that stick; its blocks are the
//       bodies', 6×6, so elimination from the leaves to the root makes no fill. Contacts with what is not
//       dynamic only add to the diagonal. Rows that would pull are released, friction beyond the bound of the
//       normal forces found is put on it, and the system solved again;
//   (b) one sweep of all rows, stopping when it changes none by more than 1e-6 h_s g, or where the round
//       gained little: friction at its bound follows the normal forces of the round before, so what slides
//       or rolls slowly cycles between active sets.
// A stack or an arch is a tree, so one or two rounds converge at any mass ratio; plain sweeps take thousands.
// r is the row's residual, G v + max(c s, −push) − γ G v_k + Σ λ.
//
// Newton's active set may cycle while bodies tumble. Where the last sweep still changed a row by more than 1
// mm/s, the sub-step starts again from its warm start and takes plain sweeps instead: less exact, but never
// more energy than they leave. They find the active set of what hardly moves; from there rounds are tried
// once more, and count only if they converge. (Without bounds of friction in the Newton step, and with sweeps
// alone after it, a wedge on a thin triangle rocks by 30 µm indefinitely.) A contact that came in by an
// impact and has not rested gets a relaxing sweep as the soft ones do, lest the depth found at the impact be
// thrown out as speed; contacts at rest need none, since G v = 0 there.
#include "solve/sweeps/converged_contacts.h"
#include "base/containers/disjoint_sets.h"
#include "base/containers/sort.h"
#include "base/simd.h"

#include "base/report/assert.h"
#include "solve/contact_rows.h"
#include "solve/direct/island_contents.h"

#include <string.h>

#define CN_ROUNDS 4
#define CN_RELEASES 8
#define CN_TOLERANCE 1e-6
// A row that changes by more than this in the last sweep, m/s, tells that the rounds failed.
#define CN_FAILED_CHANGE 1e-3
#define CN_PLAIN_SWEEPS 30
// From the second on, a round that leaves more than this part of the change before gains too little.
#define CN_LEAST_GAIN 0.5
// Min Σ of a row as a part of its own inverse effective mass: what keeps the Newton matrix solvable.
#define CN_MIN_SIGMA 1e-9
#define CN_ROWS (CN_MANIFOLD_POINTS + cn_frictionMostRows)

// Changes of a body's velocities by an impulse of 1 in a row.
typedef struct Response {
    cnVec3 linear, angular;
} Response;

typedef struct ConvergedRow {
    cnVec3 linear; // direction; zero for torsional friction and rolling
    cnVec3 moment1, moment2;
    Response response1, response2; // of the bodies; the second's to the opposite impulse
    double inverseMass;            // D, the inverse effective mass
    double sigma;
    double start;      // G v at the start of the step
    double separation; // m at the start of the step; normal rows
    double radius;     // m from the friction centre; normal rows
    double push;       // m/s, the fastest that the bias pushes out; normal rows
    double impulse, sum;
    double warmImpulse; // λ at the start of the sub-step
    double bias;        // of this sub-step: r = G v + bias + Σ λ
    double rate;        // m/s, of the curvature, in this sub-step; normal rows
    double residual;    // r where the Newton step starts
    double step;        // change of λ that it wants
    bool active, released;
    bool inMatrix; // of the factorisation that stands
} ConvergedRow;

typedef struct ConvergedContact {
    cnContactRows* source;
    int body1, body2; // solver indices, 0 for what is not dynamic
    int points;
    int rowEnd; // of its rows
    cnRowSoftness softness;
    double least; // N s, of the normal rows' λ
    bool inTree;
    bool relaxes;
    ConvergedRow rows[CN_ROWS]; // points, then those of friction (friction.h); none between
} ConvergedContact;

typedef struct ConvergedBody {
    cnVec3 velocity, angular; // changes since the start of the step
    cnVec3 velocityBefore, angularBefore;
    cnVec3 warmVelocity, warmAngular; // at the start of the sub-step, multipliers applied
    cnVec3 shift, turn;               // beyond what the start velocity makes
    cnMat33 mass, inertia;            // inverse of the inverse masses
    int parent;                       // solver index in the tree, 0 for a root
    double block[36], toParent[36];   // of the Newton matrix; the block becomes L and 1/D
    double solved[36];                // block⁻¹ toParent
    double right[6];                  // then δv
} ConvergedBody;

typedef struct ConvergedIsland {
    cnSolve* solve;
    ConvergedContact* contacts;
    int contactCount;
    int* bodies; // solver indices in the order of the tree, parents first
    int bodyCount;
    ConvergedBody* all; // by solver index
    bool failed;        // in some sub-step
    bool isFactorised;  // the Newton matrix of the rows that say so
} ConvergedIsland;

// ---- rows -------------------------------------------------------------------------------------------------

static double RowSpeed(const ConvergedIsland* island, const ConvergedContact* contact,
                       const ConvergedRow* row) {
    const ConvergedBody* b1 = &island->all[contact->body1];
    const ConvergedBody* b2 = &island->all[contact->body2];
    return cnDot(row->linear, cnSub(b1->velocity, b2->velocity)) + cnDot(row->moment1, b1->angular) -
           cnDot(row->moment2, b2->angular);
}

static double RowSpeedBefore(const ConvergedIsland* island, const ConvergedContact* contact,
                             const ConvergedRow* row) {
    const ConvergedBody* b1 = &island->all[contact->body1];
    const ConvergedBody* b2 = &island->all[contact->body2];
    return cnDot(row->linear, cnSub(b1->velocityBefore, b2->velocityBefore)) +
           cnDot(row->moment1, b1->angularBefore) - cnDot(row->moment2, b2->angularBefore);
}

static double RowShift(const ConvergedIsland* island, const ConvergedContact* contact,
                       const ConvergedRow* row) {
    const ConvergedBody* b1 = &island->all[contact->body1];
    const ConvergedBody* b2 = &island->all[contact->body2];
    return cnDot(row->linear, cnSub(b1->shift, b2->shift)) + cnDot(row->moment1, b1->turn) -
           cnDot(row->moment2, b2->turn);
}

static void PushBody(ConvergedBody* body, const Response* response, double impulse) {
    body->velocity = cnMulAdd(body->velocity, impulse, response->linear);
    body->angular = cnMulAdd(body->angular, impulse, response->angular);
}

static void PushRow(const ConvergedIsland* island, const ConvergedContact* contact, const ConvergedRow* row,
                    double impulse) {
    CN_ASSERT(contact->body1 != 0 || contact->body2 != 0);
    if (contact->body1 != 0) {
        PushBody(&island->all[contact->body1], &row->response1, impulse);
    }
    if (contact->body2 != 0) {
        PushBody(&island->all[contact->body2], &row->response2, impulse);
    }
}

static double Residual(const ConvergedIsland* island, const ConvergedContact* contact,
                       const ConvergedRow* row) {
    return row->start + RowSpeed(island, contact, row) + row->bias + row->sigma * row->impulse;
}

static void MakeRow(ConvergedRow* row, cnVec3 direction, cnVec3 arm1, cnVec3 arm2) {
    row->linear = direction;
    row->moment1 = cnCross(arm1, direction);
    row->moment2 = cnCross(arm2, direction);
}

static Response FindResponse(const cnInverseMass* inverse, cnVec3 linear, cnVec3 moment) {
    return (Response){cnMulMat(inverse->linear, linear), cnMulMat(inverse->angular, moment)};
}

// Of a row whose direction and moments are known.
static void FindResponses(const cnSolve* solve, const ConvergedContact* contact, ConvergedRow* row) {
    const cnInverseMass* inverse = solve->solver.inverse;
    row->response1 = FindResponse(&inverse[contact->body1], row->linear, row->moment1);
    row->response2 = FindResponse(&inverse[contact->body2], cnNeg(row->linear), cnNeg(row->moment2));
    row->inverseMass = cnDot(row->linear, cnSub(row->response1.linear, row->response2.linear)) +
                       cnDot(row->moment1, row->response1.angular) -
                       cnDot(row->moment2, row->response2.angular);
}

// Rows of friction follow those of the points.
static ConvergedRow* GetFrictionRows(ConvergedContact* contact) {
    return &contact->rows[contact->points];
}

static void LoadNormalRows(const cnSolve* solve, ConvergedContact* contact) {
    cnContactRows* source = contact->source;
    double h = solve->substep;
    for (int i = 0; i < source->pointCount; ++i) {
        const cnContactPoint* point = &source->points[i];
        ConvergedRow* row = &contact->rows[i];
        MakeRow(row, source->normal, cnContactRows_GetArm1(source, i), cnContactRows_GetArm2(source, i));
        FindResponses(solve, contact, row);
        row->start = cnPair_GetNormalSpeed(source->pair, solve->bodies, i);
        row->sigma = cnMax(contact->softness.sigma, CN_MIN_SIGMA * row->inverseMass);
        row->impulse = solve->settings.disableWarmStart ? 0.0 : source->pair->impulse[i];
        double stored = cnContactRows_GetStoredOverlap(source, row->impulse, 0.0, 0.0, h);
        double atPoses = row->start + source->pair->curvature * solve->h;
        row->separation = cnContactRows_GetSeparation(source, i, atPoses);
        row->push =
            cnContactRows_GetPush(source, false, i, row->inverseMass, stored, contact->softness.bounce);
        row->radius = point->radius;
    }
}

static void LoadAngularRow(const cnSolve* solve, ConvergedContact* contact, ConvergedRow* row, cnVec3 axis,
                           double start, double impulse) {
    row->moment1 = row->moment2 = axis;
    FindResponses(solve, contact, row);
    row->sigma = CN_MIN_SIGMA * row->inverseMass;
    row->impulse = impulse;
    row->start = start;
}

// At the friction centre.
static void LoadFrictionRows(const cnSolve* solve, ConvergedContact* contact) {
    const cnContactRows* source = contact->source;
    const cnContactFriction* friction = &source->friction;
    ConvergedRow* rows = GetFrictionRows(contact);
    cnVec3 slip = cnContactRows_GetSlip(source, solve->bodies);
    cnVec3 surface = source->surfaceVelocity;
    bool isCold = solve->settings.disableWarmStart || !cnFriction_HasRows(friction);
    double warm = isCold ? 0.0 : 1.0, impulse[2];
    cnFrictionAxes_Split(&source->sliding, cnToD(source->pair->friction), impulse);
    for (int i = 0; i < 2; ++i) {
        ConvergedRow* row = &rows[i];
        cnVec3 axis = source->sliding.axis[i];
        MakeRow(row, axis, source->centreArm1, source->centreArm2);
        FindResponses(solve, contact, row);
        row->start = cnDot(axis, slip);
        row->start += cnDot(axis, surface);
        double sigma = cnFriction_GetSigma(friction, i, source->pointCount, solve->substep);
        row->sigma = cnMax(sigma, CN_MIN_SIGMA * row->inverseMass);
        row->impulse = warm * impulse[i];
    }
    LoadAngularRow(solve, contact, &rows[cn_frictionTorsional], source->normal,
                   cnContactRows_GetSpin(source, solve->bodies), warm * source->pair->torsionalFriction);
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

static void LoadContact(const cnSolve* solve, int index, ConvergedContact* contact) {
    contact->source = cnSolve_GetRows(solve, index);
    contact->body1 = solve->contacts[index].body1;
    contact->body2 = solve->contacts[index].body2;
    contact->points = contact->source->pointCount;
    contact->rowEnd = contact->points + cnFriction_CountRows(&contact->source->friction);
    memset(contact->rows, 0, (size_t)contact->rowEnd * sizeof contact->rows[0]);
    contact->softness = cnContactRows_GetSoftness(contact->source, solve->substep);
    contact->least = -contact->source->adhesion * solve->substep;
    contact->relaxes = (contact->source->pair->flags & cn_pairLimitedCorrection) != 0;
    LoadNormalRows(solve, contact);
    LoadFrictionRows(solve, contact);
}

// Biases of a sub-step that begins `elapsed` after the step did.
static void SetBiases(const ConvergedIsland* island, double elapsed) {
    CN_ASSERT(elapsed >= 0.0);
    double h = island->solve->substep;
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        double curvature = contact->source->pair->curvature;
        double rate = curvature * (island->solve->h - 2.0 * (elapsed + h));
        cnVec3 turning = cnContactRows_GetTurning(contact->source, island->solve->bodies, 2.0 * elapsed + h);
        for (int i = 0; i < 2; ++i) {
            GetFrictionRows(contact)[i].bias = cnDot(contact->source->sliding.axis[i], turning);
        }
        for (int i = 0; i < contact->points; ++i) {
            ConvergedRow* row = &contact->rows[i];
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

// ---- the tree ---------------------------------------------------------------------------------------------

static double WeightOf(const ConvergedContact* contact) {
    double sum = 0.0;
    for (int i = 0; i < contact->points; ++i) {
        sum += contact->rows[i].impulse;
    }
    return sum;
}

// Heaviest first, ties by index.
static void SortByWeight(const ConvergedContact* contacts, int* order, int count) {
    CN_ASSERT(count >= 0);
    CN_SHELL_SORT(int, order, count, a, b,
                  WeightOf(&contacts[a]) > WeightOf(&contacts[b]) ||
                      (WeightOf(&contacts[a]) == WeightOf(&contacts[b]) && a < b));
}

// Roots the forest: bodies in the order found from the first body of each tree, parents first. `edges` are
// the tree's contacts.
static void RootTree(ConvergedIsland* island, const int* edges, int edgeCount, const int* members) {
    CN_ASSERT(edgeCount < island->bodyCount);
    for (int i = 0; i < island->bodyCount; ++i) {
        island->all[members[i]].parent = -1;
    }
    int found = 0;
    for (int i = 0; i < island->bodyCount; ++i) {
        if (island->all[members[i]].parent >= 0) {
            continue;
        }
        island->all[members[i]].parent = 0;
        island->bodies[found++] = members[i];
        for (int next = found - 1; next < found; ++next) {
            int body = island->bodies[next];
            for (int e = 0; e < edgeCount; ++e) {
                const ConvergedContact* edge = &island->contacts[edges[e]];
                int other = edge->body1 == body ? edge->body2 : (edge->body2 == body ? edge->body1 : 0);
                if (other != 0 && island->all[other].parent < 0) {
                    island->all[other].parent = body;
                    island->bodies[found++] = other;
                }
            }
        }
    }
    CN_ASSERT(found == island->bodyCount);
}

// Kruskal's maximum spanning forest, and which contacts it carries: edges, those beside an edge, those with
// what is not dynamic.
static void BuildTree(ConvergedIsland* island, const int* members, int* roots, int* order, int* edges) {
    CN_ASSERT(island->bodyCount >= 1 && island->contactCount >= 1);
    int candidates = 0, edgeCount = 0;
    for (int i = 0; i < island->bodyCount; ++i) {
        roots[members[i]] = members[i];
    }
    for (int c = 0; c < island->contactCount; ++c) {
        if (island->contacts[c].body1 != 0 && island->contacts[c].body2 != 0) {
            order[candidates++] = c;
        }
    }
    SortByWeight(island->contacts, order, candidates);
    for (int i = 0; i < candidates; ++i) {
        int root1 = cnFindRoot(roots, island->contacts[order[i]].body1);
        int root2 = cnFindRoot(roots, island->contacts[order[i]].body2);
        if (root1 != root2) {
            roots[root1] = root2;
            edges[edgeCount++] = order[i];
        }
    }
    RootTree(island, edges, edgeCount, members);
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        int b1 = contact->body1, b2 = contact->body2;
        contact->inTree = b1 == 0 || b2 == 0 || island->all[b1].parent == b2 || island->all[b2].parent == b1;
    }
}

// ---- Newton -----------------------------------------------------------------------------------------------

static void PackRow(const ConvergedRow* row, bool first, double g[6]) {
    double sign = first ? 1.0 : -1.0;
    cnVec3 moment = first ? row->moment1 : row->moment2;
    g[0] = sign * row->linear.x;
    g[1] = sign * row->linear.y;
    g[2] = sign * row->linear.z;
    g[3] = sign * moment.x;
    g[4] = sign * moment.y;
    g[5] = sign * moment.z;
}

// row += factor other, of six
static void AddToSix(double* row, double factor, const double* other) {
    cnD2 f = cnSplatD(factor);
    for (int k = 0; k < 6; k += 2) {
        cnStoreD(row + k, cnMulAddD(cnLoadD(row + k), f, cnLoadD(other + k)));
    }
}

// block += s a bᵀ
static void AddOuter(double block[36], double s, const double a[6], const double b[6]) {
    for (int i = 0; i < 6; ++i) {
        AddToSix(&block[6 * i], s * a[i], b);
    }
}

static void StartBlock(ConvergedBody* body) {
    memset(body->block, 0, sizeof body->block);
    memset(body->toParent, 0, sizeof body->toParent);
    const cnVec3 mass[3] = {body->mass.x, body->mass.y, body->mass.z};
    const cnVec3 inertia[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    for (int k = 0; k < 3; ++k) {
        body->block[k] = mass[k].x;
        body->block[6 + k] = mass[k].y;
        body->block[12 + k] = mass[k].z;
        body->block[18 + 3 + k] = inertia[k].x;
        body->block[24 + 3 + k] = inertia[k].y;
        body->block[30 + 3 + k] = inertia[k].z;
    }
}

static void AddToRight(const ConvergedIsland* island, const ConvergedContact* contact,
                       const ConvergedRow* row, double impulse) {
    double g[6];
    if (contact->body1 != 0) {
        PackRow(row, true, g);
        AddToSix(island->all[contact->body1].right, impulse, g);
    }
    if (contact->body2 != 0) {
        PackRow(row, false, g);
        AddToSix(island->all[contact->body2].right, impulse, g);
    }
}

static void AssembleRow(const ConvergedIsland* island, const ConvergedContact* contact,
                        const ConvergedRow* row) {
    double inverse = 1.0 / row->sigma;
    double g1[6], g2[6];
    if (contact->body1 != 0) {
        PackRow(row, true, g1);
        AddOuter(island->all[contact->body1].block, inverse, g1, g1);
    }
    if (contact->body2 != 0) {
        PackRow(row, false, g2);
        AddOuter(island->all[contact->body2].block, inverse, g2, g2);
    }
    if (contact->body1 != 0 && contact->body2 != 0) {
        if (island->all[contact->body1].parent == contact->body2) {
            AddOuter(island->all[contact->body1].toParent, inverse, g1, g2);
        } else {
            AddOuter(island->all[contact->body2].toParent, inverse, g2, g1);
        }
    }
}

// In place LDLᵀ of a symmetric positive definite 6×6 block: the lower triangle becomes L, the diagonal 1/D.
static void Factorise(double a[36]) {
    for (int k = 0; k < 6; ++k) {
        double inverse = 1.0 / a[7 * k];
        for (int i = k + 1; i < 6; ++i) {
            double l = a[6 * i + k] * inverse;
            for (int j = k + 1; j <= i; ++j) {
                a[6 * i + j] -= l * a[6 * j + k];
            }
        }
        for (int i = k + 1; i < 6; ++i) {
            a[6 * i + k] *= inverse;
        }
        a[7 * k] = inverse;
    }
}

// x = A⁻¹ x
static void SolveVector(const double a[36], double x[6]) {
    for (int i = 1; i < 6; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= a[6 * i + j] * x[j];
        }
    }
    for (int i = 5; i >= 0; --i) {
        x[i] *= a[7 * i];
        for (int j = i + 1; j < 6; ++j) {
            x[i] -= a[6 * j + i] * x[j];
        }
    }
}

// X = A⁻¹ X, six columns at once.
static void SolveColumns(const double a[36], double x[36]) {
    for (int i = 1; i < 6; ++i) {
        for (int j = 0; j < i; ++j) {
            AddToSix(&x[6 * i], -a[6 * i + j], &x[6 * j]);
        }
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = 0; k < 6; ++k) {
            x[6 * i + k] *= a[7 * i];
        }
        for (int j = i + 1; j < 6; ++j) {
            AddToSix(&x[6 * i], -a[6 * j + i], &x[6 * j]);
        }
    }
}

// Leaves to root.
static void FactoriseTree(const ConvergedIsland* island) {
    for (int i = island->bodyCount - 1; i >= 0; --i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        Factorise(body->block);
        if (body->parent == 0) {
            continue;
        }
        memcpy(body->solved, body->toParent, sizeof body->solved);
        SolveColumns(body->block, body->solved);
        double* parent = island->all[body->parent].block;
        for (int r = 0; r < 6; ++r) {
            for (int m = 0; m < 6; ++m) {
                AddToSix(&parent[6 * r], -body->toParent[6 * m + r], &body->solved[6 * m]);
            }
        }
    }
}

// Leaves to root, then back; δv is in `right` afterwards.
static void SolveTree(const ConvergedIsland* island) {
    for (int i = island->bodyCount - 1; i >= 0; --i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        SolveVector(body->block, body->right);
        if (body->parent != 0) {
            for (int m = 0; m < 6; ++m) {
                AddToSix(island->all[body->parent].right, -body->right[m], &body->toParent[6 * m]);
            }
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        if (body->parent != 0) {
            const double* parent = island->all[body->parent].right;
            for (int r = 0; r < 6; ++r) {
                for (int k = 0; k < 6; ++k) {
                    body->right[r] -= body->solved[6 * r + k] * parent[k];
                }
            }
        }
    }
}

static double SpeedBySix(const ConvergedRow* row, cnVec3 moment, const double* six) {
    return cnDot(row->linear, cnVec(six[0], six[1], six[2])) + cnDot(moment, cnVec(six[3], six[4], six[5]));
}

static double StepSpeed(const ConvergedIsland* island, const ConvergedContact* contact,
                        const ConvergedRow* row) {
    double first =
        contact->body1 == 0 ? 0.0 : SpeedBySix(row, row->moment1, island->all[contact->body1].right);
    double second =
        contact->body2 == 0 ? 0.0 : SpeedBySix(row, row->moment2, island->all[contact->body2].right);
    return first - second;
}

static bool IsInside(const ConvergedRow rows[2], double bound) {
    double square = rows[0].impulse * rows[0].impulse + rows[1].impulse * rows[1].impulse;
    return square < bound * bound * (1.0 - 1e-9);
}

// Which rows take part: pressing normals, and all friction of a contact that presses and sticks.
static void ChooseRows(const ConvergedIsland* island) {
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        double load = 0.0, moment = 0.0;
        bool presses = false;
        for (int i = 0; i < contact->points; ++i) {
            ConvergedRow* row = &contact->rows[i];
            row->released = false;
            row->residual = Residual(island, contact, row);
            row->active = contact->inTree && (row->impulse > contact->least || row->residual < 0.0);
            presses |= row->active;
            load += row->impulse - contact->least;
            moment += (row->impulse - contact->least) * row->radius;
        }
        ConvergedRow* t = GetFrictionRows(contact);
        const cnContactFriction* friction = &contact->source->friction;
        cnFrictionBounds bounds = cnFriction_GetBounds(friction, load, moment, island->solve->substep);
        for (int i = contact->points; i < contact->rowEnd; ++i) {
            ConvergedRow* row = &contact->rows[i];
            row->active = presses;
            row->released = false;
            row->residual = presses ? Residual(island, contact, row) : 0.0;
        }
        if (friction->isBox) {
            for (int i = 0; i < 2; ++i) {
                t[i].active = presses && fabs(t[i].impulse) < bounds.tangential[i] * (1.0 - 1e-9);
            }
        } else {
            t[0].active = t[1].active = presses && IsInside(t, bounds.tangential[0]);
        }
        t[2].active = presses && fabs(t[2].impulse) < bounds.torsional * (1.0 - 1e-9);
        if (friction->rolls) {
            ConvergedRow* r = &t[cn_frictionRolling];
            r[0].active = r[1].active = presses && IsInside(r, bounds.rolling);
        }
    }
}

// Puts a row's next multiplier within its bounds and releases it. Whether it was outside.
static bool SlideRow(ConvergedRow* row, double bound) {
    double next = row->impulse + row->step;
    if (!row->active || row->released || fabs(next) <= bound) {
        return false;
    }
    row->step = cnClamp(next, -bound, bound) - row->impulse;
    return row->released = true;
}

// The same for two rows with a circle for their bounds.
static bool SlideCircle(ConvergedRow rows[2], double bound) {
    if (!rows[0].active || rows[0].released) {
        return false;
    }
    double next1 = rows[0].impulse + rows[0].step, next2 = rows[1].impulse + rows[1].step;
    double length = sqrt(next1 * next1 + next2 * next2);
    if (length <= bound) {
        return false;
    }
    rows[0].step = next1 * bound / length - rows[0].impulse;
    rows[1].step = next2 * bound / length - rows[1].impulse;
    return rows[0].released = rows[1].released = true;
}

// Puts friction that would leave its bound on it and releases it. Whether there was any.
static bool Slide(const ConvergedIsland* island, ConvergedContact* contact) {
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < contact->points; ++i) {
        const ConvergedRow* row = &contact->rows[i];
        double next = row->active || row->released ? row->impulse + row->step : row->impulse;
        load += next - contact->least;
        moment += (next - contact->least) * row->radius;
    }
    ConvergedRow* t = GetFrictionRows(contact);
    const cnContactFriction* friction = &contact->source->friction;
    cnFrictionBounds bounds = cnFriction_GetBounds(friction, load, moment, island->solve->substep);
    bool again = false;
    if (friction->isBox) {
        again = SlideRow(&t[0], bounds.tangential[0]);
        again = SlideRow(&t[1], bounds.tangential[1]) || again;
    } else {
        again = SlideCircle(t, bounds.tangential[0]);
    }
    again = SlideRow(&t[cn_frictionTorsional], bounds.torsional) || again;
    if (friction->rolls) {
        again = SlideCircle(&t[cn_frictionRolling], bounds.rolling) || again;
    }
    return again;
}

// Whether the factorisation that stands is of the rows that take part now. Rows do not change within a step,
// so what rests or slides steadily is factorised once for all its sub-steps.
static bool IsMatrixOfRows(const ConvergedIsland* island) {
    bool isSame = island->isFactorised;
    for (int c = 0; isSame && c < island->contactCount; ++c) {
        const ConvergedContact* contact = &island->contacts[c];
        for (int i = 0; isSame && i < contact->rowEnd; ++i) {
            const ConvergedRow* row = &contact->rows[i];
            isSame = row->inMatrix == (row->active && !row->released);
        }
    }
    return isSame;
}

static void MakeMatrix(ConvergedIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        StartBlock(&island->all[island->bodies[i]]);
    }
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        for (int i = 0; i < contact->rowEnd; ++i) {
            ConvergedRow* row = &contact->rows[i];
            row->inMatrix = row->active && !row->released;
            if (row->inMatrix) {
                AssembleRow(island, contact, row);
            }
        }
    }
    FactoriseTree(island);
    island->isFactorised = true;
}

static void MakeRight(const ConvergedIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        memset(body->right, 0, sizeof body->right);
    }
    for (int c = 0; c < island->contactCount; ++c) {
        const ConvergedContact* contact = &island->contacts[c];
        for (int i = 0; i < contact->rowEnd; ++i) {
            const ConvergedRow* row = &contact->rows[i];
            if (row->released) {
                AddToRight(island, contact, row, row->step);
            } else if (row->active) {
                AddToRight(island, contact, row, -row->residual / row->sigma);
            }
        }
    }
}

// One Newton step on the tree's rows.
static void NewtonStep(ConvergedIsland* island) {
    ChooseRows(island);
    bool again = true;
    for (int attempt = 0; again && attempt < CN_RELEASES; ++attempt) {
        if (!IsMatrixOfRows(island)) {
            MakeMatrix(island);
        }
        MakeRight(island);
        SolveTree(island);

        // release what would pull
        again = false;
        for (int c = 0; c < island->contactCount; ++c) {
            ConvergedContact* contact = &island->contacts[c];
            for (int i = 0; i < contact->rowEnd; ++i) {
                ConvergedRow* row = &contact->rows[i];
                if (!row->active || row->released) {
                    continue;
                }
                double speed = StepSpeed(island, contact, row);
                row->step = -(speed + row->residual) / row->sigma;
                if (i < contact->points && row->impulse + row->step < contact->least) {
                    row->released = true;
                    row->step = contact->least - row->impulse;
                    again = true;
                }
            }
            again = Slide(island, contact) || again;
        }
    }
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        for (int i = 0; i < contact->rowEnd; ++i) {
            ConvergedRow* row = &contact->rows[i];
            if (row->released || row->active) {
                row->impulse += row->step;
                PushRow(island, contact, row, row->step);
            }
        }
    }
}

// ---- sweep ------------------------------------------------------------------------------------------------

// Changes a row's multiplier. Returns the change of its speed.
static double MoveRow(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow* row,
                      double impulse, double inverseMass) {
    double delta = impulse - row->impulse;
    row->impulse = impulse;
    PushRow(island, contact, row, delta);
    return inverseMass * fabs(delta);
}

static double SweepCircle(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow rows[2],
                          double bound) {
    double largest = cnMax(rows[0].inverseMass + rows[0].sigma, rows[1].inverseMass + rows[1].sigma);
    double next1 = rows[0].impulse - Residual(island, contact, &rows[0]) / largest;
    double next2 = rows[1].impulse - Residual(island, contact, &rows[1]) / largest;
    double scale = cnFriction_GetScale(next1, next2, bound);
    double change = MoveRow(island, contact, &rows[0], scale * next1, largest);
    return change + MoveRow(island, contact, &rows[1], scale * next2, largest);
}

static double SweepBounded(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow* row,
                           double bound) {
    double next = row->impulse - Residual(island, contact, row) / (row->inverseMass + row->sigma);
    return MoveRow(island, contact, row, cnClamp(next, -bound, bound), row->inverseMass);
}

// Friction of one contact: scalar steps with the larger inverse effective mass, projected on the circle, or
// steps along each side of a box; then torsional friction and rolling.
static double SweepFriction(const ConvergedIsland* island, ConvergedContact* contact, double load,
                            double moment) {
    ConvergedRow* t = GetFrictionRows(contact);
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
static double SweepAll(const ConvergedIsland* island) {
    double change = 0.0;
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        double load = 0.0, moment = 0.0;
        for (int i = 0; i < contact->points; ++i) {
            ConvergedRow* row = &contact->rows[i];
            double step = -Residual(island, contact, row) / (row->inverseMass + row->sigma);
            double updated = cnMax(contact->least, row->impulse + step);
            double delta = updated - row->impulse;
            row->impulse = updated;
            PushRow(island, contact, row, delta);
            change = cnMax(change, row->inverseMass * fabs(delta));
            load += updated - contact->least;
            moment += (updated - contact->least) * row->radius;
        }
        change = cnMax(change, SweepFriction(island, contact, load, moment));
    }
    return change;
}

// λ' = max(0, λ − G v / D) for overlapping points of contacts that came in by an impact.
static void RelaxImpacts(const ConvergedIsland* island) {
    for (int c = 0; c < island->contactCount; ++c) {
        ConvergedContact* contact = &island->contacts[c];
        for (int i = 0; contact->relaxes && i < contact->points; ++i) {
            ConvergedRow* row = &contact->rows[i];
            if (row->separation <= 0.0) {
                double speed = row->start + row->rate + RowSpeed(island, contact, row);
                double updated = cnMax(contact->least, row->impulse - speed / row->inverseMass);
                PushRow(island, contact, row, updated - row->impulse);
                row->impulse = updated;
            }
        }
    }
}

// ---- an island --------------------------------------------------------------------------------------------

static void ForAllRows(const ConvergedIsland* island,
                       void (*apply)(const ConvergedIsland*, ConvergedContact*, ConvergedRow*)) {
    for (int c = 0; c < island->contactCount; ++c) {
        for (int i = 0; i < island->contacts[c].rowEnd; ++i) {
            apply(island, &island->contacts[c], &island->contacts[c].rows[i]);
        }
    }
}

static void ApplyImpulse(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow* row) {
    row->warmImpulse = row->impulse;
    PushRow(island, contact, row, row->impulse);
}

static void RestoreImpulse(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow* row) {
    (void)island;
    (void)contact;
    row->impulse = row->warmImpulse;
}

// Rounds of Newton and sweep, after a sweep that changed `change`. The largest change in the last sweep, m/s.
static double SolveInRounds(ConvergedIsland* island, double change, double tolerance) {
    for (int round = 0; round < CN_ROUNDS && change > tolerance; ++round) {
        NewtonStep(island);
        double before = change;
        change = SweepAll(island);
        if (round > 0 && change > CN_LEAST_GAIN * before && change <= CN_FAILED_CHANGE) {
            break;
        }
    }
    return change;
}

static void KeepImpulse(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow* row) {
    (void)island;
    (void)contact;
    row->warmImpulse = row->impulse;
}

static void KeepState(const ConvergedIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        body->warmVelocity = body->velocity;
        body->warmAngular = body->angular;
    }
    ForAllRows(island, KeepImpulse);
}

static void RestoreState(const ConvergedIsland* island) {
    for (int i = 0; i < island->bodyCount; ++i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        body->velocity = body->warmVelocity;
        body->angular = body->warmAngular;
    }
    ForAllRows(island, RestoreImpulse);
}

// Rounds, or plain sweeps where those fail and, where these nearly end, rounds from there. True where the
// first sweep changed nothing: the multipliers of the sub-step before are those of this one.
static bool SolveRows(ConvergedIsland* island, double tolerance) {
    CN_ASSERT(tolerance > 0.0);
    KeepState(island);
    double change = SweepAll(island);
    if (change <= tolerance) {
        return true;
    }
    if (SolveInRounds(island, change, tolerance) <= CN_FAILED_CHANGE) {
        return false;
    }
    RestoreState(island);
    island->failed = true;
    change = 0.0;
    for (int sweep = 0; sweep < CN_PLAIN_SWEEPS; ++sweep) {
        change = SweepAll(island);
    }
    if (change > CN_FAILED_CHANGE) {
        return false;
    }
    KeepState(island);
    if (SolveInRounds(island, INFINITY, tolerance) > tolerance) {
        RestoreState(island);
    }
    return false;
}

static void SumImpulse(const ConvergedIsland* island, ConvergedContact* contact, ConvergedRow* row) {
    (void)island;
    (void)contact;
    row->sum += row->impulse;
}

// Whether some contact would still take part in relaxing sweeps.
static bool HasImpacts(const ConvergedIsland* island) {
    for (int c = 0; c < island->contactCount; ++c) {
        if (island->contacts[c].relaxes) {
            return true;
        }
    }
    return false;
}

// The sub-steps that are left go as the last one did: nothing changed in it but what forces and the
// multipliers of the one before make.
static void RepeatSubstep(ConvergedIsland* island, int count, double h) {
    for (int i = 0; i < island->bodyCount; ++i) {
        ConvergedBody* body = &island->all[island->bodies[i]];
        cnVec3 change = cnSub(body->velocity, body->velocityBefore);
        cnVec3 turn = cnSub(body->angular, body->angularBefore);
        double triangle = 0.5 * count * (count + 1); // 1 + 2 + … + count
        body->shift = cnMulAdd(cnMulAdd(body->shift, count * h, body->velocity), triangle * h, change);
        body->turn = cnMulAdd(cnMulAdd(body->turn, count * h, body->angular), triangle * h, turn);
        body->velocity = cnMulAdd(body->velocity, count, change);
        body->angular = cnMulAdd(body->angular, count, turn);
    }
    for (int c = 0; c < island->contactCount; ++c) {
        for (int i = 0; i < island->contacts[c].rowEnd; ++i) {
            ConvergedRow* row = &island->contacts[c].rows[i];
            row->sum += count * row->impulse;
        }
    }
}

static void SolveIsland(ConvergedIsland* island) {
    const cnSolve* solve = island->solve;
    CN_ASSERT(island->contactCount >= 1);
    double h = solve->substep;
    double tolerance = CN_TOLERANCE * h * CN_STANDARD_GRAVITY;
    bool mayRepeat = !HasImpacts(island);
    for (int substep = 0; substep < solve->substeps; ++substep) {
        for (int i = 0; i < island->bodyCount; ++i) {
            int index = island->bodies[i];
            ConvergedBody* body = &island->all[index];
            const cnForceResponse* force = &solve->solver.response[index];
            int row = solve->solver.rows[index];
            cnVec3 v = cnAdd(solve->bodies->halfStepVelocity[row], body->velocity);
            cnVec3 w = cnAdd(solve->bodies->halfStepAngularVelocity[row], body->angular);
            body->velocityBefore = body->velocity;
            body->angularBefore = body->angular;
            body->velocity = cnAdd(body->velocity, cnForceResponse_Linear(force, v));
            body->angular = cnAdd(body->angular, cnForceResponse_Angular(force, w));
        }
        SetBiases(island, substep * h);
        ForAllRows(island, ApplyImpulse);
        bool isSame = SolveRows(island, tolerance);
        for (int i = 0; i < island->bodyCount; ++i) {
            ConvergedBody* body = &island->all[island->bodies[i]];
            body->shift = cnMulAdd(body->shift, h, body->velocity);
            body->turn = cnMulAdd(body->turn, h, body->angular);
        }
        RelaxImpacts(island);
        ForAllRows(island, SumImpulse);
        if (isSame && mayRepeat) {
            RepeatSubstep(island, solve->substeps - 1 - substep, h);
            break;
        }
    }
}

static void StoreMotion6(cnMotion6* out, cnVec3 linear, cnVec3 angular) {
    *out = (cnMotion6){
        {(float)linear.x, (float)linear.y, (float)linear.z, 0.0f},
        {(float)angular.x, (float)angular.y, (float)angular.z, 0.0f},
    };
}

static void StoreFriction(const ConvergedContact* contact, double perStep, double substep) {
    const cnContactRows* source = contact->source;
    cnPair* pair = source->pair;
    const ConvergedRow* t = &contact->rows[contact->points];
    const ConvergedRow* r = &t[cn_frictionRolling];
    pair->friction = cnToF(cnFrictionAxes_Join(&source->sliding, t[0].impulse, t[1].impulse));
    pair->torsionalFriction = (float)t[cn_frictionTorsional].impulse;
    pair->frictionForce = cnToF(cnScale(perStep, cnFrictionAxes_Join(&source->sliding, t[0].sum, t[1].sum)));
    if (source->friction.rolls) {
        pair->rollingFriction = cnToF(cnFrictionAxes_Join(&source->rolling, r[0].impulse, r[1].impulse));
    }
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < contact->points; ++i) {
        double pressed = contact->rows[i].impulse - contact->least;
        load += pressed;
        moment += pressed * contact->rows[i].radius;
    }
    const double lambda[3] = {t[0].impulse, t[1].impulse, t[cn_frictionTorsional].impulse};
    cnPair_NoteSliding(pair, &source->friction, source->isArea, load, moment, substep, lambda);
}

static void StoreIsland(const ConvergedIsland* island, bool backsOff) {
    const cnSolve* solve = island->solve;
    for (int i = 0; i < island->bodyCount; ++i) {
        int index = island->bodies[i];
        const ConvergedBody* body = &island->all[index];
        StoreMotion6(&solve->solver.velocity[index], body->velocity, body->angular);
        StoreMotion6(&solve->solver.displacement[index], body->shift, body->turn);
    }
    for (int c = 0; c < island->contactCount; ++c) {
        const ConvergedContact* contact = &island->contacts[c];
        CN_ASSERT(contact->points >= 1);
        cnPair* pair = contact->source->pair;
        double perStep = 1.0 / cnSolve_GetForceTime(solve, contact->body1, contact->body2), sum = 0.0;
        for (int i = 0; i < contact->points; ++i) {
            pair->impulse[i] = (float)contact->rows[i].impulse;
            pair->normalForce[i] = (float)(contact->rows[i].sum * perStep);
            sum += contact->rows[i].sum;
        }
        double mean = sum / (contact->points * solve->substeps);
        pair->integralImpulse += (float)(solve->h / 2.0 * (mean - pair->integralImpulse));
        pair->convergedSteps = backsOff ? -CN_BACK_OFF_STEPS : pair->convergedSteps;
        StoreFriction(contact, perStep, solve->substep);
    }
}

// What the islands work in: by solver index, by place among the bodies of all of them, and among the
// contacts.
typedef struct Room {
    ConvergedBody* all;
    int* roots;
    int *members, *ordered;
    ConvergedContact* contacts;
    int *order, *edges;
} Room;

typedef struct IslandTask {
    int island, firstBody, firstContact;
} IslandTask;

typedef struct IslandTasks {
    cnSolve* solve;
    Room room;
    cnMembers bodiesOf, contactsOf;
    const IslandTask* list;
} IslandTasks;

// An island writes to its own bodies, contacts and pairs only.
static void SolveIslands(int begin, int end, int thread, void* context) {
    (void)thread;
    const IslandTasks* tasks = context;
    cnSolve* solve = tasks->solve;
    for (int i = begin; i < end; ++i) {
        const IslandTask* task = &tasks->list[i];
        const Room* room = &tasks->room;
        int* members = room->members + task->firstBody;
        ConvergedIsland island = {
            .solve = solve,
            .contacts = room->contacts + task->firstContact,
            .bodies = room->ordered + task->firstBody,
            .all = room->all,
        };
        for (int b = tasks->bodiesOf.first[task->island]; b >= 0; b = tasks->bodiesOf.next[b]) {
            members[island.bodyCount++] = b;
            memset(&room->all[b], 0, sizeof room->all[b]);
            room->all[b].mass = cnInverse(solve->solver.inverse[b].linear);
            room->all[b].inertia = cnInverse(solve->solver.inverse[b].angular);
        }
        for (int c = tasks->contactsOf.first[task->island]; c >= 0; c = tasks->contactsOf.next[c]) {
            LoadContact(solve, c, &island.contacts[island.contactCount++]);
        }
        CN_ASSERT(island.bodyCount == solve->islands[task->island].bodyCount);
        CN_ASSERT(island.contactCount == solve->islands[task->island].contactCount);
        BuildTree(&island, members, room->roots, room->order + task->firstContact,
                  room->edges + task->firstContact);
        SolveIsland(&island);
        StoreIsland(&island, island.failed && !solve->islands[task->island].isHeavy);
    }
}

bool cnSolveConvergedIslands(cnSolve* solve) {
    int solverCount = solve->solver.count;
    IslandTask* list =
        CN_PUSH(solve->stack, IslandTask, solve->statistics.convergedIslands, "converged islands");
    if (list == NULL) {
        return false;
    }
    int count = 0, bodyCount = 0, contactCount = 0;
    for (int number = 0; number < solve->islandCount; ++number) {
        const cnIsland* island = &solve->islands[number];
        if (island->solver == cn_islandConverged) {
            list[count++] = (IslandTask){number, bodyCount, contactCount};
            bodyCount += island->bodyCount;
            contactCount += island->contactCount;
        }
    }
    CN_ASSERT(count <= solve->statistics.convergedIslands);
    Room room = {
        .all = CN_PUSH(solve->stack, ConvergedBody, solverCount, "converged bodies"),
        .roots = CN_PUSH(solve->stack, int, solverCount, "converged islands' roots"),
        .members = CN_PUSH(solve->stack, int, bodyCount, "converged islands' bodies"),
        .ordered = CN_PUSH(solve->stack, int, bodyCount, "converged islands' trees"),
        .contacts = CN_PUSH(solve->stack, ConvergedContact, contactCount, "converged contacts"),
        .order = CN_PUSH(solve->stack, int, contactCount, "converged contacts by weight"),
        .edges = CN_PUSH(solve->stack, int, contactCount, "converged islands' edges"),
    };
    IslandTasks tasks = {.solve = solve, .room = room, .list = list};
    if (room.all == NULL || room.roots == NULL || room.members == NULL || room.ordered == NULL ||
        room.contacts == NULL || room.order == NULL || room.edges == NULL ||
        !cnDirect_FindMembers(solve, solve->islandCount, solverCount, solve->solver.island, sizeof(int),
                              &tasks.bodiesOf) ||
        !cnDirect_FindMembers(solve, solve->islandCount, solve->contactCount, &solve->contacts->island,
                              sizeof *solve->contacts, &tasks.contactsOf)) {
        return false;
    }
    memset(&room.all[0], 0, sizeof room.all[0]);
    cnThreadPool_Run(solve->threads, SolveIslands, &tasks, count, 1);
    return true;
}
