// What two materials, their bodies and the last step make of the friction of a contact.
#include "solve/contact_rows.h"

// Of an ellipse's axes: what keeps the rows along them apart from nothing.
#define CN_LEAST_RATIO 1e-6

// ---- directions -------------------------------------------------------------------------------------------

// Where the user gives no direction: any for a circle, else the world's x, or its y where the normal is along
// x.
static cnVec3 FindPrimary(const cnSolve* solve, const cnFrictionModel* model) {
    bool isGiven = cnLengthSquared(model->primary) > 0.0;
    if (!isGiven || CN_IS_NULL(model->frame)) {
        return model->primary;
    }
    int row = cnIdPool_Find(&solve->bodies->ids, model->frame.value);
    return row >= 0 ? cnRotate(solve->bodies->rotation[row], model->primary) : model->primary;
}

static void MakeTangents(const cnSolve* solve, const cnPairProperties* properties, bool isCircle, cnVec3 n,
                         cnVec3 tangents[2]) {
    cnVec3 primary = FindPrimary(solve, &properties->frictionModel);
    cnVec3 along = cnMulAdd(primary, -cnDot(primary, n), n);
    if (cnLengthSquared(along) <= 1e-12 * cnLengthSquared(primary)) {
        if (isCircle) {
            tangents[0] = cnNormalize(cnCross(cnMinAxis(n), n));
            tangents[1] = cnCross(n, tangents[0]);
            return;
        }
        primary = fabs(n.x) < 0.9 ? cnVec(1.0, 0.0, 0.0) : cnVec(0.0, 1.0, 0.0);
        along = cnMulAdd(primary, -cnDot(primary, n), n);
    }
    tangents[0] = cnNormalize(along);
    tangents[1] = cnCross(n, tangents[0]);
}

// Scales two axes for the values that an ellipse has along them; the first becomes that of the larger one.
// Returns this.
static double MakeCircle(const double values[2], cnVec3 n, const cnVec3 tangents[2], cnFrictionAxes* axes) {
    bool swaps = values[1] > values[0];
    double larger = values[swaps], smaller = values[!swaps];
    double scale = larger > 0.0 ? cnMax(smaller / larger, CN_LEAST_RATIO) : 1.0;
    axes->axis[0] = tangents[swaps];
    axes->axis[1] = cnScale(scale, cnCross(n, tangents[swaps]));
    axes->scale[0] = 1.0;
    axes->scale[1] = scale;
    return larger;
}

static void KeepAxes(const cnVec3 tangents[2], cnFrictionAxes* axes) {
    for (int i = 0; i < 2; ++i) {
        axes->axis[i] = tangents[i];
        axes->scale[i] = 1.0;
    }
}

// ---- bounds -----------------------------------------------------------------------------------------------

typedef struct BodyMasses {
    double sum, lighter, heavier; // kg, of the dynamic ones
} BodyMasses;

static BodyMasses MeasureMasses(const cnSolve* solve, const cnSolverContact* contact) {
    const int indices[2] = {contact->body1, contact->body2};
    BodyMasses masses = {0.0, INFINITY, 0.0};
    for (int i = 0; i < 2; ++i) {
        if (indices[i] != 0) {
            double mass = solve->bodies->mass[solve->solver.rows[indices[i]]];
            masses.sum += mass;
            masses.lighter = cnMin(masses.lighter, mass);
            masses.heavier = cnMax(masses.heavier, mass);
        }
    }
    return masses;
}

// N, of the last step, or of what the solver remembers of it.
static double LastLoad(const cnSolve* solve, const cnPair* pair) {
    double sum = 0.0;
    for (int i = 0; i < pair->manifold.pointCount && !solve->settings.disableWarmStart; ++i) {
        sum += pair->impulse[i];
    }
    return sum / solve->substep;
}

static double LargestDepth(const cnPair* pair) {
    double depth = 0.0;
    for (int i = 0; i < pair->manifold.pointCount; ++i) {
        depth = cnMax(depth, pair->manifold.depths[i]);
    }
    return depth;
}

// Bounds along the tangents, in the order of the model's directions.
static void BoundTangents(const cnSolve* solve, const cnSolverContact* contact, const cnPair* pair,
                          const cnPairProperties* properties, const double coefficients[2],
                          cnContactFriction* friction) {
    const cnFrictionModel* model = &properties->frictionModel;
    bool isOld = model->type == cn_frictionScaledBoxFast || model->type == cn_frictionBox;
    double last = isOld ? LastLoad(solve, pair) : 0.0;
    BodyMasses masses = friction->isBox ? MeasureMasses(solve, contact) : (BodyMasses){0};
    for (int i = 0; i < 2; ++i) {
        double mu = coefficients[i];
        friction->perLoad[i] = friction->fixed[i] = 0.0;
        switch (model->type) {
        case cn_frictionNone:
            break;
        case cn_frictionCone:
        case cn_frictionScaledBox:
            friction->perLoad[i] = mu;
            break;
        case cn_frictionScaledBoxFast:
            friction->perLoad[i] = last > 0.0 ? 0.0 : mu;
            friction->fixed[i] = last > 0.0 ? mu * last : 0.0;
            break;
        case cn_frictionBox:
            friction->fixed[i] = model->forceGiven ? model->force[i]
                                 : last > 0.0      ? mu * last
                                                   : mu * masses.sum * CN_STANDARD_GRAVITY;
            break;
        case cn_frictionBoxProportionalLow:
            friction->fixed[i] = model->acceleration[i] * masses.lighter;
            break;
        case cn_frictionBoxProportionalHigh:
            friction->fixed[i] = model->acceleration[i] * masses.heavier;
            break;
        case cn_frictionConstantNormalForce:
            friction->fixed[i] = mu * model->normalForce * (model->depthScaled ? LargestDepth(pair) : 1.0);
            break;
        }
    }
}

