// Random islands for the tests of the sparse solver: systems of bodies and constraints, and a dense reference.
#pragma once

#include "solve/sparse_factor.h"

enum {
    mostBodies = 64,
    mostConstraints = 256,
    mostRows = 1024,
};

typedef enum IslandKind {
    chainIsland,
    treeIsland,
    loopIsland,
    gridIsland,
    starIsland,
    redundantIsland, // the same joint three times
    randomIsland,    // up to four bodies a constraint
    islandKinds,
} IslandKind;

typedef struct Island {
    int bodyCount, constraintCount, rowCount;
    int rowStart[mostConstraints + 1], bodyStart[mostConstraints + 1];
    int bodies[4 * mostConstraints];
    uint8_t soft[mostConstraints];
    double mass[cn_massNumbers * mostBodies];
    double jacobian[6 * 4 * mostRows];
    double sigma[mostRows];
} Island;

double Random(double lower, double upper);
int RandomInt(int count);

// Masses spread over 10^±massDecades/2; Σ between 1e-12 and 10^sigmaDecades of G M⁻¹ Gᵀ (exactly 1e-12 in half of the islands).
void MakeIsland(Island* island, IslandKind kind, int bodyCount, double massDecades, double sigmaDecades);
// Constraints whose Σ is at least `least` of G M⁻¹ Gᵀ in all rows become soft.
void SoftenIsland(Island* island, double least);
double RowEffect(const Island* island, int constraint, int row); // (G M⁻¹ Gᵀ)ᵢᵢ

cnBlockTopology TopologyOf(const Island* island);
cnSparseValues ValuesOf(const Island* island);

// Solves K (v, −λ) = (p, q) with the rows that are not free held at the λ in `solution`, by Gaussian elimination with complete
// pivoting in long double.
void SolveDense(const Island* island, const uint8_t* isFree, const double* right, double* solution);
