// What each island is solved by (cnIslandSolver). Only here is it chosen; only cnSolve_MakeGrouped changes it
// within the step.
//
// Joints
// ------
// What a user says comes first: a constraint that is to be iterative, or direct and iterative, makes its
// island one of groups; then the world's solver. `auto` solves islands with joints directly as long as that
// is cheap. The cost is counted and not timed, so that it is the same everywhere: contacts beforehand, the
// operations of a factorisation once its structure is known (the search for an order stops where there are
// too many), and those of all factorisations of the step, which a pile that breaks needs dozens of. Where
// they pass the budget the step is undone, and the island has groups in this step and for a second after it:
// a pile that was over budget once is so again, and what toggles between two solvers does not rest. The
// friction of an island is within the factorisation while it rests, and swept beside it for half a second
// after a point has approached or left faster than 5 cm/s: a ragdoll that tumbles down a hill costs half as
// much, and how well it rests shows once it does. Islands
// that the user wants to be solved directly have a budget, too, some hundred times what they usually need: a
// step stays a step.
//
// Joints of nets, and of crowds beyond the first, are swept where sweeps hold them: joint_choice.h.
//
// What contacts ask for
// ---------------------
// A friction model may ask for a solver, too, and contacts with an area want to sink as far as their
// stiffness says: then all that they touch is solved split or directly, as long as there are not more
// contacts than are cheap. Otherwise they are swept, as if nobody had asked.
//
// Contacts alone
// --------------
// The sweeps are a soft scheme: at rest a point sinks F(ε + 0.2 θ D h_s²). Where something heavy rests on
// something light that is too much, and such an island is solved to convergence instead
// (converged_contacts.c). The measure is
//   w = D h_s max(λ̄, h_s m g |n·ĝ| / points)
// over its points, m the upper body's mass, the second term only between two dynamic bodies: how far the
// point would sink softly under its lasting load, in metres. Above 2.8 % of the smaller inradius the island
// is converged, and stays so until it has been below 1.4 % for 60 steps; without that hysteresis tall stacks
// toggle and never rest.
//
// λ̄ is the mean over half a second, not the multiplier of the last step (as in docs/iterative-contacts.md):
// a body that lands at 10 m/s has a λ a hundred times its weight for one step, and would make whole piles
// hard while they tumble.
//
// Small calm structures are converged too: at least three bodies, or more contacts than bodies, so that some
// close a loop; at most 64 contacts, over which nothing approaches, leaves or rolls faster than 5 cm/s.
// Arches and corbels carry by thrust and wedging, a ring on a cone by thrust about it; softly solved
// they never quite rest (a dry-stone arch of 14 t keeps 0.01 J and creeps by a millimetre in 10 s), and at
// this size the exact solution costs about as much. What rolls down a hill has no rest to find.
//
// Newton's active set may cycle while bodies roll or tumble slowly. Islands that failed so within two
// seconds, or within the last quarter moved or came only near, and are not heavy, have a budget of 32
// contacts together, spent after the others: a hillside of rolling stones would else cost more than all the
// rest of the step, and a single one does not matter. Islands that failed and rest in the sweeps stay there:
// each trial would move them, since swept contacts sink farther than converged ones, and fail again. Heavy
// islands that failed have the budget for a quarter of a second, and no longer than they move: of a row of
// dominoes that falls three of four sub-steps fail.
//
// The exact solution has a budget of 256 contacts a step, 128 for one island, spent in the islands' order;
// and an island in which a point approaches or leaves faster than 0.5 m/s is swept in this step, since
// nothing rests there.
#include "base/report/assert.h"
#include "dynamics/gravity.h"
#include "solve/contact_pairs.h"
#include "solve/joint_choice.h"

