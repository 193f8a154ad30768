// The numbers of a factorisation, and solves with it.
#include "linear/sparse_factor.h"

#include "base/report/assert.h"
#include "base/simd.h"
#include "cairn/math.h"

#include <math.h>
#include <string.h>

// Inverse of a symmetric 3×3 matrix by cofactors; masses are mostly diagonal.
static void Invert3(const double* m, double* inverse) {
    if (m[1] == 0.0 && m[2] == 0.0 && m[5] == 0.0) {
        memset(inverse, 0, 9 * sizeof *inverse);
        inverse[0] = 1.0 / m[0];
        inverse[4] = m[4] == m[0] ? inverse[0] : 1.0 / m[4];
        inverse[8] = m[8] == m[0] ? inverse[0] : 1.0 / m[8];
        return;
    }
    double c00 = m[4] * m[8] - m[5] * m[5], c01 = m[2] * m[5] - m[1] * m[8], c02 = m[1] * m[5] - m[2] * m[4];
    double scale = 1.0 / (m[0] * c00 + m[1] * c01 + m[2] * c02);
    inverse[0] = c00 * scale;
    inverse[1] = inverse[3] = c01 * scale;
    inverse[2] = inverse[6] = c02 * scale;
    inverse[4] = (m[0] * m[8] - m[2] * m[2]) * scale;
    inverse[5] = inverse[7] = (m[1] * m[2] - m[0] * m[5]) * scale;
    inverse[8] = (m[0] * m[4] - m[1] * m[1]) * scale;
}

void cnInvertMass(const double* mass, double* inverse) {
    Invert3(mass, inverse);
    Invert3(mass + 9, inverse + 9);
}

// ---- dense kernels ----------------------------------------------------------------------------------------

// Where a local column of a front begins, so that adding the local row gives the number.
static inline ptrdiff_t ColumnOf(const cnFront* front, int local) {
    CN_ASSERT(local >= 0 && local < front->stride);
    if (local < front->pivots) {
        return (ptrdiff_t)local * front->stride;
    }
    int other = local - front->otherBegin;
    return (ptrdiff_t)front->pivots * front->stride + (ptrdiff_t)other * (front->stride - front->otherBegin) -
           front->otherBegin;
}

// Rows row … row + 2·pairs − 1 of four columns, less L times the columns' multipliers.
static inline void SubtractTile(double* const columns[4], int row, const double* panel, ptrdiff_t stride,
                                int depth, const double* multipliers, const int pairs) {
    cnD2 sums[8];
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < pairs; ++i) {
            sums[2 * j + i] = cnLoadD(columns[j] + row + 2 * i);
        }
    }
    const double* l = panel + row;
    for (int k = 0; k < depth; ++k) {
        for (int i = 0; i < pairs; ++i) {
            cnD2 lower = cnLoadD(l + 2 * i);
            for (int j = 0; j < 4; ++j) {
                sums[2 * j + i] = cnMulSubD(sums[2 * j + i], lower, cnLoadD(multipliers + 8 * k + 2 * j));
            }
        }
        l += stride;
    }
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < pairs; ++i) {
            cnStoreD(columns[j] + row + 2 * i, sums[2 * j + i]);
        }
    }
}

// Up to four columns from local index `first` on, less what the panel's first `depth` pivots leave of
// them: C −= L D Lᵀ.
static void SubtractColumns(double* numbers, const cnFront* front, int first, int count, int depth,
                            const double* pivots, double* scratch) {
    CN_ASSERT(count >= 1 && count <= 4 && depth >= 0 && depth <= front->pivots);
    CN_ASSERT(first >= 0 && first + count <= front->stride);
    const int stride = front->stride;
    double* nobody = scratch + 8 * (ptrdiff_t)front->pivots;
    double* columns[4];
    for (int j = 0; j < 4; ++j) {
        columns[j] = j < count ? numbers + ColumnOf(front, first + j) : nobody;
    }
    for (int k = 0; k < depth; ++k) {
        const double* l = numbers + (ptrdiff_t)k * stride + first;
        for (int j = 0; j < 4; ++j) {
            double multiplier = j < count ? l[j] * pivots[k] : 0.0;
            scratch[8 * k + 2 * j] = scratch[8 * k + 2 * j + 1] = multiplier;
        }
    }
    int row = first & ~1;
    for (; row + 4 <= stride; row += 4) {
        SubtractTile(columns, row, numbers, stride, depth, scratch, 2);
    }
    if (row < stride) {
        SubtractTile(columns, row, numbers, stride, depth, scratch, 1);
    }
}

// The pivot as it should be where rounding left none: its own M, or −Σ.
static double OwnPivot(const cnSparseFactor* factor, int unknown) {
    CN_ASSERT(unknown >= 0 && unknown < factor->unknownCount);
    int row = unknown - cn_bodyUnknowns * factor->bodyCount;
    if (row >= 0) {
        return -factor->values.sigma[row];
    }
    int body = unknown / cn_bodyUnknowns, axis = unknown % cn_bodyUnknowns;
    return factor->values.mass[cn_massNumbers * body + (axis / 3) * 9 + (axis % 3) * 4];
}

// Pivots of a front that are too few for tiles.
#define CN_FEW_PIVOTS 8

// The pivot of a front's column, kept with its inverse.
static void KeepPivot(cnSparseFactor* factor, const cnFront* front, int k, double pivot) {
    CN_ASSERT(k >= 0 && k < front->pivots);
    const int unknown = factor->unknownAt.data[front->position + k];
    const double sign = unknown < cn_bodyUnknowns * factor->bodyCount ? 1.0 : -1.0;
    if (!(pivot * sign > 0.0)) {
        pivot = OwnPivot(factor, unknown);
        ++factor->statistics.repairedPivots;
    }
    factor->pivots.data[front->position + k] = pivot;
    factor->pivotInverse.data[front->position + k] = 1.0 / pivot;
}

