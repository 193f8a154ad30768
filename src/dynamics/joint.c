#include "dynamics/joint.h"

#include "base/report/assert.h"
#include "math/vec_lanes.h"

#include <stdatomic.h>

#define CN_TWO_PI 6.283185307179586476925
// Directions of a distance are unknown below, m.
#define CN_MIN_DISTANCE 1e-9

// ---- the types --------------------------------------------------------------------------------------------

#define COUNT_THREE(bits) (((bits)&1) + ((bits) >> 1 & 1) + ((bits) >> 2 & 1))
#define IS_ANGLE(coordinate)                                                                                 \
    ((coordinate) == cn_coordinateAbout || (coordinate) == cn_coordinateArm1 ||                              \
     (coordinate) == cn_coordinateArm2)
#define DOF_OF(coordinate)                                                                                   \
    ((coordinate) == cn_coordinateAlong                                        ? 2                           \
     : (coordinate) == cn_coordinateAbout || (coordinate) == cn_coordinateArm1 ? 5                           \
     : (coordinate) == cn_coordinateArm2                                       ? 3                           \
                                                                               : 0)
#define KIND(Name, text, which, dofs, first, second, ...)                                                    \
    [cn_constraint##Name] = {                                                                                \
        .word = #text,                                                                                       \
        .parts = (which) | ((first) != cn_noCoordinate ? cn_hasFree : 0),                                    \
        .held = (dofs),                                                                                      \
        .heldCount = COUNT_THREE(dofs) + COUNT_THREE((dofs) >> 3),                                           \
        .translationCount = COUNT_THREE(dofs),                                                               \
        .freeCount = ((first) != cn_noCoordinate) + ((second) != cn_noCoordinate),                           \
        .angular = (uint32_t)IS_ANGLE(first) | (uint32_t)IS_ANGLE(second) << 1,                              \
        .coordinates = {first, second},                                                                      \
        .dofsOfCoordinates = {DOF_OF(first), DOF_OF(second)},                                                \
    },

const cnConstraintKind cnConstraintKinds[cn_constraintTypeCount] = {CN_CONSTRAINT_TYPES(KIND)};

static inline cnQuat TurnOf(const cnAttachment* frame, int row, const cnJointView* view) {
    return row < 0 ? frame->axes : cnMulQuat(view->rotations[row], frame->axes);
}

static inline void PlacePoint(const cnAttachment* frame, int row, const cnJointView* view, cnVec3* point,
                              cnVec3* arm) {
    if (row < 0) {
        *arm = cnVec3_zero;
        *point = frame->point;
        return;
    }
    *arm = cnRotate(view->rotations[row], cnSub(frame->point, view->bodies->localCentreOfMass[row]));
    *point = cnAdd(view->centres[row], *arm);
}

static inline void PlacePoints(const cnConstraint* joint, const cnJointView* view, cnJointFrames* frames) {
    PlacePoint(&joint->frame1, joint->body1, view, &frames->point1, &frames->arm1);
    PlacePoint(&joint->frame2, joint->body2, view, &frames->point2, &frames->arm2);
}

cnJointFrames cnJoint_Place(const cnConstraint* joint, const cnJointView* view) {
    cnJointFrames frames;
    PlacePoints(joint, view, &frames);
    frames.rotation1 = TurnOf(&joint->frame1, joint->body1, view);
    frames.rotation2 = TurnOf(&joint->frame2, joint->body2, view);
    frames.axes1 = cnMatFromQuat(frames.rotation1);
    frames.axes2 = cnMatFromQuat(frames.rotation2);
    return frames;
}

void cnJoint_PlaceHeld(const cnConstraint* joint, const cnJointView* view, cnJointFrames* frames) {
    if ((cnConstraintKinds[joint->type].held & cn_aboutAll) != 0) {
        *frames = cnJoint_Place(joint, view);
        return;
    }
    PlacePoints(joint, view, frames);
    if (cnJoint_Has(joint, cn_hasFrames)) {
        frames->axes2 = cnMatFromQuat(TurnOf(&joint->frame2, joint->body2, view));
    }
}

// ---- gradients --------------------------------------------------------------------------------------------