// Most contacts of an island that is solved directly.
#define CN_MAX_DIRECT_CONTACTS 128
// Most contacts of an island whose friction is within the factorisation, where the user leaves that open: it
// rests better (a ragdoll keeps 3e-9 J, split 8e-3 J) and takes three times as long.
#define CN_DIRECT_CONTACTS 24
// Operations of the sub-steps of all islands with joints.
#define CN_WORLD_WORK 4e7
#define CN_CONVERGED_LIMIT 0.028
#define CN_ITERATED_LIMIT 0.014
#define CN_CONVERGED_STEPS 60
#define CN_CALM_STEPS 6
// Steps for which friction is swept since an island with joints moved.
#define CN_SPLIT_STEPS 30
// Most contacts of a calm island, of all converged ones in a step.
#define CN_CALM_CONTACTS 64
#define CN_BUDGET 256
#define CN_DOUBTFUL_BUDGET 32
#define CN_CALM_BODIES 3
#define CN_CONTACT_CHUNK 64
// m/s: below the first a structure is calm; above the second, along the normal, nothing rests.
#define CN_CALM_SPEED 0.05
#define CN_VIOLENT_SPEED 0.5
// m/s: slower than this an island that failed to converge rests in the sweeps, and stays there.
#define CN_SWEPT_REST_SPEED 1e-5

// ---- islands with joints ----------------------------------------------------------------------------------

// For how many steps yet the friction of islands that move is swept, as their joints remember it.
static void CountSplitSteps(cnSolve* solve) {
    for (int j = 0; j < solve->jointCount; ++j) {
        const cnSolverJoint* joint = &solve->joints[j];
        cnIsland* island = &solve->islands[joint->island];
        island->splitSteps = island->splitSteps > joint->splitSteps ? island->splitSteps : joint->splitSteps;
    }
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        bool moves = island->jointCount > 0 && island->speed > CN_CALM_SPEED;
        island->splitSteps = moves ? CN_SPLIT_STEPS : island->splitSteps - (island->splitSteps > 0);
    }
}

// What joints remember of their islands.
static void RememberJoints(int begin, int end, int thread, void* context) {
    (void)thread;
    const cnSolve* solve = context;
    for (int j = begin; j < end; ++j) {
        const cnSolverJoint* solverJoint = &solve->joints[j];
        cnConstraint* joint = &solve->constraints->constraints[solverJoint->constraint];
        joint->splitSteps = solve->islands[solverJoint->island].splitSteps;
        joint->groupedSteps = solverJoint->groupedSteps - (solverJoint->groupedSteps > 0);
    }
}

// Directly, split, in groups, or swept.
static void ChooseByJoints(cnSolve* solve) {
    CountSplitSteps(solve);
    cnSolverType type = solve->settings.type;
    bool isAuto = type == cn_solverAuto, isDirect = type == cn_solverDirect || type == cn_solverSplit;
    for (int i = 0; i < solve->islandCount; ++i) {
        cnIsland* island = &solve->islands[i];
        bool isGrouped = island->jointCount > 0 && island->contactCount > 0 && !isDirect && !isAuto;
        bool isLarge = type != cn_solverDirect && island->contactCount > CN_DIRECT_CONTACTS;
        bool moves = isAuto && island->splitSteps > 0;
        bool isSwept = !isDirect && island->jointCount == 0;
        island->solver = isGrouped                                    ? cn_islandGrouped
                         : isSwept                                    ? cn_islandSwept
                         : type == cn_solverSplit || isLarge || moves ? cn_islandSplit
                                                                      : cn_islandDirect;
    }
    for (int j = 0; j < solve->jointCount; ++j) {
        cnSolverJoint* joint = &solve->joints[j];
        CN_ASSERT(joint->island >= 0 && joint->island < solve->islandCount);
        cnIsland* island = &solve->islands[joint->island];
        if (isAuto && island->contactCount > CN_MAX_DIRECT_CONTACTS) {
            joint->groupedSteps = CN_GROUPED_STEPS;
        }
        bool isKept = joint->groupedSteps > 0 && island->contactCount > 0;
        if (isKept || joint->solve != cn_solveDirect) {
            island->solver = cn_islandGrouped;
        }
    }
    cnThreadPool_Run(solve->threads, RememberJoints, solve, solve->jointCount, CN_CONTACT_CHUNK);
}

// What a contact asks for: its friction model, or a contact area, whose stiffness sweeps would soften.
static cnFrictionSolve WishOf(const cnSolve* solve, const cnSolverContact* contact, const cnIsland* island) {
    bool isFree = contact->frictionSolve == cn_frictionSolveWorld && solve->settings.type == cn_solverAuto;
    if (!isFree || !contact->isFoundation) {
        return contact->frictionSolve;
    }
    return island->contactCount > CN_DIRECT_CONTACTS ? cn_frictionSolveSplit : cn_frictionSolveDirect;
}

