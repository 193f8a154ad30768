// Random islands for the tests of the sparse solver: systems of bodies and constraints.
#include "helpers.h"
#include "linear/sparse_factor.h"

enum {
    maxBodies = 64,
    maxConstraints = 256,
    maxRows = 1024,
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
    int rowStart[maxConstraints + 1], bodyStart[maxConstraints + 1];
    int bodies[4 * maxConstraints];
    uint8_t soft[maxConstraints];
    double mass[cn_massNumbers * maxBodies];
    double jacobian[6 * 4 * maxRows];
    double sigma[maxRows];
} Island;

static void make_mass(double* mass, double m) {
    // m·1 and R diag(a, b, c) Rᵀ with a random rotation, as A Aᵀ + diagonal
    double a[9];
    for (int i = 0; i < 9; ++i) {
        a[i] = random_in(-1.0, 1.0);
        mass[i] = i % 4 == 0 ? m : 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double sum = i == j ? 0.2 : 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += 0.3 * a[3 * i + k] * a[3 * j + k];
            }
            mass[9 + 3 * i + j] = m * sum;
        }
    }
}

static double* add_constraint(Island* island, const int* bodies, int bodyCount, int rows) {
    int c = island->constraintCount++;
    int jacobian = 0;
    for (int k = 0; k < c; ++k) {
        jacobian += 6 * (island->rowStart[k + 1] - island->rowStart[k]) *
                    (island->bodyStart[k + 1] - island->bodyStart[k]);
    }
    memcpy(island->bodies + island->bodyStart[c], bodies, (size_t)bodyCount * sizeof(int));
    island->bodyStart[c + 1] = island->bodyStart[c] + bodyCount;
    island->rowStart[c + 1] = island->rowStart[c] + rows;
    island->rowCount += rows;
    return island->jacobian + jacobian;
}

// A ball joint (3 rows), a hinge (5) or a lock (6) between two bodies, or of one body and the
// world (second −1).
static void add_joint(Island* island, int first, int second, int rows) {
    int bodies[2] = {first, second}, slots = second < 0 ? 1 : 2;
    double* g = add_constraint(island, bodies, slots, rows);
    for (int s = 0; s < slots; ++s) {
        double sign = s == 0 ? 1.0 : -1.0, r[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = random_in(-1.0, 1.0);
        }
        memset(g, 0, (size_t)rows * 6 * sizeof *g);
        for (int i = 0; i < rows; ++i, g += 6) {
            if (i < 3) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                g[i] = sign; // sign (v + ω × r)ᵢ
                g[3 + j] = sign * r[k];
                g[3 + k] = -sign * r[j];
            } else {
                g[i] = sign;
            }
        }
    }
}

// Four normal rows of a face on a face: rank 3.
static void add_contact(Island* island, int first, int second) {
    int bodies[2] = {first, second}, slots = second < 0 ? 1 : 2;
    double* g = add_constraint(island, bodies, slots, 4);
    for (int s = 0; s < slots; ++s) {
        double sign = s == 0 ? 1.0 : -1.0;
        for (int i = 0; i < 4; ++i, g += 6) {
            double x = i & 1 ? 0.5 : -0.5, y = i & 2 ? 0.5 : -0.5;
            double row[6] = {0.0, 0.0, sign, sign * y, -sign * x, 0.0}; // r × n at r = (x, y, −½ sign)
            memcpy(g, row, sizeof row);
        }
    }
}

static void add_random(Island* island) {
    int wanted = 1 + random_int(4), bodies[4] = {0}, count = 0;
    for (int k = 0; k < wanted; ++k) {
        int body = random_int(island->bodyCount);
        bool isNew = true;
        for (int i = 0; i < count; ++i) {
            isNew = isNew && bodies[i] != body;
        }
        if (isNew) {
            bodies[count++] = body;
        }
    }
    int rows = 1 + random_int(8);
    double* g = add_constraint(island, bodies, count, rows);
    for (int i = 0; i < 6 * rows * count; ++i) {
        g[i] = random_in(-1.0, 1.0);
    }
}

