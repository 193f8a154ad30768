#include "solve/joint_choice.h"

#include "base/report/assert.h"
#include "dynamics/joint.h"

// Joints are swept between bodies of at most this ratio of masses, axes where none rotates by more than so
// many radians in a step.
#define CN_SWEPT_RATIO 10.0
#define CN_SWEPT_ROTATION 0.1
// Joints of islands that touch something and are solved exactly in a step, where sweeps could hold them.
#define CN_EXACT_JOINTS 32
// Loops of joints that make a net, whose factorisation is dear.
#define CN_NET_LOOPS 256
// Sweeps hold points rigidly. What is softer than most joints are (m/N), and yields by more than this part of
// its own inverse masses, is not swept.
#define CN_USUAL_COMPLIANCE 1e-8
#define CN_MAX_SOFTNESS 0.05
#define CN_JOINT_CHUNK 64

// ---- a joint ----------------------------------------------------------------------------------------------

static bool IsUnbounded(const cnRowSettings* row) {
    return row->min == -INFINITY && row->max == INFINITY;
}

static bool IsSweptBody(const cnSolve* solve, int row) {
    uint32_t flags = row >= 0 ? solve->bodies->flags[row] : 0;
    bool isDynamic = row >= 0 && solve->solver.indexOfRow[row] != 0;
    return isDynamic ? (flags & cn_bodyIsotropicMass) != 0 : (flags & cn_bodyKinematic) == 0;
}

// Whether its rows are those that sweeps know, and its bodies of a kind that they do.
static bool CanSweep(const cnSolve* solve, const cnSolverJoint* joint) {
    const cnConstraint* constraint = &solve->constraints->constraints[joint->constraint];
    const cnConstraintKind* kind = cnJoint_KindOf(constraint);
    if (!cnJoint_Has(constraint, cn_hasFrames) || (kind->held & cn_alongAll) != cn_alongAll ||
        !IsSweptBody(solve, joint->rows[0]) || !IsSweptBody(solve, joint->rows[1])) {
        return false;
    }
    const uint32_t known = 1u << cn_slotRange | 2u << cn_slotRange | 1u << cn_slotFriction |
                           2u << cn_slotFriction | 1u << cn_slotCone | 1u << cn_slotTwist;
    int axes = kind->heldCount - 3;
    for (uint32_t left = constraint->acting; left != 0; left &= left - 1) {
        axes += 1;
    }
    if ((constraint->acting & ~known) != 0 || axes > CN_JOINT_AXES) {
        return false;
    }
    const cnRowSettings* first = &constraint->dofs[0];
    double softest = 0.0;
    for (int dof = 0; dof < 6; ++dof) {
        const cnRowSettings* row = &constraint->dofs[dof];
        bool isHeld = (kind->held >> dof & 1) != 0;
        bool isAlike = dof >= 3 || (row->compliance == first->compliance && row->damping == first->damping);
        if (isHeld && (!isAlike || !IsUnbounded(row))) {
            return false;
        }
        softest = isHeld && dof < 3 ? cnMax(softest, row->compliance) : softest;
    }
    if (softest <= CN_USUAL_COMPLIANCE) {
        return true;
    }
    double inverseMass = solve->solver.inverse[solve->solver.indexOfRow[joint->rows[0]]].linear.x.x;
    if (joint->rows[1] >= 0) {
        inverseMass += solve->solver.inverse[solve->solver.indexOfRow[joint->rows[1]]].linear.x.x;
    }
    double gamma =
        cnSpookGamma(first->damping >= 0.0 ? first->damping : 2.0 * solve->substep, solve->substep);
    return cnSpookSigma(softest, gamma, solve->substep) <= CN_MAX_SOFTNESS * inverseMass;
}

// Whether sweeps hold a joint: bodies of like masses; and where it holds axes, which are those of the start
// of the step, bodies that do not rotate far.
static bool IsHeldBySweeps(const cnSolve* solve, const cnSolverJoint* joint) {
    if (!CanSweep(solve, joint)) {
        return false;
    }
    const cnBodyTable* bodies = solve->bodies;
    const cnConstraint* constraint = &solve->constraints->constraints[joint->constraint];
    bool hasAxes = !cnJoint_HoldsPoint(constraint) || constraint->acting != 0;
    double min = INFINITY, max = 0.0, spin = 0.0;
    for (int i = 0; i < 2; ++i) {
        int row = joint->rows[i];
        if (row >= 0 && solve->solver.indexOfRow[row] != 0) {
            min = cnMin(min, bodies->mass[row]);
            max = cnMax(max, bodies->mass[row]);
            spin = cnMax(spin, cnLength(bodies->halfStepAngularVelocity[row]));
        }
    }
    return max <= CN_SWEPT_RATIO * min && (!hasAxes || solve->h * spin <= CN_SWEPT_ROTATION);
}

typedef struct Measuring {
    const cnSolve* solve;
    uint8_t* areHeld; // by joint: sweeps hold it
} Measuring;

static void FindHeldJoints(int begin, int end, int thread, void* context) {
    (void)thread;
    const Measuring* measuring = context;
    for (int j = begin; j < end; ++j) {
        measuring->areHeld[j] = IsHeldBySweeps(measuring->solve, &measuring->solve->joints[j]);
    }
}

// False when memory ran out.
static bool MeasureJoints(cnSolve* solve) {
    uint8_t* areHeld = CN_PUSH(solve->stack, uint8_t, solve->jointCount, "joints that sweeps hold");
    if (areHeld == NULL) {
        return false;
    }
    cnThreadPool_Run(solve->threads, FindHeldJoints, &(Measuring){solve, areHeld}, solve->jointCount,
                     CN_JOINT_CHUNK);
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        island->sweepsJoints = island->wantsSweeps = island->jointCount > 0;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* joint = &solve->joints[j];
        cnIsland* island = &solve->islands[joint->island];
        island->wantsSweeps = island->wantsSweeps && joint->solve == cn_solveIterative;
        island->sweepsJoints = island->sweepsJoints && areHeld[j];
    }
    cnStack_Pop(solve->stack, areHeld);
    return true;
}

// Islands whose joints are swept: where users want it, nets, and what is beyond the budget for mechanisms
// that touch something. Loops that are no nets bear by their geometry, which sweeps find slowly.
void cnSolve_ChooseSweptJoints(cnSolve* solve) {
    bool isAuto = solve->settings.type == cn_solverAuto;
    bool isDirect = solve->settings.type == cn_solverDirect || solve->settings.type == cn_solverSplit;
    int budget = CN_EXACT_JOINTS;
    if (isDirect || solve->jointCount == 0 || !MeasureJoints(solve)) {
        return;
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        if (!island->sweepsJoints) {
            continue;
        }
        bool isNet = island->loops > CN_NET_LOOPS, isTree = island->loops == 0;
        bool isExact = island->contactCount == 0 || island->jointCount <= budget;
        budget -= island->contactCount > 0 && isExact ? island->jointCount : 0;
        bool isSwept = isNet || (isAuto && isTree && !isExact);
        island->solver = isSwept || island->wantsSweeps ? cn_islandSwept : island->solver;
    }
}