// Contacts that ask for a solver get it, and their island with them: the most exact that is asked for, where
// no constraint of it is grouped.
static void ChooseByContacts(cnSolve* solve) {
    for (int c = 0; solve->traits.anyWish && c < solve->contactCount; ++c) {
        cnIsland* island = &solve->islands[solve->contacts[c].island];
        bool isFree = island->solver == cn_islandSwept || island->solver == cn_islandSplit;
        cnFrictionSolve wanted = WishOf(solve, &solve->contacts[c], island);
        if (!isFree || wanted == cn_frictionSolveWorld || wanted == cn_frictionSolveIterative) {
            continue;
        }
        if (island->contactCount <= CN_MAX_DIRECT_CONTACTS || solve->settings.type == cn_solverDirect) {
            island->solver = wanted == cn_frictionSolveSplit ? cn_islandSplit : cn_islandDirect;
        }
    }
}

// ---- heavy and calm islands -------------------------------------------------------------------------------

// Largest speed along the normal, over a contact's points; where both bodies are calm, at least as much.
static double NormalSpeed(const cnSolve* solve, const cnPair* pair, cnPairReach reach) {
    double most = cnPair_GetMostApproach(pair, solve, reach);
    if (most < CN_CALM_SPEED) {
        return most;
    }
    double largest = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        largest = cnMax(largest, fabs(cnPair_GetApproach(pair, solve, i)));
    }
    return largest;
}

// What one body rolls on the other by, m/s.
static double RollingSpeed(const cnSolve* solve, const cnPair* pair) {
    const cnBodyTable* bodies = solve->bodies;
    int row1 = pair->body1, row2 = pair->body2;
    cnVec3 spin = cnSub(row1 >= 0 ? bodies->halfStepAngularVelocity[row1] : cnVec3_zero,
                        row2 >= 0 ? bodies->halfStepAngularVelocity[row2] : cnVec3_zero);
    return pair->inradius * cnLength(spin);
}

static double TraceOf(const cnMat33* m) {
    return m->x.x + m->y.y + m->z.z;
}

// At least as much as D of any point of a contact, 1/kg.
static double LargestMobility(const cnSolve* solve, const cnSolverContact* contact, cnPairReach reach) {
    const cnInverseMass *m1 = &solve->solver.inverse[contact->body1],
                        *m2 = &solve->solver.inverse[contact->body2];
    return TraceOf(&m1->linear) + TraceOf(&m2->linear) + reach.square1 * TraceOf(&m1->angular) +
           reach.square2 * TraceOf(&m2->angular);
}

// The root of the sum of squares, at least as much as the largest eigenvalue.
static double NormOf(const cnMat33* m) {
    return sqrt(cnLengthSquared(m->x) + cnLengthSquared(m->y) + cnLengthSquared(m->z));
}

// As above, nearer to it: by the parts of the arms across the normal.
static double LargestMobilityAcross(const cnSolve* solve, const cnSolverContact* contact,
                                    const cnPair* pair) {
    const cnInverseMass *m1 = &solve->solver.inverse[contact->body1],
                        *m2 = &solve->solver.inverse[contact->body2];
    cnVec3 normal = cnToD(pair->manifold.normal);
    double square1 = 0.0, square2 = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        square1 = cnMax(square1, cnLengthSquared(cnCross(cnPair_GetArm1(pair, i), normal)));
        square2 = cnMax(square2, cnLengthSquared(cnCross(cnPair_GetArm2(pair, i), normal)));
    }
    return cnDot(normal, cnMulMat(m1->linear, normal)) + cnDot(normal, cnMulMat(m2->linear, normal)) +
           square1 * NormOf(&m1->angular) + square2 * NormOf(&m2->angular);
}

