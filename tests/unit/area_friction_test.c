// Friction of areas that slide and spin at once, against sums over their parts.
#include "helpers.h"

#include "solve/area_friction.h"

#define GRID 400
#define PI 3.14159265358979323846

typedef struct Parts {
    double force, torque, radius, area;
} Parts;

// By sums over a fine grid: parts of 1 by `aspect`, without those of a hole like it.
static Parts sum_of(const cnFrictionArea* shape, double along, double across, double spin) {
    double force = 0.0, torque = 0.0, radius = 0.0, hole = shape->hole, speed = hypot(along, across);
    int count = 0;
    for (int turn = 0; turn < 2; ++turn) { // first the mean radius
        double w = turn == 0 ? 0.0 : spin / (radius / count);
        for (int i = 0; i < GRID * GRID; ++i) {
            int column = i % GRID, line = i / GRID;
            double x = -1.0 + 2.0 * (column + 0.5) / GRID, y = -1.0 + 2.0 * (line + 0.5) / GRID;
            double square = x * x + y * y;
            if (square >= 1.0 || square < hole * hole) {
                continue;
            }
            y *= shape->aspect;
            double ux = along - w * y, uy = across + w * x, size = hypot(ux, uy);
            if (turn == 0) {
                radius += hypot(x, y);
                ++count;
            } else if (size > 0.0) {
                force += speed > 0.0 ? (ux * along + uy * across) / (speed * size) : 0.0;
                torque += (x * uy - y * ux) / size;
            }
        }
    }
    double area = PI * shape->aspect * (1.0 - hole * hole);
    return (Parts){force / count, torque / radius, radius / count, area};
}

static void forces_and_torques_are_the_sums_over_all_parts(void** state) {
    (void)state;
    const cnFrictionArea shapes[] = {
        cnFrictionArea_WithHole(1.0, 0.0),  cnFrictionArea_WithHole(0.5, 0.0),
        cnFrictionArea_WithHole(0.25, 0.0), cnFrictionArea_WithHole(1.0, 0.9),
        cnFrictionArea_WithHole(0.6, 0.5),
    };
    const double speeds[] = {0.0, 0.01, 0.2, 0.6, 0.9, 1.0, 1.3, 2.0, 5.0, 100.0};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
        for (size_t v = 0; v < sizeof speeds / sizeof speeds[0]; ++v) {
            for (int angle = 0; angle < 4; ++angle) {
                double along = speeds[v] * cos(0.5 * angle), across = speeds[v] * sin(0.5 * angle);
                cnAreaMotion motion = {along, across, 1.0};
                cnFrictionShares found = cnShareFriction(&shapes[s], &motion);
                Parts wanted = sum_of(&shapes[s], along, across, 1.0);
                assert_true(fabs(found.force - wanted.force) < 2e-3);
                assert_true(fabs(found.torque - wanted.torque) < 2e-3);
            }
        }
    }
}

// Z. Farkas et al., Phys. Rev. Lett. 90, 248302 (2003): with I = m R²/2 both motions of a disc end together,
// at v/(R ω) = 0.653, where v and ω fall by equal parts.
static void both_motions_of_a_disc_end_together(void** state) {
    (void)state;
    const cnFrictionArea disc = cnFrictionArea_WithHole(1.0, 0.0);
    const double mean = 2.0 / 3.0; // r̄/R
    double v = 1.0, w = 0.3;       // m/s; R ω, m/s: μ g = 1 m/s²
    for (double h = 1e-3; v > 1e-6;) {
        cnAreaMotion motion = {v, 0.0, mean * w};
        cnFrictionShares shares = cnShareFriction(&disc, &motion);
        v -= h * v * shares.force;
        w -= h * v * 2.0 * mean * shares.torque;
    }
    assert_true(fabs(v / w - 0.653) < 2e-3);
}

// One motion alone has all of the friction, and the slower one has what is proportional to it.
static void one_motion_alone_has_all_of_it(void** state) {
    (void)state;
    for (int i = 1; i <= 5; ++i) {
        const cnFrictionArea area = cnFrictionArea_WithHole(0.2 * i, 0.0);
        cnFrictionShares slides = cnShareFriction(&area, &(cnAreaMotion){0.6, -0.8, 0.0});
        assert_true(fabs(slides.force - 1.0) < 1e-12 && fabs(slides.torque) < 1e-12);
        cnFrictionShares spins = cnShareFriction(&area, &(cnAreaMotion){0.0, 0.0, 2.0});
        assert_true(spins.force == 0.0 && fabs(spins.torque - 1.0) < 1e-12);
        cnFrictionShares slow = cnShareFriction(&area, &(cnAreaMotion){1.0, 1.0, 1e-4});
        cnFrictionShares slower = cnShareFriction(&area, &(cnAreaMotion){1.0, 1.0, 1e-5});
        assert_true(fabs(slow.torque / slower.torque - 10.0) < 1e-6);
    }
}

static void holes_are_found_from_areas(void** state) {
    (void)state;
    const cnFrictionArea shapes[] = {cnFrictionArea_WithHole(1.0, 0.3), cnFrictionArea_WithHole(1.0, 0.8),
                                     cnFrictionArea_WithHole(0.5, 0.6), cnFrictionArea_WithHole(0.3, 0.9)};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
        Parts parts = sum_of(&shapes[s], 1.0, 0.0, 1.0);
        double size = parts.area / (parts.radius * parts.radius);
        double hole = cnFrictionArea_OfSize(shapes[s].aspect, size).hole;
        assert_true(fabs(hole - shapes[s].hole) < 0.02);
    }
    assert_true(cnFrictionArea_OfSize(1.0, 9.0 / 4.0 * PI * 1.01).hole == 0.0);
}

int main(void) {
    return run_all(forces_and_torques_are_the_sums_over_all_parts, both_motions_of_a_disc_end_together,
                   one_motion_alone_has_all_of_it, holes_are_found_from_areas);
}