// right −= column x, from row `begin` on
static inline void SubtractOne(double* right, const double* column, double x, int begin, int end) {
    CN_ASSERT(begin % 2 == 0 && end % 2 == 0);
    const cnD2 wide = cnSplatD(x);
    for (int i = begin; i < end; i += 2) {
        cnStoreD(right + i, cnMulSubD(cnLoadD(right + i), cnLoadD(column + i), wide));
    }
}

// The same with two columns.
static inline void SubtractTwo(double* right, const double* column, const double* next, const double x[2],
                               int begin, int end) {
    CN_ASSERT(begin % 2 == 0 && end % 2 == 0);
    const cnD2 wide = cnSplatD(x[0]), wideNext = cnSplatD(x[1]);
    for (int i = begin; i < end; i += 2) {
        cnD2 sum = cnMulSubD(cnLoadD(right + i), cnLoadD(column + i), wide);
        cnStoreD(right + i, cnMulSubD(sum, cnLoadD(next + i), wideNext));
    }
}

// L of a column. Its own row becomes 0, so that solves may take rows k and k + 1 in one.
static inline void ScaleColumn(double* column, int k, double scale, int end) {
    CN_ASSERT(k >= 0 && end % 2 == 0);
    const cnD2 wide = cnSplatD(scale);
    for (int i = (k + 1) & ~1; i < end; i += 2) {
        cnStoreD(column + i, cnMulD(cnLoadD(column + i), wide));
    }
    column[k] = 0.0;
}

static void EliminateFront(cnSparseFactor* factor, const cnFront* front) {
    CN_ASSERT(front->stride % 2 == 0 && front->otherBegin % 2 == 0);
    CN_ASSERT(front->values + (size_t)front->stride * (size_t)front->pivots <= factor->numberCapacity);
    double* numbers = factor->numbers + front->values;
    const double *pivots = factor->pivots.data + front->position,
                 *inverse = factor->pivotInverse.data + front->position;
    const int stride = front->stride;

    // few pivots are taken out of one another two by two; of many those of four columns, then these out of
    // the rest in tiles
    const int block = front->pivots <= CN_FEW_PIVOTS ? front->pivots : 4;
    for (int first = 0; first < front->pivots; first += block) {
        const int end = first + block < front->pivots ? first + block : front->pivots;
        if (first > 0) {
            SubtractColumns(numbers, front, first, end - first, first, pivots, factor->scratch.data);
        }
        for (int k = first; k < end; k += 2) {
            double *column = numbers + (ptrdiff_t)k * stride, *next = column + stride;
            KeepPivot(factor, front, k, column[k]);
            if (k + 1 < end) {
                SubtractOne(next, column, column[k + 1] * inverse[k], (k + 1) & ~1, stride);
                KeepPivot(factor, front, k + 1, next[k + 1]);
                for (int j = k + 2; j < end; ++j) {
                    const double x[2] = {column[j] * inverse[k], next[j] * inverse[k + 1]};
                    SubtractTwo(numbers + (ptrdiff_t)j * stride, column, next, x, j & ~1, stride);
                }
                ScaleColumn(next, k + 1, inverse[k + 1], stride);
            }
            ScaleColumn(column, k, inverse[k], stride);
        }
    }
    for (int first = 0; first < front->others; first += 4) {
        int count = front->others - first < 4 ? front->others - first : 4;
        SubtractColumns(numbers, front, front->otherBegin + first, count, front->pivots, pivots,
                        factor->scratch.data);
    }
}

// Two rows of 6, side by side.
static inline void Interleave6(const double* a, const double* b, double* pairs) {
    for (int i = 0; i < cn_bodyUnknowns; i += 2) {
        cnD2 x = cnLoadD(a + i), y = cnLoadD(b + i);
        cnStoreD(pairs + 2 * i, cnLowD(x, y));
        cnStoreD(pairs + 2 * i + 2, cnHighD(x, y));
    }
}

// ---- assembly ---------------------------------------------------------------------------------------------

static void AddDiagonals(cnSparseFactor* factor, const cnFront* front, double* numbers) {
    int local = 0;
    for (int k = front->nodeStart; k < front->nodeEnd; ++k) {
        int node = factor->frontNodes.data[k], c = node - factor->bodyCount;
        if (c < 0) {
            const double* mass = factor->values.mass + cn_massNumbers * (ptrdiff_t)node;
            for (int part = 0; part < 2; ++part) {
                for (int j = 0; j < 3; ++j) {
                    double* column = numbers + (ptrdiff_t)(local + j) * front->stride + local;
                    for (int i = j; i < 3; ++i) {
                        column[i] += mass[9 * part + 3 * i + j];
                    }
                }
                local += 3;
            }
        } else {
            for (int row = factor->rowStart.data[c]; row < factor->rowStart.data[c + 1]; ++row, ++local) {
                numbers[(ptrdiff_t)local * front->stride + local] -=
                    factor->isFree.data[row] ? factor->values.sigma[row] : 1.0;
            }
        }
    }
    CN_ASSERT(local == front->pivots);
}

static void AddCouplings(const cnSparseFactor* factor, const cnFront* front, double* numbers) {
    for (int k = front->couplingStart; k < front->couplingEnd; ++k) {
        const cnCoupling* coupling = &factor->couplings.data[k];
        const double* block = factor->values.jacobian + coupling->jacobian;
        const int body = coupling->localBody;
        for (int i = 0; i < coupling->rows; ++i, block += cn_bodyUnknowns) {
            int row = coupling->localRow + i;
            if (!factor->isFree.data[coupling->row + i]) {
                continue;
            }
            if (row > body) {
                for (int j = 0; j < cn_bodyUnknowns; ++j) {
                    numbers[ColumnOf(front, body + j) + row] += block[j];
                }
            } else {
                double* column = numbers + ColumnOf(front, row) + body;
                for (int j = 0; j < cn_bodyUnknowns; ++j) {
                    column[j] += block[j];
                }
            }
        }
    }
}

