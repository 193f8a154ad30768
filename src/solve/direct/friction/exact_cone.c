// Friction on the exact cone, within the factorisation.
//
// (What resists rolling is the same about tangents, with what rolls for the slip.)
//
// A sliding contact's friction is λ = −b s/|s|, s the slip (with surface viscosity s + Σ λ) and b = μ N. With
// d a guess of the direction of λ, d⊥ across it and λ = b (d + θ d⊥), "along s" reads to first order in θ
//
//   s·d⊥ + (|s|/b) λ·d⊥ = 0
//
// which is a velocity row along d⊥ with the compliance |s|/b: a Newton step for the direction is a solution
// with the tangents rotated to d and that compliance across, while the row along d is at its bound. (The
// block friction law as a projection, and Newton's method on it: Alart and Curnier, "A mixed formulation for
// frictional contact problems prone to Newton like solution methods", CMAME 1991.) Slip that is small makes
// the row across stiff, and none makes it that of a contact that sticks, so nothing is singular. The bound b
// follows the normal force in rounds with a secant, as for cones that are not exact.
#include "solve/direct/friction/exact_cone.h"

#include "base/report/assert.h"

// Of directions, rad, and of bounds and speeds, as parts: of exact cones, and of the others. What slides as
// slowly as a hundredth of the speed that friction takes in a step is against it to a hundredth, too.
#define CN_EXACT_TOLERANCE 1e-8
#define CN_CONE_TOLERANCE 1e-4
// Of the bounds alone, of those that are not exact.
#define CN_LOAD_TOLERANCE 2e-3

static double RowSlip(const cnDirectIsland* island, int row) {
    CN_ASSERT(row >= 0 && row < island->rowCount);
    const double* lambda = cnLinearSystem_Multipliers(&island->system);
    return cnDirect_RowSpeed(island, row, island->system.solution) + island->rows[row].fixedSpeed +
           island->rows[row].sigma * lambda[row];
}

static void Rotate(double* first, double* second, double cosine, double sine) {
    double a = *first, b = *second;
    *first = cosine * a + sine * b;
    *second = cosine * b - sine * a;
}

// Rotates both rows, and what goes with them.
static void RotateRows(cnDirectIsland* island, cnDirectNode* node, const cnConeRows* rows, double cosine,
                       double sine) {
    int t = rows->first, unknowns = 6 * island->bodyCount;
    for (int place = 0; place < node->block.bodyCount; ++place) {
        double* first = cnDirect_NumbersAt(island, node, place, t);
        double* second = cnDirect_NumbersAt(island, node, place, t + 1);
        for (int k = 0; k < 6; ++k) {
            Rotate(&first[k], &second[k], cosine, sine);
        }
    }
    Rotate(&island->system.right[unknowns + t], &island->system.right[unknowns + t + 1], cosine, sine);
    Rotate(&island->system.solution[unknowns + t], &island->system.solution[unknowns + t + 1], cosine, sine);
    Rotate(&island->rows[t].fixedSpeed, &island->rows[t + 1].fixedSpeed, cosine, sine);
    Rotate(&rows->cone->cosine, &rows->cone->sine, cosine, -sine);
}

bool cnDirect_HasCone(const cnDirectIsland* island, const cnDirectNode* node) {
    return node->kind == cn_nodeFriction && !cnDirect_ContactOf(island, node)->friction.isBox;
}

bool cnDirect_UpdateCone(cnDirectIsland* island, cnDirectNode* node, const cnConeRows* rows) {
    CN_ASSERT(rows->first >= node->block.firstRow && rows->first + 2 <= cnRowBlock_End(&node->block));
    int t = rows->first;
    double wanted = rows->wanted, bound = rows->bound;
    const double* lambda = cnLinearSystem_Multipliers(&island->system);
    double size = sqrt(lambda[t] * lambda[t] + lambda[t + 1] * lambda[t + 1]);
    bool stuck =
        island->system.sets[t] == cn_rowFree && island->system.sets[t + 1] == cn_rowFree && size <= bound;
    bool slid = rows->cone->slides, slides = !stuck && size > 0.0 && bound > 0.0;
    rows->cone->slides = slides;

    // how far off: the size, and, of what slides, the direction
    double error = stuck ? cnMax(0.0, size - wanted) : fabs(size - wanted);
    double tolerance = rows->exact ? CN_EXACT_TOLERANCE : CN_CONE_TOLERANCE;
    bool isOff = error > (rows->exact ? CN_EXACT_TOLERANCE : CN_LOAD_TOLERANCE) * wanted || slid != slides;
    double speed = 0.0;
    if (slides) {
        double cosine = lambda[t] / size, sine = lambda[t + 1] / size;
        double along = RowSlip(island, t), across = RowSlip(island, t + 1);
        Rotate(&along, &across, cosine, sine);
        speed = cnMax(0.0, -along);
        isOff = isOff || fabs(across) > tolerance * (speed + island->system.inverseEffectiveMass[t] * bound);
        if (isOff) { // else the rows stay as they were factorised
            RotateRows(island, node, rows, cosine, sine);
            island->system.sets[t] = cn_rowAtUpper;
            island->system.sets[t + 1] = cn_rowFree;
        }
    }
    if (!isOff) {
        return false;
    }
    const double sigma = cnMax(island->rows[t].sigma, 1e-12 * island->system.inverseEffectiveMass[t]);
    island->system.sigma[t] = sigma;
    island->system.sigma[t + 1] = slides ? cnMax(sigma, island->rows[t].sigma + speed / bound) : sigma;
    for (int i = 0; i < 2; ++i) {
        cnLinearSystem_SetBound(&island->system, t + i, bound);
    }
    return isOff;
}

void cnDirect_RotateBack(cnDirectIsland* island) {
    double* lambda = cnLinearSystem_Multipliers(&island->system);
    for (int n = 0; n < island->system.nodeCount; ++n) {
        cnDirectNode* node = &island->nodes[n];
        if (node->kind != cn_nodeFriction) {
            continue;
        }
        int t = node->block.firstRow, r = t + cn_frictionRolling;
        Rotate(&lambda[t], &lambda[t + 1], node->friction.sliding.cosine, -node->friction.sliding.sine);
        if (cnDirect_ContactOf(island, node)->friction.rolls) {
            Rotate(&lambda[r], &lambda[r + 1], node->friction.rolling.cosine, -node->friction.rolling.sine);
        }
    }
}