// Along an axis fixed in body 2.
static inline cnGradient AlongAxis(const cnJointFrames* frames, cnVec3 axis) {
    cnVec3 lever = cnAdd(frames->arm2, cnSub(frames->point1, frames->point2));
    return (cnGradient){axis, cnCross(frames->arm1, axis), cnCross(lever, axis)};
}

static cnGradient AboutAxis(cnVec3 axis) {
    return (cnGradient){cnVec3_zero, axis, axis};
}

static cnGradient ScaleGradient(double s, cnGradient g) {
    return (cnGradient){cnScale(s, g.linear), cnScale(s, g.moment1), cnScale(s, g.moment2)};
}

static cnGradient AddGradients(cnGradient a, cnGradient b) {
    return (cnGradient){cnAdd(a.linear, b.linear), cnAdd(a.moment1, b.moment1), cnAdd(a.moment2, b.moment2)};
}

static double FindDistance(const cnJointFrames* frames, cnGradient* gradient) {
    cnVec3 d = cnSub(frames->point1, frames->point2);
    double length = cnLength(d);
    if (gradient != NULL) {
        cnVec3 along = length > CN_MIN_DISTANCE ? cnScale(1.0 / length, d) : cnVec3_zero;
        *gradient = (cnGradient){along, cnCross(frames->arm1, along), cnCross(frames->arm2, along)};
    }
    return length;
}

// ---- held rows --------------------------------------------------------------------------------------------

// All three rotations.
static double HoldRotation(const cnJointFrames* frames, int dof, cnGradient* gradient) {
    cnQuat q = cnMulQuat(cnConjugate(frames->rotation2), frames->rotation1);
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    cnVec3 part = {sign * q.x, sign * q.y, sign * q.z};
    const double parts[3] = {part.x, part.y, part.z};
    if (gradient != NULL) {
        const cnVec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        cnVec3 local = cnMulAdd(cnCross(part, units[dof]), sign * q.w, units[dof]);
        *gradient = AboutAxis(cnMulMat(frames->axes2, local));
    }
    return 2.0 * parts[dof];
}

// n of 1 along n of 2. Beyond a quarter turn the sine would fall again; there its direction counts alone.
static double HoldTilt(const cnJointFrames* frames, int dof, cnGradient* gradient) {
    cnVec3 n1 = frames->axes1.z, n2 = frames->axes2.z;
    cnVec3 across = dof == 3 ? cnNeg(frames->axes2.y) : frames->axes2.x;
    double violation = cnDot(n1, across);
    if (gradient != NULL) {
        *gradient = AboutAxis(cnCross(n1, across));
    }
    return cnDot(n1, n2) < 0.0 ? violation / cnMax(cnLength(cnCross(n1, n2)), CN_MIN_DISTANCE) : violation;
}

static double HoldCross(const cnJointFrames* frames, cnGradient* gradient) {
    cnVec3 n1 = frames->axes1.z, u2 = frames->axes2.x;
    if (gradient != NULL) {
        *gradient = AboutAxis(cnCross(n1, u2));
    }
    return cnDot(n1, u2);
}

int cnJoint_CoordinateOfKind(cnConstraintType type, bool linear) {
    const uint8_t* coordinates = cnConstraintKinds[type].coordinates;
    int wanted = linear ? cn_coordinateAlong : cn_coordinateAbout;
    return coordinates[0] == wanted ? 0 : coordinates[1] == wanted ? 1 : -1;
}

// first = ratio · second (+ offset): gears, racks. The coordinates go over turns as their joints' do.
// `gradients` of the two partners.
static double HoldRatio(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                        cnGradient* gradients[2]) {
    // of a rack the position is the second partner's and the angle the first's: position = radius · angle
    bool isRack = cnJoint_Has(joint, cn_hasRadius);
    const int partners[2] = {joint->partner1, joint->partner2};
    const double factors[2] = {isRack ? -joint->ratio : 1.0, isRack ? 1.0 : -joint->ratio};
    double violation = -joint->offset;
    for (int i = 0; i < 2; ++i) {
        const cnConstraint* partner = &table->constraints[partners[i]];
        cnJointFrames frames = cnJoint_Place(partner, view);
        int index = cnJoint_CoordinateOfKind(partner->type, isRack && i == 1);
        double value = 0.0;
        cnGradient gradient = {0};
        cnJoint_FindCoordinate(partner, &frames, index, &value, &gradient);
        violation += factors[i] * cnJoint_Unwrap(partner, index, value);
        if (gradients != NULL) {
            *gradients[i] = ScaleGradient(factors[i], gradient);
        }
    }
    return violation;
}