// Rows of B, two at a time in the lanes, as many as are free. An odd one is with a row of zeros.
static int GatherBodyLeaf(const cnSparseFactor* factor, const cnLeaf* leaf, double* pairs, int* local) {
    static const double nothing[cn_bodyUnknowns] = {0};
    const double* first = NULL;
    int count = 0;
    for (int k = leaf->rowStart; k < leaf->rowEnd; ++k) {
        const cnLeafRow* row = &factor->leafRows.data[k];
        const double* numbers = factor->values.jacobian + row->jacobian;
        if (factor->fixedRows > 0 && !factor->isFree.data[row->row]) {
            continue;
        }
        local[count] = row->local;
        if (count++ % 2 == 0) {
            first = numbers;
        } else {
            Interleave6(first, numbers, pairs);
            pairs += 2 * cn_bodyUnknowns;
        }
    }
    if (count % 2 == 1) {
        Interleave6(first, nothing, pairs);
    }
    CN_ASSERT(count <= factor->maxLeafRows);
    return count;
}

// M⁻¹ of two rows, in lanes like them; `part` has three numbers of each, `mass` the block that
// belongs to them.
static inline void ApplyBlock(const double* mass, const double* part, cnD2 out[3]) {
    const cnD2 x = cnLoadD(part), y = cnLoadD(part + 2), z = cnLoadD(part + 4);
    for (int i = 0; i < 3; ++i) {
        cnD2 sum = cnMulD(cnSplatD(mass[3 * i]), x);
        sum = cnMulAddD(sum, cnSplatD(mass[3 * i + 1]), y);
        out[i] = cnMulAddD(sum, cnSplatD(mass[3 * i + 2]), z);
    }
}

// A column of −B M⁻¹ Bᵀ from row `first` on, of which the pairs from `rows` on are left.
static inline void SubtractColumn(const cnD2 column[cn_bodyUnknowns], const double* rows, const int* local,
                                  int first, int count, double* to) {
    CN_ASSERT(first >= 0 && first < count);
    for (int i = first & ~1; i < count; i += 2, rows += 2 * cn_bodyUnknowns) {
        cnD2 even = cnMulD(cnLoadD(rows), column[0]), odd = cnMulD(cnLoadD(rows + 2), column[1]);
        even = cnMulAddD(even, cnLoadD(rows + 4), column[2]);
        odd = cnMulAddD(odd, cnLoadD(rows + 6), column[3]);
        even = cnMulAddD(even, cnLoadD(rows + 8), column[4]);
        odd = cnMulAddD(odd, cnLoadD(rows + 10), column[5]);
        const cnD2 sum = cnAddD(even, odd);
        if (i >= first) {
            to[local[i]] -= cnFirstD(sum);
        }
        if (i + 1 < count) {
            to[local[i + 1]] -= cnFirstD(cnHighD(sum, sum));
        }
    }
}

// Adds −B M⁻¹ Bᵀ of a body, two columns at a time.
static int AddBodyLeaf(cnSparseFactor* factor, const cnFront* front, const cnLeaf* leaf, double* numbers) {
    CN_ASSERT(leaf->node < factor->bodyCount);
    const double* inverse = factor->massInverse.data + cn_massNumbers * (ptrdiff_t)leaf->node;
    double* rows = factor->scratch.data;
    int* local = factor->scratchLocal.data;
    const int count = GatherBodyLeaf(factor, leaf, rows, local);
    for (int j = 0; j < count; j += 2, rows += 2 * cn_bodyUnknowns) {
        cnD2 w[cn_bodyUnknowns], column[cn_bodyUnknowns];
        ApplyBlock(inverse, rows, w);
        ApplyBlock(inverse + 9, rows + cn_bodyUnknowns, w + 3);
        for (int i = 0; i < cn_bodyUnknowns; ++i) {
            column[i] = cnLowD(w[i], w[i]);
        }
        SubtractColumn(column, rows, local, j, count, numbers + ColumnOf(front, local[j]));
        if (j + 1 < count) {
            for (int i = 0; i < cn_bodyUnknowns; ++i) {
                column[i] = cnHighD(w[i], w[i]);
            }
            SubtractColumn(column, rows, local, j + 1, count, numbers + ColumnOf(front, local[j + 1]));
        }
    }
    return count;
}

// B and B D⁻¹ of a soft constraint, whose D is −Σ: a row for each unknown of its bodies, a column for
// each row of its own.
static int GatherSoftLeaf(cnSparseFactor* factor, const cnLeaf* leaf, double* b, double* w, int* local) {
    CN_ASSERT(leaf->node >= factor->bodyCount);
    int count = 0;
    for (int k = leaf->couplingStart; k < leaf->couplingEnd; ++k) {
        const cnCoupling* coupling = &factor->couplings.data[k];
        const double* block = factor->values.jacobian + coupling->jacobian;
        for (int j = 0; j < cn_bodyUnknowns; ++j, ++count) {
            double *to = b + (ptrdiff_t)cn_mostRows * count, *toW = w + (ptrdiff_t)cn_mostRows * count;
            for (int i = 0; i < cn_mostRows; ++i) {
                bool acts = i < coupling->rows && factor->isFree.data[coupling->row + i];
                to[i] = acts ? block[i * cn_bodyUnknowns + j] : 0.0;
                toW[i] = acts ? -to[i] / factor->values.sigma[coupling->row + i] : 0.0;
            }
            local[count] = coupling->localBody + j;
        }
    }
    return count;
}

