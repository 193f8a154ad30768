// What passive contacts must not do: give energy out, or hold what has not come to rest. Rings in wedges,
// round bodies that swing in round hollows, boxes that land.
#include "helpers.h"

// Kinetic energy for each kilogram.
static double kinetic_per_kilogram(cnWorldId world, cnBodyId body) {
    return cnWorld_GetKineticEnergy(world) / cnBody_GetMass(world, body);
}

static double energy_per_kilogram(cnWorldId world, cnBodyId body) {
    return kinetic_per_kilogram(world, body) + GRAVITY * cnBody_GetCentreOfMass(world, body).z;
}

// ---- wedges -----------------------------------------------------------------------------------------------

typedef struct Ring {
    double angle; // of the cone to its axis, degrees
    double friction;
    double lean; // degrees
    double mass; // kg; 0: 69 g
    double frequency;
    double rests; // 1: below 1e-6 J/kg in the end
} Ring;

// A ring of 50 mm is dropped on a cone by 5 mm. Whether or not it locks there by friction (where μ > tan of
// the angle), it loses what the fall gave it, keeps down, and rests.
static void hang_ring(const Ring* ring) {
    double angle = ring->angle * CN_PI / 180.0, lean = ring->lean * CN_PI / 180.0;
    double drop = 0.005, height = 0.1 / cnTan(angle);
    cnWorldId world = make_world((cnWorldDef){.timeStep = 1.0 / ring->frequency});
    cnMaterialId material = add_material(world, ring->friction, 0.0);
    cnQuat upright = cnQuatFromRotationVector(cnVec(0.5 * CN_PI, 0.0, 0.0));
    add_geometry(world, (cnGeometryDef){.rotation = upright, .material = material},
                 (cnShapeDef){.type = cn_cone, .bottomRadius = 0.1, .height = height});
    cnQuat leaning = cnQuatFromRotationVector(cnVec(0.8 * lean, 0.6 * lean, 0.0));
    cnBodyId body = cnCreateBody(world, &(cnBodyDef){.position = cnVec(0.0, 0.0, 0.5 * height + 0.01 + drop),
                                                     .rotation = cnMulQuat(leaning, upright),
                                                     .mass = ring->mass});
    add_shape(world, body, tube_of(0.05, 0.01, 0.02), material);
    double start = energy_per_kilogram(world, body), speed = 0.0, energy = 0.0, rise = -INFINITY;
    int steps = (int)(3.0 * ring->frequency);
    for (int i = 0; i < steps; ++i) {
        step_world(world, 1);
        double time = i / ring->frequency;
        if (time > 0.5) {
            rise = cnMax(rise, energy_per_kilogram(world, body) - start);
            speed = cnMax(speed, cnLength(cnBody_GetVelocity(world, body)));
        }
        energy = time > 2.0 ? cnMax(energy, kinetic_per_kilogram(world, body)) : 0.0;
    }
    if (!(rise < -0.5 * GRAVITY * drop && speed < 0.2 && (ring->rests == 0.0 || energy < 1e-6))) {
        fail_msg("%g°, friction %g, lean %g°, %g kg, %g Hz: %g J/kg won, %g m/s, %g J/kg in the end",
                 ring->angle, ring->friction, ring->lean, ring->mass, ring->frequency, rise, speed, energy);
    }
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

static void rings_hang_on_cones(void** state) {
    (void)state;
    static const Ring rings[] = {
        {18.4, 0.4, 0.0, 0.0, 60.0, 1},  {18.4, 0.4, 2.0, 0.0, 60.0, 1},    {18.4, 0.4, 2.0, 0.0, 240.0, 1},
        {10.0, 0.2, 0.0, 0.0, 60.0, 1},  {10.0, 0.2, 2.0, 0.0, 120.0, 1},   {10.0, 1.0, 2.0, 0.0, 60.0, 1},
        {30.0, 0.4, 2.0, 0.0, 60.0, 1},  {30.0, 0.7, 0.0, 0.0, 120.0, 1},   {45.0, 0.2, 2.0, 0.0, 60.0, 1},
        {45.0, 1.0, 2.0, 0.0, 240.0, 1}, {18.4, 0.4, 2.0, 1000.0, 60.0, 1}, {18.4, 0.4, 2.0, 1e-3, 60.0, 1},
        {18.4, 0.4, 6.0, 0.0, 60.0, 0},  {10.0, 0.2, 6.0, 0.0, 120.0, 0},   {10.0, 0.0, 6.0, 0.0, 60.0, 0},
        {30.0, 0.0, 2.0, 0.0, 60.0, 0},
    };
    for (size_t i = 0; i < sizeof rings / sizeof rings[0]; ++i) {
        hang_ring(&rings[i]);
    }
}

// ---- hollows ----------------------------------------------------------------------------------------------

// A round body swings in a lying tube, without friction or rolling. From one turn to another its height stays
// within 0.2 % of what it rose.
static void swing(cnShapeDef def, double friction, double amplitude, double frequency) {
    double innerRadius = 0.5, reach = innerRadius - def.radius;
    cnWorldId world = make_world((cnWorldDef){.timeStep = 1.0 / frequency});
    cnMaterialId material = add_material(world, friction, 0.0);
    add_shape(world, (cnBodyId){0}, tube_of(innerRadius, 0.05, 2.0), material);
    cnBodyId body = cnCreateBody(
        world, &(cnBodyDef){.position = {reach * cnSin(amplitude), 0.1, -reach * cnCos(amplitude)}});
    add_shape(world, body, def, material);
    double before[2] = {-reach * cnCos(amplitude), -reach * cnCos(amplitude)}, first = 0.0, last = 0.0;
    int turns = 0;
    for (int i = 0; i < (int)(5.0 * frequency); ++i) {
        step_world(world, 1);
        double z = cnBody_GetPosition(world, body).z;
        if (i > 2 && before[1] >= before[0] && before[1] > z) {
            // top of the parabola through three heights
            double rise = 0.5 * (z - before[0]), bend = z - 2.0 * before[1] + before[0];
            last = before[1] - 0.5 * rise * rise / bend;
            first = turns == 0 ? last : first;
            turns += 1;
        }
        before[0] = before[1];
        before[1] = z;
    }
    assert_true(turns >= 5);
    double change = fabs(last - first) / (first + reach) / (turns - 1);
    if (!(change < 0.002)) {
        fail_msg("shape %d, friction %g, amplitude %g, %g Hz: %g of the energy a turn", (int)def.type,
                 friction, amplitude, frequency, change);
    }
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

static void swings_keep_their_energy(void** state) {
    (void)state;
    const cnShapeDef shapes[] = {
        {.type = cn_sphere, .radius = 0.05},
        {.type = cn_sphere, .radius = 0.2},
        {.type = cn_capsule, .radius = 0.05, .height = 0.3},
        {.type = cn_cylinder, .radius = 0.05, .height = 0.3},
    };
    for (int shape = 0; shape < 4; ++shape) {
        for (int i = 0; i < 12; ++i) {
            static const double amplitudes[] = {0.1, 0.6, 1.2};
            swing(shapes[shape], i % 2 == 0 ? 0.0 : 1.0, amplitudes[i / 2 % 3], i < 6 ? 60.0 : 240.0);
        }
    }
}

// ---- boxes that land --------------------------------------------------------------------------------------

// The angle between the vertical and the axis of a body that is nearest to it.
static double tilt_of(cnWorldId world, cnBodyId body) {
    cnQuat rotation = cnBody_GetRotation(world, body);
    double tilt = INFINITY;
    for (int i = 0; i < 3; ++i) {
        cnVec3 axis = cnRotate(rotation, cnVec(i == 0, i == 1, i == 2));
        tilt = cnMin(tilt, sqrt(axis.x * axis.x + axis.y * axis.y));
    }
    return tilt;
}

// Boxes that land on a corner lie flat after two seconds: none of their corners hangs a hair above the
// ground and bears without sinking in, which left seven of forty tilted by 3e-5 rad for up to four seconds.
static void boxes_that_land_lie_flat(void** state) {
    (void)state;
    enum {
        boxCount = 40
    };
    cnWorldId world = make_world((cnWorldDef){0});
    cnMaterialId material = add_material(world, 0.6, 0.0);
    add_ground(world, material);
    cnBodyId boxes[boxCount];
    for (int i = 0; i < boxCount; ++i) {
        cnBodyDef def = {.position = cnVec(2.0 * i, 0.0, 0.6),
                         .rotation = cnQuatFromRotationVector(random_vec(0.3))};
        boxes[i] = add_body(world, def, box_of(random_in(0.2, 0.4), random_in(0.2, 0.4), 0.2), material);
    }
    step_world(world, 150);
    for (int i = 0; i < boxCount; ++i) {
        if (!(tilt_of(world, boxes[i]) < 1e-6)) {
            fail_msg("box %d is tilted by %g rad", i, tilt_of(world, boxes[i]));
        }
    }
    assert_int_equal(cnDestroyWorld(world), CN_ERROR_NONE);
}

int main(void) {
    return run_all(rings_hang_on_cones, swings_keep_their_energy, boxes_that_land_lie_flat);
}