double cnJoint_FindScrew(const cnConstraint* joint, const cnJointFrames* frames, double lead,
                         cnGradient* gradient) {
    double position, angle;
    cnGradient along, about;
    cnJoint_FindCoordinate(joint, frames, 0, &position, &along);
    cnJoint_FindCoordinate(joint, frames, 1, &angle, &about);
    if (gradient != NULL) {
        *gradient = AddGradients(along, ScaleGradient(-lead, about));
    }
    return position - lead * cnJoint_Unwrap(joint, 1, angle) - joint->offset;
}

// One of the rotations that a kind holds.
static double HoldDof(const cnConstraint* joint, const cnJointFrames* frames, int dof, cnGradient* gradient) {
    if ((cnConstraintKinds[joint->type].held & cn_aboutAll) == cn_aboutAll) {
        return HoldRotation(frames, dof - 3, gradient);
    }
    return cnJoint_HoldsCross(joint->type) ? HoldCross(frames, gradient) : HoldTilt(frames, dof, gradient);
}

int cnJoint_FindHeld(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                     cnHeldRow held[6], cnJointFrames* frames) {
    if (cnJoint_Has(joint, cn_hasPartners)) {
        held[0] = (cnHeldRow){.dof = 0};
        held[0].violation =
            HoldRatio(table, joint, view, (cnGradient* [2]){&held[0].gradient, &held[0].second});
        return 1;
    }
    cnJoint_PlaceHeld(joint, view, frames);
    if (cnJoint_IsLine(joint)) {
        held[0] = (cnHeldRow){.dof = 0};
        double distance = FindDistance(frames, &held[0].gradient);
        held[0].violation = distance - joint->length;
        return distance > CN_MIN_DISTANCE ? 1 : 0;
    }
    uint32_t dofs = cnConstraintKinds[joint->type].held;
    int count = 0;
    cnVec3 gap = cnSub(frames->point1, frames->point2), lever = cnAdd(frames->arm2, gap);
    for (int dof = 0; dof < 3; ++dof) {
        if ((dofs >> dof & 1) != 0) {
            const cnVec3* axis =
                dof == 0 ? &frames->axes2.x : (dof == 1 ? &frames->axes2.y : &frames->axes2.z);
            cnHeldRow* row = &held[count++];
            row->dof = dof;
            row->violation = cnDot(*axis, gap);
            row->gradient.linear = *axis;
            row->gradient.moment1 = cnCross(frames->arm1, *axis);
            row->gradient.moment2 = cnCross(lever, *axis);
        }
    }
    for (int dof = 3; dof < 6; ++dof) {
        if ((dofs >> dof & 1) != 0) {
            cnHeldRow* row = &held[count++];
            row->dof = dof;
            row->violation = HoldDof(joint, frames, dof, &row->gradient);
        }
    }
    if (cnJoint_IsScrew(joint)) {
        held[count].dof = 2;
        held[count].violation = cnJoint_FindScrew(joint, frames, joint->ratio, &held[count].gradient);
        count += 1;
    }
    return count;
}

int cnJoint_FindGaps(const cnConstraintTable* table, const cnConstraint* joint, const cnJointView* view,
                     double gaps[6]) {
    if (cnJoint_Has(joint, cn_hasPartners)) {
        gaps[0] = HoldRatio(table, joint, view, NULL);
        return 1;
    }
    if (cnJoint_HoldsPoint(joint)) {
        cnVec3 point1, point2, arm;
        PlacePoint(&joint->frame1, joint->body1, view, &point1, &arm);
        PlacePoint(&joint->frame2, joint->body2, view, &point2, &arm);
        cnVec3 gap = cnInvRotate(TurnOf(&joint->frame2, joint->body2, view), cnSub(point1, point2));
        gaps[0] = gap.x;
        gaps[1] = gap.y;
        gaps[2] = gap.z;
        return 3;
    }
    cnJointFrames frames;
    cnJoint_PlaceHeld(joint, view, &frames);
    if (cnJoint_IsLine(joint)) {
        gaps[0] = FindDistance(&frames, NULL) - joint->length;
        return 1;
    }
    uint32_t dofs = cnConstraintKinds[joint->type].held;
    int count = 0;
    cnVec3 along = cnMulMatT(frames.axes2, cnSub(frames.point1, frames.point2));
    const double shifts[3] = {along.x, along.y, along.z};
    for (int dof = 0; dof < 6; ++dof) {
        if ((dofs >> dof & 1) != 0) {
            gaps[count++] = dof < 3 ? shifts[dof] : HoldDof(joint, &frames, dof, NULL);
        }
    }
    if (cnJoint_IsScrew(joint)) {
        gaps[count++] = cnJoint_FindScrew(joint, &frames, joint->ratio, NULL);
    }
    return count;
}