// Adds −B D⁻¹ Bᵀ; rows of B and B D⁻¹ have cn_mostRows numbers.
static int AddSoftLeaf(cnSparseFactor* factor, const cnFront* front, const cnLeaf* leaf, double* numbers) {
    double *b = factor->scratch.data, *w = b + (ptrdiff_t)cn_mostRows * factor->maxLeafRows;
    int *local = factor->scratchLocal.data, count = GatherSoftLeaf(factor, leaf, b, w, local);
    CN_ASSERT(count <= factor->maxLeafRows);
    for (int j = 0; j < count; ++j) {
        const double* column = w + (ptrdiff_t)cn_mostRows * j;
        double* to = numbers + ColumnOf(front, local[j]);
        for (int i = j; i < count; ++i) {
            const double* row = b + (ptrdiff_t)cn_mostRows * i;
            cnD2 sum = cnMulD(cnLoadD(row), cnLoadD(column));
            for (int k = 2; k < cn_mostRows; k += 2) {
                sum = cnMulAddD(sum, cnLoadD(row + k), cnLoadD(column + k));
            }
            to[local[i]] -= cnSumD(sum);
        }
    }
    return count;
}

static void AddLeaf(cnSparseFactor* factor, const cnFront* front, const cnLeaf* leaf, double* numbers) {
    int count = leaf->node < factor->bodyCount ? AddBodyLeaf(factor, front, leaf, numbers)
                                               : AddSoftLeaf(factor, front, leaf, numbers);
    factor->statistics.flops += factor->order.weight.data[leaf->node] * (double)count * (count + 1);
}

// Adds a child's contribution to its parent.
static void AddContribution(const cnSparseFactor* factor, const cnFront* front, const cnFront* child,
                            double* numbers) {
    CN_ASSERT(child->runStart <= child->runEnd);
    const int rows = child->stride - child->otherBegin;
    const double* from = factor->numbers + child->values + (ptrdiff_t)child->pivots * child->stride;
    const int* runs = factor->runs.data;
    int column = 0;
    for (int run = child->runStart; run < child->runEnd; ++run) {
        for (int j = 0; j < runs[2 * run + 1]; ++j, ++column, from += rows) {
            double* to = numbers + ColumnOf(front, runs[2 * run] + j);
            int row = column, begin = j;
            for (int other = run; other < child->runEnd; ++other) {
                double* target = to + runs[2 * other];
                int length = runs[2 * other + 1];
                for (int i = begin; i < length; ++i) {
                    target[i] += from[row++];
                }
                begin = 0;
            }
        }
    }
    CN_ASSERT(column == child->others);
}

static void FactoriseFront(cnSparseFactor* factor, const cnFront* front) {
    CN_ASSERT(front->parent == -1 || front->parent > front - factor->fronts.data);
    double* numbers = factor->numbers + front->values;
    // of a large contribution, what is above the diagonal's tiles is never read
    const int cleared = front->others <= 8 ? front->others : 0;
    memset(numbers, 0,
           ((size_t)front->stride * (size_t)front->pivots +
            (size_t)(front->stride - front->otherBegin) * (size_t)cleared) *
               sizeof *numbers);
    for (int j = cleared; j < front->others; ++j) {
        const int local = front->otherBegin + j, row = front->otherBegin + (j & ~3);
        memset(numbers + ColumnOf(front, local) + row, 0, (size_t)(front->stride - row) * sizeof *numbers);
    }
    AddDiagonals(factor, front, numbers);
    AddCouplings(factor, front, numbers);
    for (int k = front->leafStart; k < front->leafEnd; ++k) {
        AddLeaf(factor, front, &factor->leaves.data[k], numbers);
    }
    for (int child = front->firstChild; child >= 0; child = factor->fronts.data[child].next) {
        AddContribution(factor, front, &factor->fronts.data[child], numbers);
    }
    EliminateFront(factor, front);
    factor->statistics.flops += front->flops;
    ++factor->statistics.frontsDone;
}

// ---- what is up to date -----------------------------------------------------------------------------------

void cnSparseFactor_SetValues(cnSparseFactor* factor, const cnSparseValues* values) {
    CN_ASSERT(factor->analysed);
    factor->values = *values;
    factor->valuesAreNew = true;
    cnSparseFactor_TouchAll(factor);
}

void cnSparseFactor_TouchAll(cnSparseFactor* factor) {
    factor->anyDirty = true;
    factor->norm = -1.0;
    if (factor->frontCount > 0) {
        memset(factor->isDirty.data, 1, (size_t)factor->frontCount);
    }
}

static void MarkFront(cnSparseFactor* factor, int front) {
    CN_ASSERT(front >= -1 && front < factor->frontCount);
    while (front >= 0 && !factor->isDirty.data[front]) {
        factor->isDirty.data[front] = 1;
        factor->anyDirty = true;
        front = factor->fronts.data[front].parent;
    }
}

void cnSparseFactor_Touch(cnSparseFactor* factor, int constraint) {
    CN_ASSERT(constraint >= 0 && constraint < factor->constraintCount);
    const int node = factor->bodyCount + constraint, *place = factor->order.place.data;
    MarkFront(factor, factor->frontOf.data[node]);
    for (int k = factor->bodyStart.data[constraint]; k < factor->bodyStart.data[constraint + 1]; ++k) {
        int body = factor->bodies.data[k];
        if (place[body] < place[node]) {
            MarkFront(factor, factor->frontOf.data[body]);
        }
    }
}

