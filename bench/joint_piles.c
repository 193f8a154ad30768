// Contacts and joints together: a wall of bricks by the split solver, and piles of boxes with more and more
// joints by `auto`.
//
//   joint_piles [STEPS]
//
// The walls have 410 bricks of 0.4 m × 0.2 m × 0.2 m in 20 rows, ends filled with halves, once 10 mm apart,
// once 2 mm, within reach of contacts. The piles are of 300 boxes of 0.3 m to 0.5 m that fell into a pit
// 10 s ago; pairs of them hang together by ball joints. 60 steps a second, one thread, ms of the processor a
// step. A wall that moves by more than 1 mm, a pile that still tumbles and a joint that is open by more than
// 1 mm are errors.
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    rows = 20,
    bricks = rows / 2 * 41,
    columns = 25,
    boxes = 12 * columns,
    settlingSteps = 600
};

// Farthest that a joint may be open and that a brick may move, m.
#define CN_MAX_GAP 1e-3
// Most kinetic energy of a pile that has settled, J/kg: it had 4 when it fell.
#define CN_SETTLED_ENERGY 2e-3

// Time of the processor, ms: what others do on the machine counts less.
static double GetTime(void) {
    return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static uint64_t randomState;

static double Random(double lower, double upper) {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * ((double)(randomState >> 11) / 9007199254740992.0);
}

static void AddScenery(cnWorldId world, const cnShapeDef* def, cnVec3 position) {
    cnShapeInstance instance = {.shape = cnCreateShape(world, def)};
    cnCreateGeometry(world, &(cnGeometryDef){.shapes = &instance, .shapeCount = 1, .position = position});
}

static cnBodyId AddBox(cnWorldId world, cnVec3 halfExtents, cnVec3 position) {
    cnShapeId shape = cnCreateShape(world, &(cnShapeDef){.type = cn_box, .halfExtents = halfExtents});
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = position});
    cnShapeInstance instance = {.shape = shape};
    cnCreateGeometry(world, &(cnGeometryDef){.body = body, .shapes = &instance, .shapeCount = 1});
    return body;
}

// ms a step and of the slowest one.
static double Step(cnWorldId world, int steps, double* slowest) {
    double sum = 0.0;
    *slowest = 0.0;
    for (int i = 0; i < steps; ++i) {
        double start = GetTime();
        cnWorld_Step(world);
        double taken = GetTime() - start;
        sum += taken;
        *slowest = cnMax(*slowest, taken);
    }
    return sum / steps;
}

static bool RunWall(int steps, double gap) {
    cnWorldId world = cnCreateWorld(&(cnWorldDef){.threads = 1});
    cnSolverSettings solver = cnWorld_GetSolver(world);
    solver.type = cn_solverSplit;
    cnWorld_SetSolver(world, &solver);
    AddScenery(world, &(cnShapeDef){.type = cn_plane, .normal = {0, 0, 1}}, (cnVec3){0, 0, 0});
    cnBodyId bodies[bricks];
    cnVec3 places[bricks];
    for (int row = 0, brick = 0; row < rows; ++row) {
        int ofRow = 20 + row % 2;
        for (int i = 0; i < ofRow; ++i, ++brick) {
            bool isHalf = row % 2 == 1 && (i == 0 || i == ofRow - 1);
            double x = 0.4 * i - 0.2 * (row % 2) + (isHalf ? (i == 0 ? 0.1 : -0.1) : 0.0);
            cnVec3 half = {(isHalf ? 0.1 : 0.2) - 0.5 * gap, 0.1, 0.1};
            places[brick] = (cnVec3){x, 0, 0.1 + 0.2 * row};
            bodies[brick] = AddBox(world, half, places[brick]);
        }
    }
    double first, slowest, max = 0.0;
    Step(world, 1, &first);
    double each = Step(world, steps, &slowest);
    for (int i = 0; i < bricks; ++i) {
        max = cnMax(max, cnLength(cnSub(cnBody_GetPosition(world, bodies[i]), places[i])));
    }
    double flops = cnWorld_GetIslandStatistics(world, 0).predictedFlops;
    printf("wall of %d bricks %g mm apart, split: %.2f ms a step, the slowest %.2f ms, the first %.1f ms; "
           "%.3g Mflop a factorisation, moved %.1g m\n",
           bricks, 1e3 * gap, each, slowest, first, 1e-6 * flops, max);
    cnDestroyWorld(world);
    return max < CN_MAX_GAP;
}