// ---- two ball joints side by side -------------------------------------------------------------------------

typedef struct BallsD {
    cnVecD arm1, arm2, gap;
    cnQuatD axes; // of the second bodies' frames
} BallsD;

static inline cnVecD ArmsD(const cnJointView* view, const cnVec3* pointOfA, int a, const cnVec3* pointOfB,
                           int b, cnQuatD rotation) {
    const cnVec3* centres = view->bodies->localCentreOfMass;
    const cnVecD local = cnLoadVecD(&pointOfA->x, &pointOfB->x);
    return cnRotateD(rotation, cnSubVecD(local, cnLoadVecD(&centres[a].x, &centres[b].x)));
}

static BallsD PlaceBalls(const cnConstraint* a, const cnConstraint* b, const cnJointView* view) {
    const cnQuat* rotations = view->rotations;
    const cnVec3* centres = view->centres;
    const cnQuatD rotation1 = cnLoadQuatD(&rotations[a->body1], &rotations[b->body1]);
    const cnQuatD rotation2 = cnLoadQuatD(&rotations[a->body2], &rotations[b->body2]);
    BallsD balls;
    balls.arm1 = ArmsD(view, &a->frame1.point, a->body1, &b->frame1.point, b->body1, rotation1);
    balls.arm2 = ArmsD(view, &a->frame2.point, a->body2, &b->frame2.point, b->body2, rotation2);
    const cnVecD point1 = cnAddVecD(cnLoadVecD(&centres[a->body1].x, &centres[b->body1].x), balls.arm1);
    const cnVecD point2 = cnAddVecD(cnLoadVecD(&centres[a->body2].x, &centres[b->body2].x), balls.arm2);
    balls.gap = cnSubVecD(point1, point2);
    balls.axes = cnMulQuatD(rotation2, cnLoadQuatD(&a->frame2.axes, &b->frame2.axes));
    return balls;
}

void cnJoint_FindBallGaps(const cnConstraint* a, const cnConstraint* b, const cnJointView* view,
                          double* gapsOfA, double* gapsOfB) {
    const BallsD balls = PlaceBalls(a, b, view);
    cnStoreVecD(cnRotateD(cnConjugateD(balls.axes), balls.gap), gapsOfA, gapsOfB);
}

void cnJoint_HoldBalls(const cnConstraint* a, const cnConstraint* b, const cnJointView* view, cnHeldBall* ofA,
                       cnHeldBall* ofB) {
    const BallsD balls = PlaceBalls(a, b, view);
    const cnVecD lever = cnAddVecD(balls.arm2, balls.gap);
    cnVecD axes[3];
    cnColumnsD(balls.axes, axes);
    for (int dof = 0; dof < 3; ++dof) {
        cnHeldRow *rowOfA = &ofA->rows[dof], *rowOfB = &ofB->rows[dof];
        const cnD2 violation = cnDotD(axes[dof], balls.gap);
        rowOfA->dof = rowOfB->dof = dof;
        rowOfA->violation = cnFirstD(violation);
        rowOfB->violation = cnFirstD(cnHighD(violation, violation));
        cnStoreVecD(axes[dof], &rowOfA->gradient.linear.x, &rowOfB->gradient.linear.x);
        cnStoreVecD(cnCrossD(balls.arm1, axes[dof]), &rowOfA->gradient.moment1.x,
                    &rowOfB->gradient.moment1.x);
        cnStoreVecD(cnCrossD(lever, axes[dof]), &rowOfA->gradient.moment2.x, &rowOfB->gradient.moment2.x);
    }
    cnStoreVecD(balls.arm1, &ofA->arm1.x, &ofB->arm1.x);
    cnStoreVecD(balls.arm2, &ofA->arm2.x, &ofB->arm2.x);
    cnStoreVecD(balls.gap, &ofA->gap.x, &ofB->gap.x);
}