// What friction in all directions comes to in the mean, where it is a along one and b across it: the
// circumference of the ellipse (S. Ramanujan, "Modular equations and approximations to π", 1914).
static double MeanOfDirections(double a, double b) {
    return a == b ? a : 0.5 * (3.0 * (a + b) - sqrt((3.0 * a + b) * (a + 3.0 * b)));
}

// ---- what a contact has -----------------------------------------------------------------------------------

// What the user says of this step's contact, as properties of materials.
static void ApplyCustom(const cnCustomFriction* custom, cnPairProperties* properties) {
    cnFrictionModel* model = &properties->frictionModel;
    *model = (cnFrictionModel){
        .type = custom->box ? cn_frictionScaledBox : cn_frictionCone,
        .solve = model->solve,
        .exactCone = model->exactCone,
        .primary = custom->primary,
    };
    for (int i = 0; i < 2; ++i) {
        properties->friction[i] = custom->coefficient[i];
        properties->rollingResistance[i] = custom->rollingResistance[i];
    }
    properties->spinningFriction = custom->spinningFriction;
    properties->staticFrictionScale = 1.0;
}

// Axes of the rows, and bounds and viscosities in their scale.
static void ScaleToAxes(const cnPairProperties* properties, const cnVec3 tangents[2], cnContactRows* rows) {
    cnContactFriction* friction = &rows->friction;
    for (int i = 0; i < 2; ++i) {
        friction->viscosity[i] = properties->surfaceViscosity[i];
    }
    if (friction->rolls) {
        friction->rollingPerLoad =
            MakeCircle(properties->rollingResistance, rows->normal, tangents, &rows->rolling);
    }
    if (friction->isBox) {
        KeepAxes(tangents, &rows->sliding);
        return;
    }
    bool followsLoad = friction->perLoad[0] > 0.0 || friction->perLoad[1] > 0.0;
    const double* sides = followsLoad ? friction->perLoad : friction->fixed;
    bool swaps = sides[1] > sides[0];
    MakeCircle(sides, rows->normal, tangents, &rows->sliding);
    friction->perLoad[0] = friction->perLoad[1] = cnMax(friction->perLoad[0], friction->perLoad[1]);
    friction->fixed[0] = friction->fixed[1] = cnMax(friction->fixed[0], friction->fixed[1]);
    double scale = rows->sliding.scale[1];
    friction->viscosity[0] = properties->surfaceViscosity[swaps];
    friction->viscosity[1] = properties->surfaceViscosity[!swaps] * scale * scale;
}

// What friction drives the surfaces to: material 1's, with the second direction across that one's normal.
static cnVec3 FindSlide(const cnSolve* solve, const cnPairProperties* properties, const cnPair* pair,
                        const cnVec3 tangents[2]) {
    if (properties->slide[0] == 0.0 && properties->slide[1] == 0.0) {
        return cnVec3_zero;
    }
    bool isFirst = properties->firstMaterial == CN_NO_FIRST_MATERIAL ||
                   solve->proxies->material[pair->proxy1] == properties->firstMaterial;
    double along = isFirst ? properties->slide[0] : -properties->slide[0];
    return cnAdd(cnScale(along, tangents[0]), cnScale(properties->slide[1], tangents[1]));
}

// What a geometry's surface moves by, m/s, world axes.
static cnVec3 FindConveyor(const cnSolve* solve, int geometry) {
    CN_ASSERT(geometry >= 0 && (solve->geometries->flags[geometry] & cn_geometryLive) != 0);
    cnVec3 velocity = solve->geometries->surfaceVelocity[geometry];
    if (velocity.x == 0.0 && velocity.y == 0.0 && velocity.z == 0.0) {
        return velocity;
    }
    velocity = cnRotate(solve->geometries->rotation[geometry], velocity);
    int body = solve->geometries->body[geometry];
    return body >= 0 ? cnRotate(solve->bodies->rotation[body], velocity) : velocity;
}