void cnSparseFactor_SetFree(cnSparseFactor* factor, int row, bool isFree) {
    CN_ASSERT(row >= 0 && row < factor->rowCount);
    if ((factor->isFree.data[row] != 0) == isFree) {
        return;
    }
    factor->isFree.data[row] = isFree;
    factor->fixedRows += isFree ? -1 : 1;
    CN_ASSERT(factor->fixedRows >= 0 && factor->fixedRows <= factor->rowCount);
    // the constraint that has the row
    int low = 0, high = factor->constraintCount - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (factor->rowStart.data[middle] <= row) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    CN_ASSERT(row >= factor->rowStart.data[low] && row < factor->rowStart.data[low + 1]);
    cnSparseFactor_Touch(factor, low);
}

void cnSparseFactor_Refresh(cnSparseFactor* factor) {
    CN_ASSERT(factor->analysed);
    if (!factor->anyDirty) {
        return;
    }
    if (factor->valuesAreNew) {
        for (int k = 0; k < factor->leafCount; ++k) {
            int node = factor->leaves.data[k].node;
            if (node < factor->bodyCount) {
                cnInvertMass(factor->values.mass + cn_massNumbers * (ptrdiff_t)node,
                             factor->massInverse.data + cn_massNumbers * (ptrdiff_t)node);
            }
        }
    }
    for (int f = 0; f < factor->frontCount; ++f) {
        if (factor->isDirty.data[f]) {
            FactoriseFront(factor, &factor->fronts.data[f]);
            factor->isDirty.data[f] = 0;
        }
    }
    // what is not finite in a solve would stay beside the unknowns, in what pads columns
    memset(factor->work.data, 0, (size_t)factor->work.count * sizeof(double));
    factor->anyDirty = factor->valuesAreNew = false;
    ++factor->statistics.factorisations;
}

// ---- solves -----------------------------------------------------------------------------------------------

typedef struct Wide6 {
    cnD2 part[3];
} Wide6;

static inline Wide6 Load6(const double* from) {
    return (Wide6){{cnLoadD(from), cnLoadD(from + 2), cnLoadD(from + 4)}};
}

static inline Wide6 Absolute6(Wide6 a) {
    return (Wide6){{cnAbsD(a.part[0]), cnAbsD(a.part[1]), cnAbsD(a.part[2])}};
}

static inline bool IsZero6(const double* v) {
    uint64_t bits[cn_bodyUnknowns], any = 0;
    memcpy(bits, v, sizeof bits);
    for (int i = 0; i < cn_bodyUnknowns; ++i) {
        any |= bits[i];
    }
    return any << 1 == 0; // but for signs
}

static inline double DotWide6(Wide6 a, Wide6 b) {
    cnD2 sum = cnMulAddD(cnMulD(a.part[0], b.part[0]), a.part[1], b.part[1]);
    return cnSumD(cnMulAddD(sum, a.part[2], b.part[2]));
}

// to + a x
static inline Wide6 MulAddWide6(Wide6 to, Wide6 a, double x) {
    cnD2 wide = cnSplatD(x);
    return (Wide6){{cnMulAddD(to.part[0], a.part[0], wide), cnMulAddD(to.part[1], a.part[1], wide),
                    cnMulAddD(to.part[2], a.part[2], wide)}};
}

static inline void Store6(double* to, Wide6 a) {
    cnStoreD(to, a.part[0]);
    cnStoreD(to + 2, a.part[1]);
    cnStoreD(to + 4, a.part[2]);
}

// to += a x
static inline void AddWide6(double* to, Wide6 a, double x) {
    Store6(to, MulAddWide6(Load6(to), a, x));
}

// to += a
static inline void AddTo6(double* to, Wide6 a) {
    for (int i = 0; i < 3; ++i) {
        cnStoreD(to + 2 * i, cnAddD(cnLoadD(to + 2 * i), a.part[i]));
    }
}

// Bodies that are leaves have no part in `work`: `momenta` are theirs, and nobody else needs what they
// have on the way.
static void SolveBodyForward(cnSparseFactor* factor, const cnLeaf* leaf, const double* momenta,
                             double* solution) {
    CN_ASSERT(leaf->node >= 0 && leaf->node < factor->bodyCount);
    const double* momentum = momenta + cn_bodyUnknowns * (ptrdiff_t)leaf->node;
    double *x = factor->work.data, *y = solution + cn_bodyUnknowns * (ptrdiff_t)leaf->node;
    if (IsZero6(momentum)) {
        memset(y, 0, cn_bodyUnknowns * sizeof *y); // as in a correction of constraints alone
        return;
    }
    double speed[cn_bodyUnknowns];
    cnApplyMass(factor->massInverse.data + cn_massNumbers * (ptrdiff_t)leaf->node, momentum, speed);
    const Wide6 wide = Load6(speed);
    Store6(y, wide);
    for (int k = leaf->rowStart; k < leaf->rowEnd; ++k) {
        const cnLeafRow* row = &factor->leafRows.data[k]; // what fixed ones get is dropped
        x[row->position] -= DotWide6(Load6(factor->values.jacobian + row->jacobian), wide);
    }
}

static void SolveBodyBackward(cnSparseFactor* factor, const cnLeaf* leaf, double* solution) {
    CN_ASSERT(leaf->node >= 0 && leaf->node < factor->bodyCount);
    double *x = factor->work.data, *own = solution + cn_bodyUnknowns * (ptrdiff_t)leaf->node;
    Wide6 momentum = {0};
    for (int k = leaf->rowStart; k < leaf->rowEnd; ++k) {
        const cnLeafRow* row = &factor->leafRows.data[k]; // x is 0 where they are fixed
        momentum = MulAddWide6(momentum, Load6(factor->values.jacobian + row->jacobian), x[row->position]);
    }
    double sum[cn_bodyUnknowns], y[cn_bodyUnknowns];
    Store6(sum, momentum);
    cnApplyMass(factor->massInverse.data + cn_massNumbers * (ptrdiff_t)leaf->node, sum, y);
    for (int j = 0; j < cn_bodyUnknowns; ++j) {
        own[j] -= y[j];
    }
}