// ---- coordinates ------------------------------------------------------------------------------------------

bool cnJoint_FindAcross(const cnJointFrames* frames, cnGradient across[2]) {
    cnGradient along;
    if (!(FindDistance(frames, &along) > CN_MIN_DISTANCE)) {
        return false;
    }
    cnVec3 n = along.linear, size = {fabs(n.x), fabs(n.y), fabs(n.z)};
    bool isLeastX = size.x <= size.y && size.x <= size.z;
    cnVec3 aside =
        isLeastX ? cnVec(1.0, 0.0, 0.0) : (size.y <= size.z ? cnVec(0.0, 1.0, 0.0) : cnVec(0.0, 0.0, 1.0));
    cnVec3 first = cnNormalize(cnMulAdd(aside, -cnDot(aside, n), n)), second = cnCross(n, first);
    across[0] = (cnGradient){first, cnCross(frames->arm1, first), cnCross(frames->arm2, first)};
    across[1] = (cnGradient){second, cnCross(frames->arm1, second), cnCross(frames->arm2, second)};
    return true;
}

// Angle of a about n from b, both orthogonal to n.
static double AngleAbout(cnVec3 n, cnVec3 a, cnVec3 b) {
    return cnAtan2(cnDot(a, cnCross(n, b)), cnDot(a, b));
}

bool cnJoint_FindCoordinate(const cnConstraint* joint, const cnJointFrames* frames, int index, double* value,
                            cnGradient* gradient) {
    cnVec3 u1 = frames->axes1.x, n1 = frames->axes1.z;
    cnVec3 u2 = frames->axes2.x, v2 = frames->axes2.y, n2 = frames->axes2.z;
    switch (cnJoint_KindOf(joint)->coordinates[index]) {
    case cn_coordinateLength:
        *value = FindDistance(frames, gradient);
        return *value > CN_MIN_DISTANCE;
    case cn_coordinateArm1:
        *value = AngleAbout(n1, u1, u2);
        *gradient = AboutAxis(n1);
        return true;
    case cn_coordinateArm2:
        *value = cnAtan2(-cnDot(n1, v2), cnDot(n1, n2));
        *gradient = AboutAxis(u2);
        return true;
    case cn_coordinateAbout:
        *value = cnAtan2(cnDot(u1, v2), cnDot(u1, u2));
        *gradient = AboutAxis(n2);
        return true;
    default:
        CN_ASSERT(cnJoint_KindOf(joint)->coordinates[index] == cn_coordinateAlong);
        *value = cnDot(n2, cnSub(frames->point1, frames->point2));
        *gradient = AlongAxis(frames, n2);
        return true;
    }
}

// The angle that is closest to the last one and a change.
static double Unwrap(const cnConstraint* joint, int index, double raw, double expected) {
    if (index < 0 || (cnConstraintKinds[joint->type].angular >> index & 1) == 0) {
        return raw;
    }
    double change = raw - joint->lastRaw[index] - expected;
    return raw + joint->turns[index] - CN_TWO_PI * rint(change / CN_TWO_PI);
}

double cnJoint_Unwrap(const cnConstraint* joint, int index, double raw) {
    return Unwrap(joint, index, raw, 0.0);
}

bool cnJoint_FindCone(const cnJointFrames* frames, double* angle, cnGradient* gradient) {
    cnVec3 across = cnCross(frames->axes2.z, frames->axes1.z);
    double sine = cnLength(across);
    *angle = cnAtan2(sine, cnDot(frames->axes1.z, frames->axes2.z));
    if (!(sine > CN_MIN_DISTANCE)) {
        return false;
    }
    *gradient = AboutAxis(cnScale(1.0 / sine, across));
    return true;
}

double cnJoint_FindTwist(const cnJointFrames* frames, cnGradient* gradient) {
    cnQuat q = cnMulQuat(cnConjugate(frames->rotation2), frames->rotation1);
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    cnVec3 n1 = frames->axes1.z, n2 = frames->axes2.z;
    double share = cnMax(1.0 + cnDot(n1, n2), CN_MIN_DISTANCE);
    *gradient = AboutAxis(cnScale(1.0 / share, cnAdd(n1, n2)));
    return 2.0 * cnAtan2(sign * q.z, sign * q.w);
}