// (G M⁻¹ Gᵀ)ᵢᵢ
static double row_effect(const Island* island, int constraint, int row) {
    double effect = 0.0;
    const double* g = island->jacobian;
    for (int c = 0; c < constraint; ++c) {
        g += 6 * (island->rowStart[c + 1] - island->rowStart[c]) *
             (island->bodyStart[c + 1] - island->bodyStart[c]);
    }
    int rows = island->rowStart[constraint + 1] - island->rowStart[constraint];
    for (int k = island->bodyStart[constraint]; k < island->bodyStart[constraint + 1]; ++k) {
        const double* at = g + 6 * (row - island->rowStart[constraint]);
        const double* mass = island->mass + cn_massNumbers * island->bodies[k];
        // gᵀ M⁻¹ g by Cholesky of the angular block; the linear one is diagonal
        for (int i = 0; i < 3; ++i) {
            effect += at[i] * at[i] / mass[4 * i];
        }
        double l[9] = {0}, y[3];
        for (int i = 0; i < 3; ++i) {
            y[i] = at[3 + i];
            for (int j = 0; j <= i; ++j) {
                double sum = mass[9 + 3 * i + j];
                for (int m = 0; m < j; ++m) {
                    sum -= l[3 * i + m] * l[3 * j + m];
                }
                l[3 * i + j] = i == j ? sqrt(sum) : sum / l[3 * j + j];
            }
            for (int j = 0; j < i; ++j) {
                y[i] -= l[3 * i + j] * y[j];
            }
            y[i] /= l[4 * i];
            effect += y[i] * y[i];
        }
        g += 6 * rows;
    }
    return effect;
}

// Masses spread over 10^±massDecades/2; Σ between 1e-12 and 10^sigmaDecades of G M⁻¹ Gᵀ (exactly 1e-12 in
// half of the islands).
static void make_island(Island* island, IslandKind kind, int bodyCount, double massDecades,
                        double sigmaDecades) {
    island->bodyCount = bodyCount;
    island->constraintCount = island->rowCount = 0;
    island->rowStart[0] = island->bodyStart[0] = 0;
    memset(island->soft, 0, sizeof island->soft);
    for (int i = 0; i < bodyCount; ++i) {
        make_mass(island->mass + cn_massNumbers * i, pow(10.0, random_in(-0.5, 0.5) * massDecades));
    }
    static const int jointRows[3] = {3, 5, 6};
    int width = bodyCount < 4 ? 1 : (int)sqrt(bodyCount);
    add_joint(island, 0, -1, 3);
    for (int i = 1; i < bodyCount; ++i) {
        switch (kind) {
        case treeIsland:
            add_joint(island, i, random_int(i), jointRows[random_int(3)]);
            break;
        case starIsland:
            add_joint(island, i, 0, jointRows[random_int(3)]);
            break;
        case gridIsland:
            if (i % width > 0) {
                add_contact(island, i - 1, i);
            }
            if (i >= width) {
                add_contact(island, i - width, i);
            }
            break;
        case redundantIsland: {
            uint64_t state = randomState;
            for (int k = 0; k < 3; ++k) {
                randomState = state;
                add_joint(island, i, i - 1, 3);
            }
            break;
        }
        case randomIsland:
            add_random(island);
            break;
        default:
            add_joint(island, i, i - 1, jointRows[random_int(3)]);
            break;
        }
    }
    if (kind == loopIsland && bodyCount > 2) {
        add_joint(island, bodyCount - 1, 0, 5);
        add_joint(island, bodyCount / 2, -1, 3);
    }
    if (kind == gridIsland) {
        for (int i = 0; i < width; ++i) {
            add_contact(island, i, -1);
        }
    }

    bool stiff = random_int(2) == 0;
    for (int c = 0; c < island->constraintCount; ++c) {
        for (int row = island->rowStart[c]; row < island->rowStart[c + 1]; ++row) {
            double part = stiff ? -12.0 : fmax(-12.0, random_in(-14.0, sigmaDecades));
            island->sigma[row] = pow(10.0, part) * row_effect(island, c, row);
        }
    }
}

// Constraints whose Σ is at least `min` of G M⁻¹ Gᵀ in all rows become soft.
static void soften_island(Island* island, double min) {
    for (int c = 0; c < island->constraintCount; ++c) {
        island->soft[c] = 1;
        for (int row = island->rowStart[c]; row < island->rowStart[c + 1]; ++row) {
            if (island->sigma[row] < min * row_effect(island, c, row)) {
                island->soft[c] = 0;
            }
        }
    }
}

static cnBlockTopology topology_of(const Island* island) {
    return (cnBlockTopology){island->bodyCount, island->constraintCount, island->rowStart,
                             island->bodyStart, island->bodies,          island->soft};
}

static cnSparseValues values_of(const Island* island) {
    return (cnSparseValues){island->mass, island->jacobian, island->sigma};
}