static void SolveSoftForward(cnSparseFactor* factor, const cnLeaf* leaf) {
    CN_ASSERT(leaf->node >= factor->bodyCount && leaf->node < factor->order.nodeCount);
    double *x = factor->work.data, *own = x + leaf->position;
    int row = factor->rowStart.data[leaf->node - factor->bodyCount];
    for (int i = 0; i < factor->order.weight.data[leaf->node]; ++i) {
        own[i] = factor->isFree.data[row + i] ? -own[i] / factor->values.sigma[row + i] : 0.0;
    }
    for (int k = leaf->couplingStart; k < leaf->couplingEnd; ++k) {
        const cnCoupling* coupling = &factor->couplings.data[k];
        const double* block = factor->values.jacobian + coupling->jacobian;
        for (int i = 0; i < coupling->rows; ++i, block += cn_bodyUnknowns) {
            AddWide6(x + coupling->bodyPosition, Load6(block), -own[i]);
        }
    }
}

static void SolveSoftBackward(cnSparseFactor* factor, const cnLeaf* leaf) {
    CN_ASSERT(leaf->node >= factor->bodyCount && leaf->node < factor->order.nodeCount);
    double *x = factor->work.data, *own = x + leaf->position;
    double sum[cn_mostRows] = {0};
    for (int k = leaf->couplingStart; k < leaf->couplingEnd; ++k) {
        const cnCoupling* coupling = &factor->couplings.data[k];
        const double* block = factor->values.jacobian + coupling->jacobian;
        const Wide6 v = Load6(x + coupling->bodyPosition);
        for (int i = 0; i < coupling->rows; ++i, block += cn_bodyUnknowns) {
            sum[i] += DotWide6(Load6(block), v);
        }
    }
    int row = factor->rowStart.data[leaf->node - factor->bodyCount];
    for (int i = 0; i < factor->order.weight.data[leaf->node]; ++i) {
        own[i] += sum[i] / factor->values.sigma[row + i]; // nobody reads those of fixed rows
    }
}

// Pivots two by two, like the elimination.
static void SolveFrontForward(cnSparseFactor* factor, const cnFront* front) {
    CN_ASSERT(front->stride - front->otherBegin <= factor->gathered.count);
    double *x = factor->work.data + front->position, *below = factor->gathered.data;
    const double* column = factor->numbers + front->values;
    const double* inverse = factor->pivotInverse.data + front->position;
    const int* rows = factor->frontRows.data + front->rowStart;
    const int begin = front->otherBegin, stride = front->stride;
    for (int i = 0; i < stride - begin; ++i) {
        below[i] = 0.0;
    }
    int k = 0;
    for (; k + 1 < front->pivots; k += 2, column += 2 * (ptrdiff_t)stride) {
        const double* next = column + stride;
        x[k + 1] -= column[k + 1] * x[k];
        const double both[2] = {x[k], x[k + 1]};
        SubtractTwo(x, column, next, both, k + 2, begin);
        SubtractTwo(below, column + begin, next + begin, both, 0, stride - begin);
    }
    if (k < front->pivots) {
        SubtractOne(below, column + begin, x[k], 0, stride - begin);
    }
    for (int i = 0; i < front->pivots; ++i) {
        x[i] *= inverse[i];
    }
    for (int i = 0; i < front->others; ++i) {
        factor->work.data[rows[i]] += below[i];
    }
}

static void SolveFrontBackward(cnSparseFactor* factor, const cnFront* front) {
    CN_ASSERT(front->others < factor->gathered.count);
    double *x = factor->work.data + front->position, *below = factor->gathered.data;
    const int* rows = factor->frontRows.data + front->rowStart;
    const int begin = front->otherBegin, stride = front->stride;
    for (int i = 0; i < front->others; ++i) {
        below[i] = factor->work.data[rows[i]];
    }
    below[front->others] = 0.0; // of the padding
    for (int k = (front->pivots - 1) & ~1; k >= 0; k -= 2) {
        const bool isLone = k + 1 == front->pivots;
        const double* column = factor->numbers + front->values + (ptrdiff_t)k * stride;
        const double* next = isLone ? column : column + stride;
        cnD2 sum = cnSplatD(0.0), sumNext = sum;
        for (int i = begin; i < stride; i += 2) {
            const cnD2 y = cnLoadD(below + (i - begin));
            sum = cnMulAddD(sum, cnLoadD(column + i), y);
            sumNext = cnMulAddD(sumNext, cnLoadD(next + i), y);
        }
        for (int i = k + 2; i < begin; i += 2) {
            const cnD2 y = cnLoadD(x + i);
            sum = cnMulAddD(sum, cnLoadD(column + i), y);
            sumNext = cnMulAddD(sumNext, cnLoadD(next + i), y);
        }
        double own = cnSumD(sum);
        if (!isLone) {
            x[k + 1] -= cnSumD(sumNext);
            own += column[k + 1] * x[k + 1];
        }
        x[k] -= own;
    }
}

// What a fixed row's λ adds to the momenta that are to be solved for.
static void AddImpulse(cnSparseFactor* factor, int constraint, int row, double lambda, double* momenta) {
    CN_ASSERT(!factor->isFree.data[row]);
    CN_ASSERT(row >= factor->rowStart.data[constraint] && row < factor->rowStart.data[constraint + 1]);
    for (int k = factor->bodyStart.data[constraint]; k < factor->bodyStart.data[constraint + 1]; ++k) {
        const int body = factor->bodies.data[k];
        const double* block = factor->values.jacobian + factor->jacobianStart.data[k] +
                              cn_bodyUnknowns * (row - factor->rowStart.data[constraint]);
        double* to = factor->order.leaf.data[body] ? momenta + cn_bodyUnknowns * (ptrdiff_t)body
                                                   : factor->work.data + factor->positionOf.data[body];
        AddWide6(to, Load6(block), lambda);
    }
}

