// Eigenvalues and eigenvectors of symmetric 3×3 matrices.
//
// Cyclic Jacobi (Golub, Van Loan, Matrix Computations, 4th ed., 8.5): rotate each off-diagonal element to
// zero in turn. It is slower than a closed formula and keeps what matters for inertia: small eigenvalues keep
// their relative accuracy (Demmel, Veselić, SIAM J. Matrix Anal. Appl. 13, 1992), and a matrix that is
// diagonal is left alone, so a box keeps its own axes.

#include "cairn/math.h"

// Converges quadratically after two or three sweeps; the limit is for matrices with NaN.
enum {
    maxSweeps = 32
};

typedef struct JacobiState {
    double matrix[3][3];
    double vectors[3][3]; // columns
} JacobiState;

// An element is as good as zero below the rounding errors of its two diagonal elements.
static bool IsNegligible(const JacobiState* jacobi, int p, int q) {
    double threshold = 0x1p-52 * cnMin(fabs(jacobi->matrix[p][p]), fabs(jacobi->matrix[q][q]));
    return fabs(jacobi->matrix[p][q]) <= threshold;
}

// Rotates the plane of axes p and q so that their element vanishes.
static void JacobiRotate(JacobiState* jacobi, int p, int q) {
    double(*a)[3] = jacobi->matrix;
    double element = a[p][q];
    a[p][q] = 0.0;
    a[q][p] = 0.0;

    // the smaller of the two angles: tan² + 2 tan cot2θ − 1 = 0
    double cotangent = (a[q][q] - a[p][p]) / (2.0 * element);
    double tangent = 1.0 / (fabs(cotangent) + sqrt(cotangent * cotangent + 1.0));
    if (cotangent < 0.0) {
        tangent = -tangent;
    }
    double cosine = 1.0 / sqrt(tangent * tangent + 1.0);
    double sine = tangent * cosine;

    a[p][p] -= tangent * element;
    a[q][q] += tangent * element;
    int r = 3 - p - q;
    double rp = a[r][p];
    double rq = a[r][q];
    a[r][p] = a[p][r] = cosine * rp - sine * rq;
    a[r][q] = a[q][r] = sine * rp + cosine * rq;
    for (int i = 0; i < 3; ++i) {
        double vp = jacobi->vectors[i][p];
        double vq = jacobi->vectors[i][q];
        jacobi->vectors[i][p] = cosine * vp - sine * vq;
        jacobi->vectors[i][q] = sine * vp + cosine * vq;
    }
}

static void JacobiDiagonalize(JacobiState* jacobi) {
    static const int planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int sweep = 0; sweep < maxSweeps; ++sweep) {
        bool isDiagonal = true;
        for (int i = 0; i < 3; ++i) {
            int p = planes[i][0];
            int q = planes[i][1];
            if (!IsNegligible(jacobi, p, q)) {
                JacobiRotate(jacobi, p, q);
                isDiagonal = false;
            }
        }
        if (isDiagonal) {
            return;
        }
    }
}

static cnVec3 ColumnOf(const JacobiState* jacobi, int column) {
    return (cnVec3){jacobi->vectors[0][column], jacobi->vectors[1][column], jacobi->vectors[2][column]};
}

cnVec3 cnSymmetricEigen(cnMat33 m, cnQuat* axes) {
    double xy = 0.5 * (m.x.y + m.y.x);
    double xz = 0.5 * (m.x.z + m.z.x);
    double yz = 0.5 * (m.y.z + m.z.y);
    JacobiState jacobi = {
        .matrix = {{m.x.x, xy, xz}, {xy, m.y.y, yz}, {xz, yz, m.z.z}},
        .vectors = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
    };
    JacobiDiagonalize(&jacobi);

    // sort by insertion; equal eigenvalues keep their order
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; ++i) {
        for (int j = i;
             j > 0 && jacobi.matrix[order[j]][order[j]] < jacobi.matrix[order[j - 1]][order[j - 1]]; --j) {
            int swapped = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swapped;
        }
    }

    // An eigenvector's sign is free. The third follows from the first two, which makes the frame
    // right-handed; of the four frames that leaves, the one nearest to the identity is taken, so a box with
    // its axes swapped rotates by a quarter.
    if (axes != NULL) {
        cnVec3 x = ColumnOf(&jacobi, order[0]);
        cnVec3 y = ColumnOf(&jacobi, order[1]);
        cnVec3 z = cnCross(x, y);
        cnMat33 nearest = {x, y, z};
        for (int flips = 1; flips < 4; ++flips) {
            double signX = (flips & 1) != 0 ? -1.0 : 1.0;
            double signY = (flips & 2) != 0 ? -1.0 : 1.0;
            cnMat33 other = {cnScale(signX, x), cnScale(signY, y), cnScale(signX * signY, z)};
            if (other.x.x + other.y.y + other.z.z > nearest.x.x + nearest.y.y + nearest.z.z) {
                nearest = other;
            }
        }
        *axes = cnQuatFromMat(nearest);
    }
    return (cnVec3){jacobi.matrix[order[0]][order[0]], jacobi.matrix[order[1]][order[1]],
                    jacobi.matrix[order[2]][order[2]]};
}
