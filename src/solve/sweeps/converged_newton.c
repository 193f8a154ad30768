// Newton steps of a converged island on a spanning tree of its contacts (converged_contacts.c).
//
// The matrix is M + Σᵢ Gᵢᵀ Gᵢ/Σᵢ over the rows that take part. Its blocks are the bodies', 6×6, and those
// between a body and its parent in the tree, so elimination from the leaves to the root makes no fill. Which
// rows take part is found on the way: what would pull is released, friction beyond its bound put on it, and
// what the others' step would close is added.
#include "base/containers/disjoint_sets.h"
#include "base/containers/sort.h"
#include "base/simd.h"
#include "solve/sweeps/converged_island.h"

#include <string.h>

// Solves in one step after which rows were released. Eight cost dominoes 7 % and gained nothing in any test.
#define CN_RELEASES 4

// ---- the tree ---------------------------------------------------------------------------------------------

static double WeightOf(const cnConvergedContact* contact) {
    double sum = 0.0;
    for (int i = 0; i < contact->points; ++i) {
        sum += contact->rows[i].impulse;
    }
    return sum;
}

// Heaviest first, ties by index.
static void SortByWeight(const cnConvergedContact* contacts, int* order, int count) {
    CN_ASSERT(count >= 0);
    CN_SHELL_SORT(int, order, count, a, b,
                  WeightOf(&contacts[a]) > WeightOf(&contacts[b]) ||
                      (WeightOf(&contacts[a]) == WeightOf(&contacts[b]) && a < b));
}

// Roots the forest: bodies in the order found from the first body of each tree, parents first.
static void RootTree(cnConvergedIsland* island, int edgeCount) {
    CN_ASSERT(edgeCount < island->bodyCount);
    for (int place = 1; place <= island->bodyCount; ++place) {
        island->bodies[place].parent = -1;
    }
    int found = 0;
    for (int place = 1; place <= island->bodyCount; ++place) {
        if (island->bodies[place].parent >= 0) {
            continue;
        }
        island->bodies[place].parent = 0;
        island->tree[found++] = place;
        for (int next = found - 1; next < found; ++next) {
            int body = island->tree[next];
            for (int e = 0; e < edgeCount; ++e) {
                const cnConvergedContact* edge = &island->contacts[island->edges[e]];
                int other = edge->body1 == body ? edge->body2 : (edge->body2 == body ? edge->body1 : 0);
                if (other != 0 && island->bodies[other].parent < 0) {
                    island->bodies[other].parent = body;
                    island->tree[found++] = other;
                }
            }
        }
    }
    CN_ASSERT(found == island->bodyCount);
}

// Kruskal's maximum spanning forest, and which contacts it carries: edges, those beside an edge, those with
// what is not dynamic.
void cnConvergedIsland_BuildTree(cnConvergedIsland* island) {
    CN_ASSERT(island->bodyCount >= 1 && island->contactCount >= 1);
    int candidates = 0, edgeCount = 0;
    for (int place = 1; place <= island->bodyCount; ++place) {
        island->roots[place] = place;
    }
    for (int c = 0; c < island->contactCount; ++c) {
        if (island->contacts[c].body1 != 0 && island->contacts[c].body2 != 0) {
            island->order[candidates++] = c;
        }
    }
    SortByWeight(island->contacts, island->order, candidates);
    for (int i = 0; i < candidates; ++i) {
        const cnConvergedContact* contact = &island->contacts[island->order[i]];
        int root1 = cnFindRoot(island->roots, contact->body1);
        int root2 = cnFindRoot(island->roots, contact->body2);
        if (root1 != root2) {
            island->roots[root1] = root2;
            island->edges[edgeCount++] = island->order[i];
        }
    }
    RootTree(island, edgeCount);
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        int b1 = contact->body1, b2 = contact->body2;
        contact->inTree =
            b1 == 0 || b2 == 0 || island->bodies[b1].parent == b2 || island->bodies[b2].parent == b1;
    }
}

