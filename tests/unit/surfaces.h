// Surfaces of triangles to make meshes of: boxes, tori, terrains.
#pragma once

#include "base/containers/array.h"
#include "shapes.h"

// ---- meshes -----------------------------------------------------------------------------------------------

typedef struct Surface {
    CN_ARRAY(cnVec3) points;
    CN_ARRAY(int32_t) triangles;
} Surface;

static inline void free_surface(Surface* surface) {
    cnArray_Free(&surface->points);
    cnArray_Free(&surface->triangles);
}

static inline int add_point(Surface* surface, cnVec3 point) {
    assert_true(cnArray_Push(&surface->points, point));
    return surface->points.count - 1;
}

static inline void add_triangle(Surface* surface, int a, int b, int c) {
    assert_true(cnArray_Push(&surface->triangles, a) && cnArray_Push(&surface->triangles, b) &&
                cnArray_Push(&surface->triangles, c));
}

static inline void add_quad(Surface* surface, int a, int b, int c, int d) {
    add_triangle(surface, a, b, c);
    add_triangle(surface, a, c, d);
}

static inline cnShapeDef define_mesh(const Surface* surface) {
    return (cnShapeDef){.type = cn_trimesh,
                        .points = surface->points.data,
                        .pointCount = surface->points.count,
                        .triangles = surface->triangles.data,
                        .triangleCount = surface->triangles.count / 3};
}

static inline void add_box(Surface* surface, cnVec3 middle, cnVec3 half) {
    int first = surface->points.count;
    for (int i = 0; i < 8; ++i) {
        cnVec3 corner = {(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                         (i & 4) != 0 ? half.z : -half.z};
        add_point(surface, cnAdd(middle, corner));
    }
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; ++i) {
        add_quad(surface, first + quads[i][0], first + quads[i][1], first + quads[i][2], first + quads[i][3]);
    }
}

// A torus about z whose tube has bumps, so that it is neither convex nor symmetric: rings × sides quads.
static inline void add_torus(Surface* surface, int rings, int sides, double large, double small,
                             double bump) {
    int first = surface->points.count;
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < sides; ++j) {
            double u = 2.0 * CN_PI * i / rings, v = 2.0 * CN_PI * j / sides;
            double r = small * (1.0 + bump * cnSin(5.0 * u) * cnCos(3.0 * v));
            double out = large + r * cnCos(v);
            add_point(surface, cnVec(out * cnCos(u), out * cnSin(u), r * cnSin(v)));
        }
    }
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < sides; ++j) {
            int next = (i + 1) % rings, up = (j + 1) % sides;
            add_quad(surface, first + i * sides + j, first + next * sides + j, first + next * sides + up,
                     first + i * sides + up);
        }
    }
}

static inline double hill(double x, double y) {
    return 0.3 * cnSin(1.7 * x) * cnCos(1.3 * y) + 0.1 * cnSin(5.0 * x + 3.0 * y);
}

// Heights over [−size, size]² in n × n cells.
static inline void add_terrain(Surface* surface, int n, double size) {
    int first = surface->points.count;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            double x = size * (2.0 * i / n - 1.0), y = size * (2.0 * j / n - 1.0);
            add_point(surface, cnVec(x, y, hill(x, y)));
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            int at = first + j * (n + 1) + i;
            add_quad(surface, at, at + 1, at + n + 2, at + n + 1);
        }
    }
}

// Every corner a vertex of its own, as STL files have them.
static inline Surface unweld(const Surface* from) {
    Surface soup = {0};
    for (int i = 0; i < from->triangles.count; i += 3) {
        int first = soup.points.count;
        for (int j = 0; j < 3; ++j) {
            add_point(&soup, from->points.data[from->triangles.data[i + j]]);
        }
        add_triangle(&soup, first, first + 1, first + 2);
    }
    return soup;
}

// A surface of one torus, as add_torus() has it.
static inline Surface torus_of(int rings, int sides, double large, double small, double bump) {
    Surface surface = {0};
    add_torus(&surface, rings, sides, large, small, bump);
    return surface;
}

// A surface of one terrain, as add_terrain() has it.
static inline Surface terrain_of(int n, double size) {
    Surface surface = {0};
    add_terrain(&surface, n, size);
    return surface;
}
