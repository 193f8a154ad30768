// A sparse direct solver of the equations of an island,
//
//     M v − Gᵀ λ = p                K = [ M   Gᵀ ]   of (v, −λ), symmetric quasi-definite,
//     G v + Σ λ  = q                    [ G  −Σ  ]
//
// by K = L D Lᵀ. It knows nothing of joints or contacts: nodes are bodies (M: two symmetric 3×3 blocks) and
// constraints of 1 to 8 rows on 1 to 4 bodies. Each row is free, or fixed: its λ is given (a bound) and its
// equation is left out.
//
// Fronts. Elimination is multifrontal (Duff and Reid, "The multifrontal solution of indefinite sparse
// symmetric linear equations", ACM TOMS 1983): a front is a small dense matrix of some pivots and of all
// unknowns that they still couple to,
//
//        panel          contribution
//     [ L₁₁ D     |                      ]    assemble: what K has for these pivots, and the contributions
//     [ L₂₁       | C = F₂₂ − L₂₁ D L₂₁ᵀ ]    of the children in the elimination tree; eliminate; hand C on
//                                             to the parent
//
// Every front keeps its C. So when rows become fixed or free, or Σ changes, only the fronts that hold
// something of them and their ancestors are done again (cnSparseFactor_Refresh); the others' contributions
// stand. A fixed row stays in the structure with its couplings zero and −1 on the diagonal, so that the
// structure depends on the topology alone and is kept with it.
//
// No pivoting: the signs of D are known (block_graph.h tells which order keeps it accurate), so there is
// nothing to search and nothing to swap. A pivot that rounding gave the wrong sign or zero is replaced by ±
// its own M or Σ and counted.
//
// Leaves of the tree, the first to go, are most bodies of a chain and all soft contacts of a pile. They need
// no front: a body's M⁻¹ is two inverse 3×3 blocks, a soft constraint's Σ is diagonal, and what they
// contribute, −B D⁻¹ Bᵀ, is added straight into the front of their parent, each time it is assembled.
// A child is merged into its parent's front where what that saves (an assembly, the cost of starting a front)
// is worth more than the zeros it stores.
//
// Alternatives not taken: left-looking supernodes have to find again what a change touches; a Schur
// complement on λ alone fills 2000×2000 under a heavy plate; the dual with 6×6 links of
// Featherstone needs a tree.
//
// All arithmetic is in a fixed order with rounding after each operation, so results are equal to the bit
// everywhere. Fronts of different subtrees are independent, should threads be given to them.
#pragma once

#include "linear/block_graph.h"

enum {
    cn_massNumbers = 18, // of a body's M
};

// Couples a constraint's rows and a body.
typedef struct cnCoupling {
    int jacobian;  // where its block begins
    int row, rows; // of the constraint
    int localRow;  // of the first row in the front
    int localBody; // of the body in the front
    int rowPosition, bodyPosition;
} cnCoupling;

// A row that acts on a body that is a leaf.
typedef struct cnLeafRow {
    int jacobian; // where its 6 numbers begin
    int row;
    int local; // in the front
    int position;
} cnLeafRow;

typedef struct cnLeaf {
    int node;
    int position; // of its first unknown in the order of elimination
    int couplingStart, couplingEnd;
    int rowStart, rowEnd; // of a body: its couplings row by row
} cnLeaf;

// Local indices of a front: pivots 0 … pivots − 1, then from the next even number the others; columns
// are padded to even.
typedef struct cnFront {
    int parent;             // −1 for a root
    int firstChild, next;   // −1
    int pivots, others;     // unknowns
    int otherBegin, stride; // pivots and pivots + others, each rounded up to even
    int position;           // of the first pivot in the order of elimination
    int rowStart;           // of the positions of the others
    int nodeStart, nodeEnd; // pivots
    int leafStart, leafEnd; // leaves that contribute
    int couplingStart, couplingEnd;
    int runStart, runEnd; // where its contribution goes in the parent
    size_t values; // panel (stride × pivots), then contribution (stride − otherBegin × others), by columns
    double flops;
} cnFront;

typedef struct cnSparseValues {
    const double* mass;     // 18 a body: linear and angular 3×3 block, symmetric, positive definite
    const double* jacobian; // per constraint, per body of it, per row: 6 numbers, linear and angular
    const double* sigma;    // a row: > 0, at least 1e-12 of (G M⁻¹ Gᵀ)ᵢᵢ
} cnSparseValues;

typedef struct cnFactorStatistics {
    int rows, unknowns;
    double nonZeros;       // of L and D, stored
    double predictedFlops; // of a whole factorisation: multiplications and additions
    double flops;          // done since the topology was set
    int fronts;
    int factorisations; // refreshes that did something
    int frontsDone;     // in all of them
    int repairedPivots; // in all of them
} cnFactorStatistics;