void cnSparseFactor_Solve(cnSparseFactor* factor, const double* right, double* solution) {
    CN_ASSERT(factor->analysed && !factor->anyDirty);
    CN_ASSERT(right != solution);
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount;
    double* x = factor->work.data;

    // into the order of elimination; fixed rows push as they are told to
    const int *position = factor->positionOf.data, *rowStart = factor->rowStart.data;
    for (int b = 0; !factor->bodiesFirst && b < factor->bodyCount; ++b) {
        memcpy(x + position[b], right + cn_bodyUnknowns * (ptrdiff_t)b, cn_bodyUnknowns * sizeof *x);
    }
    const double* momenta = right;
    if (factor->fixedRows > 0) {
        memcpy(solution, right, (size_t)bodyUnknowns * sizeof *x);
        momenta = solution;
    }
    for (int c = 0; c < factor->constraintCount; ++c) {
        double* to = x + position[factor->bodyCount + c];
        for (int row = rowStart[c]; row < rowStart[c + 1]; ++row, ++to) {
            *to = right[bodyUnknowns + row];
            if (factor->fixedRows > 0 && !factor->isFree.data[row]) {
                *to = 0.0;
                AddImpulse(factor, c, row, solution[bodyUnknowns + row], solution);
            }
        }
    }

    // the last front is that of leaves without any, and empty
    for (int f = 0; f <= factor->frontCount; ++f) {
        const cnFront* front = &factor->fronts.data[f];
        for (int k = front->leafStart; k < front->leafEnd; ++k) {
            const cnLeaf* leaf = &factor->leaves.data[k];
            if (leaf->node < factor->bodyCount) {
                SolveBodyForward(factor, leaf, momenta, solution);
            } else {
                SolveSoftForward(factor, leaf);
            }
        }
        SolveFrontForward(factor, front);
    }
    for (int c = 0; factor->fixedRows > 0 && c < factor->constraintCount; ++c) {
        double* at = x + position[factor->bodyCount + c];
        for (int row = rowStart[c]; row < rowStart[c + 1]; ++row, ++at) {
            *at = factor->isFree.data[row] ? *at : 0.0;
        }
    }
    for (int f = factor->frontCount; f >= 0; --f) {
        const cnFront* front = &factor->fronts.data[f];
        SolveFrontBackward(factor, front);
        for (int k = front->leafStart; k < front->leafEnd; ++k) {
            const cnLeaf* leaf = &factor->leaves.data[k];
            if (leaf->node < factor->bodyCount) {
                SolveBodyBackward(factor, leaf, solution);
            } else {
                SolveSoftBackward(factor, leaf);
            }
        }
    }

    for (int b = 0; !factor->bodiesFirst && b < factor->bodyCount; ++b) {
        if (!factor->order.leaf.data[b]) {
            memcpy(solution + cn_bodyUnknowns * (ptrdiff_t)b, x + position[b], cn_bodyUnknowns * sizeof *x);
        }
    }
    for (int c = 0; c < factor->constraintCount; ++c) {
        const double* from = x + position[factor->bodyCount + c];
        for (int row = rowStart[c]; row < rowStart[c + 1]; ++row, ++from) {
            if (factor->fixedRows == 0 || factor->isFree.data[row]) {
                solution[bodyUnknowns + row] = -*from;
            }
        }
    }
}

double cnSparseFactor_Residual(const cnSparseFactor* factor, const double* right, const double* solution,
                               double* residual, double* scale) {
    CN_ASSERT(factor->analysed && residual != right && residual != solution);
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount, count = factor->unknownCount;
    const double* lambda = solution + bodyUnknowns;
    // M v − p
    for (int b = 0; b < factor->bodyCount; ++b) {
        const double* mass = factor->values.mass + cn_massNumbers * (ptrdiff_t)b;
        const int at = cn_bodyUnknowns * b;
        double momentum[cn_bodyUnknowns], size[cn_massNumbers], speed[cn_bodyUnknowns];
        cnApplyMass(mass, solution + at, momentum);
        for (int i = 0; i < cn_bodyUnknowns; ++i) {
            residual[at + i] = right[at + i] - momentum[i];
            speed[i] = fabs(solution[at + i]);
        }
        if (scale != NULL) {
            for (int i = 0; i < cn_massNumbers; ++i) {
                size[i] = fabs(mass[i]);
            }
            cnApplyMass(size, speed, scale + at);
            for (int i = 0; i < cn_bodyUnknowns; ++i) {
                scale[at + i] += fabs(right[at + i]);
            }
        }
    }
    // Gᵀ λ and G v
    for (int c = 0; c < factor->constraintCount; ++c) {
        const int row = factor->rowStart.data[c], end = factor->rowStart.data[c + 1];
        for (int i = row; i < end; ++i) {
            double pushed = factor->values.sigma[i] * lambda[i];
            residual[bodyUnknowns + i] = right[bodyUnknowns + i] - pushed;
            if (scale != NULL) {
                scale[bodyUnknowns + i] = fabs(right[bodyUnknowns + i]) + fabs(pushed);
            }
        }
        for (int k = factor->bodyStart.data[c]; k < factor->bodyStart.data[c + 1]; ++k) {
            const double* block = factor->values.jacobian + factor->jacobianStart.data[k];
            const ptrdiff_t at = cn_bodyUnknowns * (ptrdiff_t)factor->bodies.data[k];
            const Wide6 v = Load6(solution + at), speed = Absolute6(v);
            Wide6 push = {0}, size = {0};
            for (int i = row; i < end; ++i, block += cn_bodyUnknowns) {
                const Wide6 g = Load6(block);
                residual[bodyUnknowns + i] -= DotWide6(g, v);
                push = MulAddWide6(push, g, lambda[i]);
                if (scale != NULL) {
                    const Wide6 absolute = Absolute6(g);
                    scale[bodyUnknowns + i] += DotWide6(absolute, speed);
                    size = MulAddWide6(size, absolute, fabs(lambda[i]));
                }
            }
            AddTo6(residual + at, push);
            if (scale != NULL) {
                AddTo6(scale + at, size);
            }
        }
    }
    if (scale == NULL) {
        return 0.0;
    }
    // where all is next to nothing, as far from a chain's only load, an error counts against a
    // part of the largest
    double worst = 0.0;
    for (int part = 0; part < 2; ++part) {
        const int begin = part == 0 ? 0 : bodyUnknowns, end = part == 0 ? bodyUnknowns : count;
        double largest = 0.0;
        for (int i = begin; i < end; ++i) {
            largest = cnMax(largest, scale[i]);
        }
        for (int i = begin; i < end; ++i) {
            double error = fabs(residual[i]), size = cnMax(scale[i], 1e-20 * largest);
            if (!(error <= worst * size) && (part == 0 || factor->isFree.data[i - bodyUnknowns])) {
                error /= size;
                worst = error == error ? error : INFINITY;
            }
        }
    }
    return worst;
}