// w over the smaller inradius, of the pair's worst point; 0 where it is below both limits, and where it is
// above both, that of the first point that is.
static double IteratedSink(const cnSolve* solve, const cnSolverContact* contact, const cnPair* pair,
                           cnPairReach reach) {
    CN_ASSERT(pair->inradius > 0.0);

    // what a point bears at least, by the weight of the upper body alone
    double weight = 0.0;
    if (contact->body1 != 0 && contact->body2 != 0) {
        int row1 = solve->solver.rows[contact->body1], row2 = solve->solver.rows[contact->body2];
        cnVec3 normal = cnToD(pair->manifold.normal);
        double along = cnDot(normal, cnGravityAt(&solve->gravity, solve->bodies->centreOfMass[row1]));
        int upper = along < 0.0 ? row1 : row2;
        double pull = fabs(along * solve->bodies->gravityScale[upper]);
        weight = solve->substep * solve->bodies->mass[upper] * pull / pair->manifold.pointCount;
    }
    double worst = 0.0, impulse = cnMax(pair->integralImpulse, weight);
    double perMobility = solve->substep * impulse / pair->inradius;
    if (perMobility * LargestMobility(solve, contact, reach) <= CN_ITERATED_LIMIT ||
        perMobility * LargestMobilityAcross(solve, contact, pair) <= CN_ITERATED_LIMIT) {
        return 0.0; // below both limits
    }
    for (int i = 0; i < pair->manifold.pointCount && worst <= CN_CONVERGED_LIMIT; ++i) {
        worst = cnMax(worst, perMobility * cnPair_GetInverseEffectiveMass(pair, solve, contact, i));
    }
    return worst;
}

// Islands with more contacts are swept whatever their contacts have to say; what pairs remember of earlier
// steps runs out while they are stored (contact_blocks.c).
static bool IsMeasured(const cnSolve* solve, const cnSolverContact* contact) {
    return solve->islands[contact->island].contactCount <= CN_CONVERGED_CONTACTS;
}

// What a contact tells of its island, where that is not too large to converge.
typedef struct ContactMeasure {
    double sink, approach, rolling;
    int steps;
} ContactMeasure;

typedef struct Measuring {
    cnSolve* solve;
    ContactMeasure* of; // by contact
} Measuring;

static void MeasureContacts(int begin, int end, int thread, void* context) {
    (void)thread;
    const Measuring* measuring = context;
    const cnSolve* solve = measuring->solve;
    for (int c = begin; c < end; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        const cnPair* pair = cnPairTable_Get(solve->pairs, contact->pair);
        ContactMeasure* measure = &measuring->of[c];
        if (IsMeasured(solve, contact)) {
            cnPairReach reach = cnPair_GetReach(pair);
            measure->sink = IteratedSink(solve, contact, pair, reach);
            measure->approach = NormalSpeed(solve, pair, reach);
            measure->rolling = RollingSpeed(solve, pair);
            measure->steps = pair->convergedSteps;
        }
    }
}

// What the islands bear, how fast they move, and what their pairs remember. False when memory ran out.
static bool MeasureIslands(cnSolve* solve) {
    Measuring measuring = {solve, CN_PUSH(solve->stack, ContactMeasure, solve->contactCount + 1, "measures")};
    if (measuring.of == NULL) {
        return false;
    }
    cnThreadPool_Run(solve->threads, MeasureContacts, &measuring, solve->contactCount, CN_CONTACT_CHUNK);
    for (int c = 0; c < solve->contactCount; ++c) {
        const ContactMeasure* measure = &measuring.of[c];
        cnIsland* island = &solve->islands[solve->contacts[c].island];
        if (!IsMeasured(solve, &solve->contacts[c])) {
            continue;
        }
        island->overLimit |= measure->sink > CN_CONVERGED_LIMIT;
        island->nearLimit |= measure->sink > CN_ITERATED_LIMIT;
        island->speed = cnMax(island->speed, measure->approach);
        island->rolling = cnMax(island->rolling, measure->rolling);
        island->convergedSteps =
            island->convergedSteps > measure->steps ? island->convergedSteps : measure->steps;
        island->backOffSteps =
            island->backOffSteps > -measure->steps ? island->backOffSteps : -measure->steps;
    }
    cnStack_Pop(solve->stack, measuring.of);
    return true;
}