typedef struct cnSparseFactor {
    // topology, copied
    int bodyCount, constraintCount, rowCount, unknownCount;
    CN_ARRAY(int) rowStart, bodyStart, bodies;
    CN_ARRAY(uint8_t) soft;
    CN_ARRAY(int) jacobianStart; // of each place in `bodies`
    bool analysed;

    // structure
    cnBlockOrder order;
    int frontCount, leafCount;
    CN_ARRAY(cnFront) fronts; // children before parents
    CN_ARRAY(cnLeaf) leaves;  // in the order of their fronts
    CN_ARRAY(cnCoupling) couplings;
    CN_ARRAY(cnLeafRow) leafRows;
    CN_ARRAY(int) frontNodes; // pivots of the fronts
    CN_ARRAY(int) frontRows;  // positions
    CN_ARRAY(int) runs;       // pairs: local index in the parent, length
    CN_ARRAY(int) unknownAt;  // of each position: index in (v, λ)
    CN_ARRAY(int) positionOf; // of each node's first unknown
    CN_ARRAY(int) frontOf;    // of each node: where it is a pivot, or where it contributes as a leaf; −1
    size_t valueCount;
    int maxPivots, maxStride, maxLeafRows;
    bool bodiesFirst; // every body is a leaf, and nothing else

    // numbers
    cnSparseValues values;
    CN_ARRAY(uint8_t) isFree;  // per row
    int fixedRows;             // that are not
    CN_ARRAY(uint8_t) isDirty; // per front
    bool anyDirty, valuesAreNew;
    double* numbers; // of the fronts
    size_t numberCapacity;
    CN_ARRAY(double) massInverse;          // 18 a body that is a leaf
    CN_ARRAY(double) pivots, pivotInverse; // per position
    CN_ARRAY(double) work, gathered, scratch;
    CN_ARRAY(double) residual, scale, correction; // of the refinement
    CN_ARRAY(int) scratchLocal;
    CN_ARRAY(int) nodeWork; // of the analysis
    double norm;            // largest row sum of |K|, < 0: not known
    cnFactorStatistics statistics;
} cnSparseFactor;

// Ready for a topology. Where it is what the factor has already, nothing is done and `isFree` stays;
// otherwise the arrays are copied, the order and structure found, and all rows are free. Nothing else may be
// called before it gave cn_orderFound.
cnOrderResult cnSparseFactor_SetTopology(cnSparseFactor* factor, const cnBlockTopology* topology,
                                         double flopLimit);
void cnSparseFactor_Free(cnSparseFactor* factor);

// New numbers; the arrays are read by all calls below until the next SetValues, and must stay as they are.
void cnSparseFactor_SetValues(cnSparseFactor* factor, const cnSparseValues* values);
// Frees or fixes a row; what it touches is done again by the next refresh.
void cnSparseFactor_SetFree(cnSparseFactor* factor, int row, bool isFree);
// Tells that Σ of a constraint, or of all, was changed.
void cnSparseFactor_Touch(cnSparseFactor* factor, int constraint);
void cnSparseFactor_TouchAll(cnSparseFactor* factor);
// Factorises what is out of date; does nothing where all is up to date.
void cnSparseFactor_Refresh(cnSparseFactor* factor);

// Vectors (v, λ) and (p, q) have 6·bodyCount + rowCount numbers.
// Solves with the fixed rows' λ as `solution` has them on entry; their q is not read. Needs a refresh before.
void cnSparseFactor_Solve(cnSparseFactor* factor, const double* right, double* solution);

// right − K·solution in every row, fixed ones too (there it is −w, w = G v + Σ λ − q), and, where `scale` is
// not null, Σ|Kᵢⱼ||xⱼ| + |rightᵢ|. Gives the largest quotient of the two but for fixed rows: the
// componentwise backward error of Oettli and Prager (1964), which knows no units and no mass ratios; some
// 1e-16 is perfect.
double cnSparseFactor_Residual(const cnSparseFactor* factor, const double* right, const double* solution,
                               double* residual, double* scale);
// True where all bodies go first, each by its inverse mass, so that M v = p + Gᵀ λ holds to rounding after
// every solve, and only the rows may be off.
static inline bool cnSparseFactor_BodiesGoFirst(const cnSparseFactor* factor) {
    return factor->bodiesFirst;
}
// The backward error of the rows alone, all of them free: at a third of the cost.
double cnSparseFactor_RowError(const cnSparseFactor* factor, const double* right, const double* solution);
// Improves a solution with the factor it has and the original K until the backward error is at most
// `tolerance`, at most `steps` times, or until it falls no more. Gives the backward error; `residual` and
// `scale` are left as those of the result.
double cnSparseFactor_Refine(cnSparseFactor* factor, const double* right, double* solution, int steps,
                             double tolerance);
// ‖K x − b‖ / (‖K‖ ‖x‖ + ‖b‖) in the maximum norm, over free rows and bodies.
double cnSparseFactor_RelativeResidual(cnSparseFactor* factor, const double* right, const double* solution);

// Inverse of a body's M, in the same form.
void cnInvertMass(const double* mass, double* inverse);
// y = M x, or M⁻¹ x.
static inline void cnApplyMass(const double* mass, const double* x, double* y) {
    for (int i = 0; i < cn_bodyUnknowns; ++i) {
        const double *row = mass + 3 * i, *part = x + i / 3 * 3;
        y[i] = row[0] * part[0] + row[1] * part[1] + row[2] * part[2];
    }
}

// What a factorisation costs, from the structure alone.
static inline double cnSparseFactor_PredictFlops(const cnSparseFactor* factor) {
    return factor->statistics.predictedFlops;
}

// Whether more was done than a limit of operations (≤ 0: none): whoever set it will not use the answer.
static inline bool cnSparseFactor_IsOverBudget(const cnSparseFactor* factor, double flopLimit) {
    return flopLimit > 0.0 && factor->statistics.flops > flopLimit;
}