// ---- the matrix -------------------------------------------------------------------------------------------

// row += factor other, of the first `count` numbers of six, and one more where that is odd
static inline void AddToFirst(double* row, int count, double factor, const double* other) {
    cnD2 f = cnSplatD(factor);
    for (int k = 0; k < count; k += 2) {
        cnStoreD(row + k, cnMulAddD(cnLoadD(row + k), f, cnLoadD(other + k)));
    }
}

// block += s a bᵀ
static void AddOuter(cnVec6 block[6], double s, const cnVec6* a, const cnVec6* b) {
    for (int i = 0; i < 6; ++i) {
        cnVec6_AddScaled(&block[i], s * a->n[i], b);
    }
}

// block += s a aᵀ, of which the lower triangle is read
static void AddSquare(double block[36], double s, const cnVec6* a) {
    for (int i = 0; i < 6; ++i) {
        AddToFirst(&block[6 * i], i + 1, s * a->n[i], a->n);
    }
}

static void StartBlock(cnConvergedBody* body) {
    memset(body->block, 0, sizeof body->block);
    if (body->parent != 0) {
        memset(body->toParent, 0, sizeof body->toParent);
    }
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

static void AddToRight(const cnConvergedIsland* island, const cnConvergedContact* contact,
                       const cnConvergedRow* row, double impulse) {
    if (contact->body1 != 0) {
        cnVec6_AddScaled(&island->bodies[contact->body1].right, impulse, &row->jacobian1);
    }
    if (contact->body2 != 0) {
        cnVec6_AddScaled(&island->bodies[contact->body2].right, impulse, &row->jacobian2);
    }
}

static void AssembleRow(const cnConvergedIsland* island, const cnConvergedContact* contact,
                        const cnConvergedRow* row) {
    double inverse = 1.0 / row->sigma;
    const cnVec6 *g1 = &row->jacobian1, *g2 = &row->jacobian2;
    if (contact->body1 != 0) {
        AddSquare(island->bodies[contact->body1].block, inverse, g1);
    }
    if (contact->body2 != 0) {
        AddSquare(island->bodies[contact->body2].block, inverse, g2);
    }
    if (contact->body1 != 0 && contact->body2 != 0) {
        if (island->bodies[contact->body1].parent == contact->body2) {
            AddOuter(island->bodies[contact->body1].toParent, inverse, g1, g2);
        } else {
            AddOuter(island->bodies[contact->body2].toParent, inverse, g2, g1);
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
static void SolveVector(const double a[36], cnVec6* vector) {
    double* x = vector->n;
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
static void SolveColumns(const double a[36], cnVec6 x[6]) {
    for (int i = 1; i < 6; ++i) {
        for (int j = 0; j < i; ++j) {
            cnVec6_AddScaled(&x[i], -a[6 * i + j], &x[j]);
        }
    }
    for (int i = 5; i >= 0; --i) {
        for (int k = 0; k < 6; ++k) {
            x[i].n[k] *= a[7 * i];
        }
        for (int j = i + 1; j < 6; ++j) {
            cnVec6_AddScaled(&x[i], -a[6 * j + i], &x[j]);
        }
    }
}

// Leaves to root.
static void FactoriseTree(const cnConvergedIsland* island) {
    for (int i = island->bodyCount - 1; i >= 0; --i) {
        cnConvergedBody* body = &island->bodies[island->tree[i]];
        Factorise(body->block);
        if (body->parent == 0) {
            continue;
        }
        memcpy(body->solved, body->toParent, sizeof body->solved);
        SolveColumns(body->block, body->solved);
        double* parent = island->bodies[body->parent].block;
        for (int r = 0; r < 6; ++r) {
            for (int m = 0; m < 6; ++m) {
                AddToFirst(&parent[6 * r], r + 1, -body->toParent[m].n[r], body->solved[m].n);
            }
        }
    }
}

// Leaves to root, then back; δv is in `right` afterwards.
static void SolveTree(const cnConvergedIsland* island) {
    for (int i = island->bodyCount - 1; i >= 0; --i) {
        cnConvergedBody* body = &island->bodies[island->tree[i]];
        SolveVector(body->block, &body->right);
        if (body->parent != 0) {
            for (int m = 0; m < 6; ++m) {
                cnVec6_AddScaled(&island->bodies[body->parent].right, -body->right.n[m], &body->toParent[m]);
            }
        }
    }
    for (int i = 0; i < island->bodyCount; ++i) {
        cnConvergedBody* body = &island->bodies[island->tree[i]];
        if (body->parent != 0) {
            const cnVec6* parent = &island->bodies[body->parent].right;
            for (int r = 0; r < 6; ++r) {
                body->right.n[r] -= cnVec6_Dot(&body->solved[r], parent);
            }
        }
    }
}

static double StepSpeed(const cnConvergedIsland* island, const cnConvergedContact* contact,
                        const cnConvergedRow* row) {
    const cnVec6 *right1 = &island->bodies[contact->body1].right,
                 *right2 = &island->bodies[contact->body2].right;
    return cnVec6_DotTwo(&row->jacobian1, right1, &row->jacobian2, right2);
}

static bool IsInside(const cnConvergedRow rows[2], double bound) {
    double square = rows[0].impulse * rows[0].impulse + rows[1].impulse * rows[1].impulse;
    return square < bound * bound * (1.0 - 1e-9);
}

// Which rows take part: pressing normals, and all friction of a contact that presses and sticks.
static void ChooseRows(const cnConvergedIsland* island) {
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        double load = 0.0, moment = 0.0;
        bool presses = false;
        for (int i = 0; i < contact->points; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            row->released = false;
            row->residual = cnConvergedRow_GetResidual(row, island, contact);
            row->active = contact->inTree && (row->impulse > contact->least || row->residual < 0.0);
            presses |= row->active;
            load += row->impulse - contact->least;
            moment += (row->impulse - contact->least) * row->radius;
        }
        cnConvergedRow* t = cnConvergedContact_GetFriction(contact);
        const cnContactFriction* friction = &contact->source->friction;
        cnFrictionBounds bounds = cnFriction_GetBounds(friction, load, moment, island->solve->substep);
        for (int i = contact->points; i < contact->rowEnd; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            row->active = presses;
            row->released = false;
            row->residual = presses ? cnConvergedRow_GetResidual(row, island, contact) : 0.0;
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
            cnConvergedRow* r = &t[cn_frictionRolling];
            r[0].active = r[1].active = presses && IsInside(r, bounds.rolling);
        }
    }
}

// Puts a row's next multiplier within its bounds and releases it. Whether it was outside.
static bool SlideRow(cnConvergedRow* row, double bound) {
    double next = row->impulse + row->step;
    if (!row->active || row->released || fabs(next) <= bound) {
        return false;
    }
    row->step = cnClamp(next, -bound, bound) - row->impulse;
    return row->released = true;
}

// The same for two rows with a circle for their bounds.
static bool SlideCircle(cnConvergedRow rows[2], double bound) {
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
static bool Slide(const cnConvergedIsland* island, cnConvergedContact* contact) {
    double load = 0.0, moment = 0.0;
    for (int i = 0; i < contact->points; ++i) {
        const cnConvergedRow* row = &contact->rows[i];
        double next = row->active || row->released ? row->impulse + row->step : row->impulse;
        load += next - contact->least;
        moment += (next - contact->least) * row->radius;
    }
    cnConvergedRow* t = cnConvergedContact_GetFriction(contact);
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

// Takes in what the others' step would close: what did not press, and what was released too soon. Whether
// there was any. In a stack that falls from rest the lowest contact alone closes at first, and a round of
// Newton and sweep would stop one more of its boxes, or many where sweeps go upwards: of sixteen boxes that
// were listed in no order some came to rest 20 cm aside.
static bool Press(const cnConvergedIsland* island, cnConvergedContact* contact) {
    const double least = -cnConvergedIsland_GetTolerance(island);
    bool again = false;
    for (int i = 0; i < contact->points && contact->inTree; ++i) {
        cnConvergedRow* row = &contact->rows[i];
        if (row->active && !row->released) {
            continue;
        }
        double step = row->released ? row->step : 0.0;
        if (row->residual + StepSpeed(island, contact, row) + row->sigma * step < least) {
            row->step = step;
            row->active = again = true;
            row->released = false;
        }
    }
    return again;
}

// Whether the factorisation that stands is of the rows that take part now. Rows do not change within a step,
// so what rests or slides steadily is factorised once for all its sub-steps.
static bool IsMatrixOfRows(const cnConvergedIsland* island) {
    bool isSame = island->isFactorised;
    for (int c = 0; isSame && c < island->contactCount; ++c) {
        const cnConvergedContact* contact = &island->contacts[c];
        for (int i = 0; isSame && i < contact->rowEnd; ++i) {
            const cnConvergedRow* row = &contact->rows[i];
            isSame = row->inMatrix == (row->active && !row->released);
        }
    }
    return isSame;
}

static void MakeMatrix(cnConvergedIsland* island) {
    for (int place = 1; place <= island->bodyCount; ++place) {
        StartBlock(&island->bodies[place]);
    }
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        for (int i = 0; i < contact->rowEnd; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            row->inMatrix = row->active && !row->released;
            if (row->inMatrix) {
                AssembleRow(island, contact, row);
            }
        }
    }
    FactoriseTree(island);
    island->isFactorised = true;
}

static void MakeRight(const cnConvergedIsland* island) {
    for (int place = 1; place <= island->bodyCount; ++place) {
        island->bodies[place].right = (cnVec6){0};
    }
    for (int c = 0; c < island->contactCount; ++c) {
        const cnConvergedContact* contact = &island->contacts[c];
        for (int i = 0; i < contact->rowEnd; ++i) {
            const cnConvergedRow* row = &contact->rows[i];
            if (row->released) {
                AddToRight(island, contact, row, row->step);
            } else if (row->active) {
                AddToRight(island, contact, row, -row->residual / row->sigma);
            }
        }
    }
}

// Steps of the rows that take part; releases what would pull. Whether there was any.
static bool Release(const cnConvergedIsland* island, cnConvergedContact* contact) {
    bool again = false;
    for (int i = 0; i < contact->rowEnd; ++i) {
        cnConvergedRow* row = &contact->rows[i];
        if (!row->active || row->released) {
            continue;
        }
        double speed = StepSpeed(island, contact, row);
        row->step = -(speed + row->residual) / row->sigma;
        if (i < contact->points && row->impulse + row->step < contact->least) {
            row->step = contact->least - row->impulse;
            row->released = again = true;
        }
    }
    return again;
}

void cnConvergedIsland_StepNewton(cnConvergedIsland* island) {
    ChooseRows(island);
    bool again = true;
    for (int releases = 0; again && releases < CN_RELEASES;) {
        if (!IsMatrixOfRows(island)) {
            MakeMatrix(island);
        }
        MakeRight(island);
        SolveTree(island);

        bool released = false, pressed = false;
        for (int c = 0; c < island->contactCount; ++c) {
            cnConvergedContact* contact = &island->contacts[c];
            released = Release(island, contact) || released;
            released = Slide(island, contact) || released;
            pressed = Press(island, contact) || pressed;
        }
        again = released || pressed;
        releases += released; // without releases every row is taken in once at most
    }
    for (int c = 0; c < island->contactCount; ++c) {
        cnConvergedContact* contact = &island->contacts[c];
        for (int i = 0; i < contact->rowEnd; ++i) {
            cnConvergedRow* row = &contact->rows[i];
            if (row->released || row->active) {
                row->impulse += row->step;
                cnConvergedRow_Push(row, island, contact, row->step);
            }
        }
    }
}