double cnSparseFactor_RowError(const cnSparseFactor* factor, const double* right, const double* solution) {
    CN_ASSERT(factor->fixedRows == 0);
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount;
    const int *bodies = factor->bodies.data, *jacobianStart = factor->jacobianStart.data;
    double worst = 0.0;
    for (int c = 0; c < factor->constraintCount; ++c) {
        const int begin = factor->rowStart.data[c], end = factor->rowStart.data[c + 1];
        const int firstBody = factor->bodyStart.data[c], endBody = factor->bodyStart.data[c + 1];
        for (int row = begin; row < end; ++row) {
            // G v and |G||v|, the parts of each in two lanes
            cnD2 speed = cnSplatD(0.0), max = speed;
            for (int k = firstBody; k < endBody; ++k) {
                const double* g =
                    factor->values.jacobian + jacobianStart[k] + cn_bodyUnknowns * (ptrdiff_t)(row - begin);
                const double* v = solution + cn_bodyUnknowns * (ptrdiff_t)bodies[k];
                for (int i = 0; i < cn_bodyUnknowns; i += 2) {
                    const cnD2 part = cnMulD(cnLoadD(g + i), cnLoadD(v + i));
                    speed = cnAddD(speed, part);
                    max = cnAddD(max, cnAbsD(part));
                }
            }
            const double q = right[bodyUnknowns + row];
            const double pushed = factor->values.sigma[row] * solution[bodyUnknowns + row];
            const double error = fabs(q - pushed - cnSumD(speed));
            const double size = fabs(q) + fabs(pushed) + cnSumD(max);
            if (!(error <= worst * size)) {
                const double part = error / size;
                worst = part == part ? part : INFINITY;
            }
        }
    }
    return worst;
}

double cnSparseFactor_Refine(cnSparseFactor* factor, const double* right, double* solution, int steps,
                             double tolerance) {
    CN_ASSERT(!factor->anyDirty);
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount, count = factor->unknownCount;
    double *residual = factor->residual.data, *scale = factor->scale.data,
           *correction = factor->correction.data;
    double error = cnSparseFactor_Residual(factor, right, solution, residual, scale);
    for (int step = 0; step < steps && error > tolerance; ++step) {
        memset(correction + bodyUnknowns, 0, (size_t)factor->rowCount * sizeof *correction);
        cnSparseFactor_Solve(factor, residual, correction);
        for (int i = 0; i < count; ++i) {
            solution[i] += correction[i];
        }
        double better = cnSparseFactor_Residual(factor, right, solution, residual, scale);
        if (!(better < error)) {
            for (int i = 0; i < count; ++i) {
                solution[i] -= correction[i];
            }
            return cnSparseFactor_Residual(factor, right, solution, residual, scale);
        }
        bool stalls = better > 0.5 * error;
        error = better;
        if (stalls) {
            break;
        }
    }
    return error;
}

double cnSparseFactor_RelativeResidual(cnSparseFactor* factor, const double* right, const double* solution) {
    const int bodyUnknowns = cn_bodyUnknowns * factor->bodyCount, count = factor->unknownCount;
    double *residual = factor->residual.data, *scale = factor->scale.data;
    if (factor->norm < 0.0) {
        // row sums of |K|: the scale of a vector of ones
        for (int i = 0; i < count; ++i) {
            factor->work.data[i] = 0.0;
            factor->correction.data[i] = 1.0;
        }
        cnSparseFactor_Residual(factor, factor->work.data, factor->correction.data, residual, scale);
        factor->norm = 0.0;
        for (int i = 0; i < count; ++i) {
            factor->norm = cnMax(factor->norm, scale[i]);
        }
    }
    cnSparseFactor_Residual(factor, right, solution, residual, NULL);
    double worst = 0.0, x = 0.0, b = 0.0;
    for (int i = 0; i < count; ++i) {
        x = cnMax(x, fabs(solution[i]));
        if (i < bodyUnknowns || factor->isFree.data[i - bodyUnknowns]) {
            b = cnMax(b, fabs(right[i]));
            worst = residual[i] == residual[i] ? cnMax(worst, fabs(residual[i])) : INFINITY;
        }
    }
    return worst > 0.0 ? worst / (factor->norm * x + b) : 0.0;
}