// A pair is a box and the one above it. Pairs are spread over the pile.
static bool RunPile(int steps, int joints, double* alone) {
    cnWorldId world = cnCreateWorld(&(cnWorldDef){.threads = 1});
    AddScenery(world, &(cnShapeDef){.type = cn_plane, .normal = {0, 0, 1}}, (cnVec3){0, 0, 0});
    for (int i = 0; i < 4; ++i) {
        double x = i == 0 ? 1.7 : i == 1 ? -1.7 : 0.0, y = i == 2 ? 1.7 : i == 3 ? -1.7 : 0.0;
        cnVec3 half = {i < 2 ? 0.2 : 2.0, i < 2 ? 2.0 : 0.2, 6.0};
        AddScenery(world, &(cnShapeDef){.type = cn_box, .halfExtents = half}, (cnVec3){x, y, 6.0});
    }
    randomState = 1;
    cnBodyId bodies[boxes];
    double mass = 0.0;
    for (int i = 0; i < boxes; ++i) {
        cnVec3 half = {Random(0.15, 0.25), Random(0.15, 0.25), Random(0.15, 0.25)};
        int layer = i / columns, x = i % 5 - 2, y = i % columns / 5 - 2;
        double aside = layer % 2 == 0 ? 0.13 : -0.13;
        cnVec3 place = {0.55 * x + aside, 0.55 * y - aside, 0.3 + 0.55 * layer};
        bodies[i] = AddBox(world, half, place);
        mass += cnBody_GetMass(world, bodies[i]);
    }
    cnConstraintId made[boxes / 2];
    for (int i = 0; i < joints; ++i) {
        int pair = i * (boxes / 2) / joints, lower = pair / columns * 2 * columns + pair % columns;
        cnVec3 a = cnBody_GetPosition(world, bodies[lower]);
        cnVec3 b = cnBody_GetPosition(world, bodies[lower + columns]);
        made[i] = cnCreateConstraint(world, &(cnConstraintDef){.type = cn_constraintBall,
                                                               .body1 = bodies[lower],
                                                               .body2 = bodies[lower + columns],
                                                               .given = cn_constraintAnchor,
                                                               .anchor = cnScale(0.5, cnAdd(a, b))});
    }
    double slowest, gap = 0.0;
    Step(world, settlingSteps, &slowest);
    double each = Step(world, steps, &slowest), energy = cnWorld_GetKineticEnergy(world) / mass;
    for (int i = 0; i < joints; ++i) {
        gap = cnMax(gap, cnConstraint_GetViolation(world, made[i]));
    }
    *alone = joints == 0 ? each : *alone;
    printf("pile of %d boxes, %3d joints: %.2f ms a step, %.2f times that without, the slowest %.2f ms; "
           "%.1g J/kg, worst gap %.1g m\n",
           boxes, joints, each, each / *alone, slowest, energy, gap);
    cnDestroyWorld(world);
    return gap < CN_MAX_GAP && energy < CN_SETTLED_ENERGY;
}

int main(int count, char** arguments) {
    int steps = count > 1 ? atoi(arguments[1]) : 240;
    if (steps < 1) {
        fprintf(stderr, "joint_piles: usage: joint_piles [STEPS]\n");
        return 1;
    }
    static const int joints[] = {0, 1, 6, 50, boxes / 2};
    double alone = 0.0;
    bool holds = RunWall(steps, 0.01);
    holds = RunWall(steps, 0.002) && holds;
    for (size_t i = 0; i < sizeof joints / sizeof joints[0]; ++i) {
        holds = RunPile(steps, joints[i], &alone) && holds;
    }
    if (!holds) {
        fprintf(stderr, "joint_piles: the wall moves, a pile tumbles, or a joint is open\n");
    }
    return holds ? 0 : 1;
}