// ---- what can be read -------------------------------------------------------------------------------------

bool cnJoint_IsHeld(const cnConstraint* joint) {
    return !cnJoint_IsDistance(joint) || (cnConstraint_SecondaryAt(joint, cn_slotMotor) == NULL &&
                                          cnConstraint_SecondaryAt(joint, cn_slotLock) == NULL &&
                                          cnConstraint_SecondaryAt(joint, cn_slotRange) == NULL);
}

// Of held translations, or else of held rotations; the screw's row, the last, is a length.
static double HeldGap(const cnConstraint* joint, const double* gaps, int count, bool angular) {
    const int lengths = cnJoint_CountTranslations(joint->type);
    const int screw = cnJoint_IsScrew(joint) ? count - 1 : count;
    double square = 0.0;
    for (int i = 0; i < count; ++i) {
        bool isAngle = i >= lengths && i < screw;
        square += isAngle == angular ? gaps[i] * gaps[i] : 0.0;
    }
    return square > 0.0 ? sqrt(square) : 0.0;
}

// Speed of a coordinate, m/s or rad/s, for velocities by row.
static double SpeedOf(const cnConstraint* joint, const cnGradient* gradient, const cnVec3* velocity,
                      const cnVec3* spin) {
    double speed =
        cnDot(gradient->linear, velocity[joint->body1]) + cnDot(gradient->moment1, spin[joint->body1]);
    if (joint->body2 >= 0) {
        speed -=
            cnDot(gradient->linear, velocity[joint->body2]) + cnDot(gradient->moment2, spin[joint->body2]);
    }
    return speed;
}

// A coordinate, m or rad, so many seconds after it was looked at last. An angle is taken over the turns
// that its speed says.
static double MeasureCoordinate(cnConstraint* joint, const cnBodyTable* bodies, const cnJointFrames* frames,
                                int index, double elapsed) {
    double raw = 0.0;
    cnGradient gradient = {0};
    cnJoint_FindCoordinate(joint, frames, index, &raw, &gradient);
    double speed = SpeedOf(joint, &gradient, bodies->halfStepVelocity, bodies->halfStepAngularVelocity);
    double value = Unwrap(joint, index, raw, elapsed * speed);
    joint->turns[index] = value - raw;
    joint->lastRaw[index] = raw;
    return value;
}

bool cnJoint_HasAngles(const cnConstraint* joint) {
    return joint->partner1 < 0 && cnConstraintKinds[joint->type].angular != 0;
}

void cnJoint_FollowAngles(cnConstraint* joint, const cnJointView* view, double elapsed) {
    const cnJointFrames frames = cnJoint_Place(joint, view);
    for (int i = 0; i < cnConstraintKinds[joint->type].freeCount; ++i) {
        MeasureCoordinate(joint, view->bodies, &frames, i, elapsed);
    }
}

// Whether a constraint holds anything whose gap is told.
static bool Holds(const cnConstraintTable* table, int row) {
    const cnConstraint* joint = &table->constraints[row];
    return (table->flags[row] & cn_constraintEnabled) != 0 && !cnJoint_IsSpring(joint) &&
           cnJoint_IsHeld(joint);
}

static void Measure(cnConstraintTable* table, const cnJointView* view, int row, double elapsed) {
    cnConstraint* joint = &table->constraints[row];
    double gaps[6];
    int count = Holds(table, row) ? cnJoint_FindGaps(table, joint, view, gaps) : 0;
    table->gap[row] = HeldGap(joint, gaps, count, false);
    table->misalignment[row] = HeldGap(joint, gaps, count, true);
    int coordinates = joint->partner1 < 0 ? cnConstraintKinds[joint->type].freeCount : 0;
    if (coordinates > 0) {
        cnJointFrames frames = cnJoint_Place(joint, view);
        for (int i = 0; i < coordinates; ++i) {
            table->coordinate[row].of[i] = MeasureCoordinate(joint, view->bodies, &frames, i, elapsed);
        }
    }
}