static cnVec3 FindSurfaceVelocity(const cnSolve* solve, const cnPairProperties* properties,
                                  const cnPair* pair, const cnVec3 tangents[2]) {
    cnVec3 conveyors = cnVec3_zero;
    if (solve->hasConveyors) {
        conveyors = cnSub(FindConveyor(solve, pair->geometry1), FindConveyor(solve, pair->geometry2));
    }
    return cnSub(conveyors, FindSlide(solve, properties, pair, tangents));
}

// Whether the points span an area over which a cone's friction is spread.
static bool IsArea(const cnContactRows* rows) {
    const cnContactFriction* friction = &rows->friction;
    return rows->pointCount > 1 && !friction->isBox && friction->perLoad[0] > 0.0 &&
           friction->perLoad[1] > 0.0 && friction->fixed[0] == 0.0 && friction->fixed[1] == 0.0;
}

// ---- all of it --------------------------------------------------------------------------------------------

// The circular cone, and nothing beside it but what an area that slides and spins has.
static bool IsPlain(const cnContactRows* rows) {
    const cnContactFriction* friction = &rows->friction;
    bool isCircle = !friction->isBox && rows->sliding.scale[1] == 1.0 && friction->fixed[0] == 0.0 &&
                    friction->viscosity[0] == friction->viscosity[1];
    return isCircle && !friction->rolls && friction->spinPerLoad == 0.0 && rows->adhesion == 0.0;
}

static void Resolve(const cnSolve* solve, const cnSolverContact* contact, const cnPairProperties* properties,
                    const cnCustomFriction* custom, cnContactRows* rows) {
    const cnPair* pair = rows->pair;
    cnContactFriction* friction = &rows->friction;
    *friction = (cnContactFriction){
        .model = properties->frictionModel.type,
        .solve = properties->frictionModel.solve,
        .exact = properties->frictionModel.exactCone,
        .isBox = properties->frictionModel.type != cn_frictionCone &&
                 properties->frictionModel.type != cn_frictionNone,
        .rolls = properties->rollingResistance[0] > 0.0 || properties->rollingResistance[1] > 0.0,
        .spinPerLoad = properties->spinningFriction,
        .staticScale = properties->staticFrictionScale,
    };
    bool slid = (pair->flags & cn_pairSlides) != 0;
    double share = slid ? 1.0 : properties->staticFrictionScale;
    const double mu[2] = {share * properties->friction[0], share * properties->friction[1]};
    BoundTangents(solve, contact, pair, properties, mu, friction);
    for (int i = 0; i < 2 && custom != NULL; ++i) {
        friction->fixed[i] = custom->force[i];
    }
    friction->perMoment = MeanOfDirections(friction->perLoad[0], friction->perLoad[1]);
    if (friction->fixed[0] > 0.0 || friction->fixed[1] > 0.0) {
        friction->spinFixed =
            MeanOfDirections(friction->fixed[0], friction->fixed[1]) * cnContactRows_GetMeanRadius(rows);
    }

    bool isCircle = !friction->isBox && friction->perLoad[0] == friction->perLoad[1] &&
                    friction->fixed[0] == friction->fixed[1] && !friction->rolls &&
                    properties->surfaceViscosity[0] == properties->surfaceViscosity[1];
    cnVec3 tangents[2];
    MakeTangents(solve, properties, isCircle, rows->normal, tangents);
    ScaleToAxes(properties, tangents, rows);
    rows->isArea = IsArea(rows);
    rows->surfaceVelocity = FindSurfaceVelocity(solve, properties, pair, tangents);
    if (rows->isArea) {
        cnContactRows_ShareFriction(solve, contact, tangents, rows);
    }
    friction->isPlain = IsPlain(rows);
}

void cnContactRows_ResolveFriction(const cnSolve* solve, const cnSolverContact* contact,
                                   const cnPairProperties* properties, cnContactRows* rows) {
    if ((rows->pair->flags & cn_pairCustom) == 0) {
        Resolve(solve, contact, properties, NULL, rows);
        return;
    }
    const cnCustomFriction* custom = cnPairTable_GetFriction(solve->pairs, contact->pair);
    cnPairProperties own = *properties;
    ApplyCustom(custom, &own);
    Resolve(solve, contact, &own, custom, rows);
    rows->surfaceVelocity = cnAdd(rows->surfaceVelocity, custom->surfaceVelocity);
}

void cnPair_NoteSliding(cnPair* pair, const cnContactFriction* friction, bool isArea, double load,
                        double moment, double h, const double lambda[3]) {
    pair->flags &= ~(uint32_t)cn_pairSlides;
    if (load > 0.0 && (friction->staticScale != 1.0 || isArea)) {
        cnFrictionBounds bounds = cnFriction_GetBounds(friction, load, moment, h);
        bool holds = cnFriction_Holds(friction, &bounds, lambda[0], lambda[1], CN_SLIDING_PART);
        bool spins = isArea && fabs(lambda[2]) >= (1.0 - CN_SLIDING_PART) * bounds.torsional;
        pair->flags |= holds && !spins ? 0u : (uint32_t)cn_pairSlides;
    }
}