// Whether an island is heavy or calm, and for how long it counts as that.
static void JudgeIsland(cnIsland* island) {
    island->isHeavy = island->overLimit || (island->convergedSteps > 0 && island->nearLimit);
    bool isStructure = island->bodyCount >= CN_CALM_BODIES || island->contactCount > island->bodyCount;
    bool moves = island->speed >= CN_CALM_SPEED || island->rolling >= CN_CALM_SPEED;
    bool isCalm = isStructure && island->contactCount <= CN_CALM_CONTACTS && !moves;
    int left = island->convergedSteps > 0 ? island->convergedSteps - 1 : 0;
    int renewed = island->isHeavy ? CN_CONVERGED_STEPS : (isCalm ? CN_CALM_STEPS : 0);
    island->convergedSteps = left > renewed ? left : renewed;
    int waits = island->backOffSteps > 0 ? island->backOffSteps - 1 : 0;
    bool isStill = island->speed < CN_SWEPT_REST_SPEED && island->rolling < CN_SWEPT_REST_SPEED;
    island->restsSwept = waits == CN_WAIT_STEPS && isStill && !island->isHeavy;
    waits += island->restsSwept; // one more than what only waits has left
    if (island->isHeavy) {
        waits = moves ? waits : 0;
    } else if (isStructure && !isCalm && waits < CN_WAIT_STEPS) {
        waits = CN_WAIT_STEPS;
    }
    island->backOffSteps = waits;
    island->large = island->contactCount > CN_CONVERGED_CONTACTS || island->solver == cn_islandGrouped ||
                    cnIsland_SweepsJoints(island);
}

// Which islands are converged in this step: of those that failed lately, or of the others.
static void ChooseConvergedIslands(cnSolve* solve, bool isDoubtful, int budget) {
    for (int i = 0; i < solve->islandCount; ++i) {
        CN_ASSERT(budget >= 0);
        cnIsland* island = &solve->islands[i];
        bool converges = island->solver == cn_islandSwept && island->jointCount == 0 && !island->restsSwept &&
                         island->convergedSteps > 0 && (island->backOffSteps > 0) == isDoubtful &&
                         island->speed < CN_VIOLENT_SPEED && island->contactCount <= CN_CONVERGED_CONTACTS &&
                         island->contactCount <= budget;
        if (converges) {
            island->solver = cn_islandConverged;
            budget -= island->contactCount;
            solve->statistics.convergedIslands += 1;
        }
    }
}

// What the pairs remember of it: below 0 for how long their island is doubtful.
static void RememberChoice(int begin, int end, int thread, void* context) {
    (void)thread;
    cnSolve* solve = context;
    for (int c = begin; c < end; ++c) {
        const cnSolverContact* contact = &solve->contacts[c];
        const cnIsland* island = &solve->islands[contact->island];
        bool waits = island->backOffSteps > 0 && island->solver != cn_islandConverged;
        int steps = waits ? -island->backOffSteps : island->convergedSteps;
        if (IsMeasured(solve, contact)) {
            cnPairTable_Get(solve->pairs, contact->pair)->convergedSteps = steps;
        }
    }
}

static bool HasMeasuredIslands(const cnSolve* solve) {
    bool has = false;
    for (int i = 0; i < solve->islandCount && !has; ++i) {
        has = solve->islands[i].contactCount > 0 && solve->islands[i].contactCount <= CN_CONVERGED_CONTACTS;
    }
    return has;
}

bool cnSolve_ChooseSolvers(cnSolve* solve) {
    solve->jointWork = CN_WORLD_WORK;
    bool isMeasured = HasMeasuredIslands(solve);
    if (isMeasured && !MeasureIslands(solve)) {
        return false;
    }
    ChooseByJoints(solve);
    cnSolve_ChooseSweptJoints(solve);
    ChooseByContacts(solve);
    for (int i = 0; i < solve->islandCount; ++i) {
        JudgeIsland(&solve->islands[i]);
    }
    ChooseConvergedIslands(solve, false, CN_BUDGET);
    ChooseConvergedIslands(solve, true, CN_DOUBTFUL_BUDGET);
    if (isMeasured) {
        cnThreadPool_Run(solve->threads, RememberChoice, solve, solve->contactCount, CN_CONTACT_CHUNK);
    }
    return true;
}
