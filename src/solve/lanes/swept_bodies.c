#include "solve/lanes/swept_bodies.h"

#include "base/report/assert.h"

#include <string.h>

bool cnSweptBodies_Make(cnSweptBodies* swept, cnStack* stack, int count, bool isDamped) {
    CN_ASSERT(count >= 1);
    *swept = (cnSweptBodies){
        .count = count,
        .bodies = CN_PUSH(stack, cnSweptBody, count, "swept bodies"),
        .masses = CN_PUSH(stack, cnSweptMass, count, "masses of swept bodies"),
        .forces = CN_PUSH(stack, cnMotion6, count, "forces of swept bodies"),
    };
    if (isDamped) {
        swept->damping = CN_PUSH(stack, cnSweptDamping, count, "damping of swept bodies");
    }
    return swept->bodies != NULL && swept->masses != NULL && swept->forces != NULL &&
           (!isDamped || swept->damping != NULL);
}

// ---- mass-weighted rotation -------------------------------------------------------------------------------

// A column of L, its diagonal element squared being `square`; 0 where rounding leaves nothing.
static double RootOf(double square, double whole) {
    return square > 1e-12 * whole ? sqrt(square) : 0.0;
}

static double Over(double value, double divisor) {
    return divisor > 0.0 ? value / divisor : 0.0;
}

static void Factorise(const cnMat33* inverse, float factor[6]) {
    double xx = RootOf(inverse->x.x, inverse->x.x);
    double yx = Over(inverse->x.y, xx), zx = Over(inverse->x.z, xx);
    double yy = RootOf(inverse->y.y - yx * yx, inverse->y.y), zy = Over(inverse->y.z - yx * zx, yy);
    double zz = RootOf(inverse->z.z - zx * zx - zy * zy, inverse->z.z);
    const double all[6] = {xx, yx, zx, yy, zy, zz};
    for (int i = 0; i < 6; ++i) {
        factor[i] = (float)all[i];
    }
}

cnVec3 cnSweptMass_GetSpin(const cnSweptMass* mass, const float weighted[4]) {
    const float* l = mass->factor;
    double x = weighted[0], y = weighted[1], z = weighted[2];
    return cnVec(l[0] * x, l[1] * x + l[3] * y, l[2] * x + l[4] * y + l[5] * z);
}

// L⁻¹ v.
static cnVec3 WeightOf(const cnSweptMass* mass, cnVec3 v) {
    const float* l = mass->factor;
    double x = Over(v.x, l[0]);
    double y = Over(v.y - l[1] * x, l[3]);
    double z = Over(v.z - l[2] * x - l[4] * y, l[5]);
    return cnVec(x, y, z);
}

void cnSweptMass_WeightSpin(const cnSweptMass* mass, cnVec3 spin, float weighted[4]) {
    cnVec3 v = WeightOf(mass, spin);
    weighted[0] = (float)v.x;
    weighted[1] = (float)v.y;
    weighted[2] = (float)v.z;
    weighted[3] = 0.0f;
}

// ---- loading and storing ----------------------------------------------------------------------------------

static void StoreVector(float out[4], cnVec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
    out[3] = 0.0f;
}

static void StoreMatrix(float out[9], cnMat33 m) {
    const cnVec3 columns[3] = {m.x, m.y, m.z};
    for (int i = 0; i < 3; ++i) {
        out[3 * i] = (float)columns[i].x;
        out[3 * i + 1] = (float)columns[i].y;
        out[3 * i + 2] = (float)columns[i].z;
    }
}

// L⁻¹ A L.
static cnMat33 WeightMatrix(const cnSweptMass* mass, const cnMat33* a) {
    const float* l = mass->factor;
    const cnVec3 columns[3] = {cnVec(l[0], l[1], l[2]), cnVec(0.0, l[3], l[4]), cnVec(0.0, 0.0, l[5])};
    return (cnMat33){WeightOf(mass, cnMulMat(*a, columns[0])), WeightOf(mass, cnMulMat(*a, columns[1])),
                     WeightOf(mass, cnMulMat(*a, columns[2]))};
}

static void LoadBody(const cnSweptBodies* swept, const cnSolve* solve, int index, int place) {
    cnSweptMass* mass = &swept->masses[place];
    const cnInverseMass* inverse = &solve->solver.inverse[index];
    const cnForceResponse* response = &solve->solver.response[index];
    int row = solve->solver.rows[index];
    mass->inverseMass = (float)inverse->linear.x.x;
    Factorise(&inverse->angular, mass->factor);
    mass->load = 0.0f;
    memset(&swept->bodies[place], 0, sizeof swept->bodies[place]);
    cnMotion6* force = &swept->forces[place];
    StoreVector(force->linear, cnForceResponse_Linear(response, solve->bodies->halfStepVelocity[row]));
    cnSweptMass_WeightSpin(
        mass, cnForceResponse_Angular(response, solve->bodies->halfStepAngularVelocity[row]), force->angular);
    if (swept->damping != NULL && response->damping != NULL) {
        cnSweptDamping* damping = &swept->damping[place];
        StoreMatrix(damping->linear, response->damping->linear);
        StoreMatrix(damping->angular, WeightMatrix(mass, &response->damping->angular));
    } else if (swept->damping != NULL) {
        memset(&swept->damping[place], 0, sizeof swept->damping[place]);
    }
}

void cnSweptBodies_Load(const cnSweptBodies* swept, const cnSolve* solve, const int* indices, int begin,
                        int end) {
    CN_ASSERT(begin >= 0 && end <= swept->count);
    if (begin == 0) {
        memset(&swept->bodies[0], 0, sizeof swept->bodies[0]);
        memset(&swept->masses[0], 0, sizeof swept->masses[0]);
        memset(&swept->forces[0], 0, sizeof swept->forces[0]);
        if (swept->damping != NULL) {
            memset(&swept->damping[0], 0, sizeof swept->damping[0]);
        }
    }
    for (int place = begin > 1 ? begin : 1; place < end; ++place) {
        LoadBody(swept, solve, indices[place - 1], place);
    }
}

void cnSweptBodies_Store(const cnSweptBodies* swept, cnSolve* solve, const int* indices, int begin, int end) {
    CN_ASSERT(begin >= 0 && end <= swept->count);
    for (int place = begin > 1 ? begin : 1; place < end; ++place) {
        const cnSweptBody* body = &swept->bodies[place];
        const cnSweptMass* mass = &swept->masses[place];
        cnMotion6* velocity = &solve->solver.velocity[indices[place - 1]];
        cnMotion6* displacement = &solve->solver.displacement[indices[place - 1]];
        *velocity = body->velocity;
        *displacement = body->displacement;
        StoreVector(velocity->angular, cnSweptMass_GetSpin(mass, body->velocity.angular));
        StoreVector(displacement->angular, cnSweptMass_GetSpin(mass, body->displacement.angular));
    }
}