void cnJoint_Measure(cnConstraintTable* table, const cnBodyTable* bodies, int row, double elapsed) {
    const cnJointView view = {bodies, bodies->centreOfMass, bodies->rotation};
    Measure(table, &view, row, elapsed);
}

// Even: pairs of balls are measured together.
#define CN_JOINT_CHUNK 64

typedef struct AllJoints {
    cnConstraintTable* table;
    const cnBodyTable* bodies;
    double h;
    atomic_bool hasPartners; // a joint between joints is among them
} AllJoints;

static void MeasureTask(int begin, int end, int thread, void* context) {
    (void)thread;
    AllJoints* all = context;
    const double h = all->h;
    cnConstraintTable* table = all->table;
    const cnJointView view = {all->bodies, all->bodies->centreOfMass, all->bodies->rotation};
    for (int row = begin; row < end; ++row) {
        const cnConstraint* joint = &table->constraints[row];
        if ((table->flags[row] & cn_constraintLive) == 0 || cnConstraint_Rests(table, all->bodies, row)) {
            continue;
        }
        if (joint->partner1 >= 0) {
            atomic_store_explicit(&all->hasPartners, true, memory_order_relaxed);
            continue; // reads the coordinates of others, which other tasks may be writing
        }
        if (!cnJoint_IsBallOfBodies(joint) || !Holds(table, row)) {
            bool isFollowed = (table->flags[row] & cn_constraintEnabled) != 0 && joint->lastStep > 0.0;
            Measure(table, &view, row, isFollowed ? 0.0 : h);
            continue;
        }
        const bool isPair = row + 1 < end && (table->flags[row + 1] & cn_constraintLive) != 0 &&
                            cnJoint_IsBallOfBodies(joint + 1) && Holds(table, row + 1);
        double gaps[6];
        cnJoint_FindBallGaps(joint, joint + isPair, &view, gaps, gaps + (isPair ? 3 : 0));
        for (int i = 0; i <= isPair; ++i) {
            table->gap[row + i] = cnLength((cnVec3){gaps[3 * i], gaps[3 * i + 1], gaps[3 * i + 2]});
            table->misalignment[row + i] = 0.0;
        }
        row += isPair;
    }
}

void cnJoint_MeasureAll(cnConstraintTable* table, const cnBodyTable* bodies, double h,
                        cnThreadPool* threads) {
    AllJoints all = {table, bodies, h, false};
    cnThreadPool_Run(threads, MeasureTask, &all, table->ids.rowCount, CN_JOINT_CHUNK);
    if (!atomic_load_explicit(&all.hasPartners, memory_order_relaxed)) {
        return;
    }
    for (int row = 0; row < table->ids.rowCount; ++row) {
        if ((table->flags[row] & cn_constraintLive) != 0 && table->constraints[row].partner1 >= 0) {
            cnJoint_Measure(table, bodies, row, h);
        }
    }
}

static void ReadSpeedsTask(int begin, int end, int thread, void* context) {
    (void)thread;
    const AllJoints* all = context;
    cnConstraintTable* table = all->table;
    const cnJointView view = {all->bodies, all->bodies->centreOfMass, all->bodies->rotation};
    for (int row = begin; row < end; ++row) {
        const cnConstraint* joint = &table->constraints[row];
        bool isLive = (table->flags[row] & cn_constraintLive) != 0;
        isLive = isLive && !cnConstraint_Rests(table, all->bodies, row);
        int count = isLive && joint->partner1 < 0 ? cnConstraintKinds[joint->type].freeCount : 0;
        if (count == 0) {
            continue;
        }
        cnJointFrames frames = cnJoint_Place(joint, &view);
        for (int i = 0; i < count; ++i) {
            double raw = 0.0;
            cnGradient gradient = {0};
            cnJoint_FindCoordinate(joint, &frames, i, &raw, &gradient);
            table->speed[row].of[i] =
                SpeedOf(joint, &gradient, all->bodies->velocity, all->bodies->angularVelocity);
        }
    }
}

void cnJoint_ReadSpeeds(cnConstraintTable* table, const cnBodyTable* bodies, cnThreadPool* threads) {
    AllJoints all = {.table = table, .bodies = bodies};
    cnThreadPool_Run(threads, ReadSpeedsTask, &all, table->ids.rowCount, CN_JOINT_CHUNK);
}
