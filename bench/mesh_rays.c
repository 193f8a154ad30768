// Ray casts into a mesh of 100,000 triangles, in one thread: prints millions of rays a second.
//
//   mesh_rays [RAYS]
//
// The mesh is a torus with bumps. Half of the rays come from all around and aim into its bounds, a quarter
// are short and start near its surface, a quarter are shot from far away.
#include "base/timer.h"
#include "geometry/meshes/trimesh.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    rings = 500,
    sides = 100
};

static uint64_t randomState = 1;

static double Random(double lower, double upper) {
    randomState = randomState * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * ((double)(randomState >> 11) / 9007199254740992.0);
}

static cnVec3 RandomVec(double size) {
    cnVec3 v = {Random(-size, size), Random(-size, size), Random(-size, size)};
    return v;
}

static cnVec3 points[rings * sides];
static int32_t triangles[rings * sides * 2][3];

static cnShapeDef MakeTorus(void) {
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < sides; ++j) {
            int at = i * sides + j, up = i * sides + (j + 1) % sides;
            int next = (i + 1) % rings * sides + j, across = (i + 1) % rings * sides + (j + 1) % sides;
            double u = 2.0 * CN_PI * i / rings, v = 2.0 * CN_PI * j / sides;
            double r = 0.4 * (1.0 + 0.2 * cnSin(15.0 * u) * cnCos(9.0 * v));
            double out = 1.0 + r * cnCos(v);
            points[at] = cnVec(out * cnCos(u), out * cnSin(u), r * cnSin(v));
            int32_t corners[6] = {at, next, across, at, across, up};
            for (int k = 0; k < 6; ++k) {
                triangles[2 * at + k / 3][k % 3] = corners[k];
            }
        }
    }
    return (cnShapeDef){.type = cn_trimesh,
                        .points = points,
                        .pointCount = rings * sides,
                        .triangles = triangles[0],
                        .triangleCount = rings * sides * 2};
}

static void MakeRay(int number, cnVec3* origin, cnVec3* translation) {
    cnVec3 target = cnMul(RandomVec(1.0), cnVec(1.4, 1.4, 0.45));
    if (number % 4 == 0) {
        *origin = cnMulAdd(points[number % (rings * sides)], 0.1, RandomVec(1.0));
        *translation = RandomVec(0.2);
    } else {
        *origin = RandomVec(number % 4 == 1 ? 1000.0 : 4.0);
        *translation = cnScale(2.0, cnSub(target, *origin));
    }
}

int main(int count, char** arguments) {
    int rays = count > 1 ? atoi(arguments[1]) : 2000000;
    cnShapeDef def = MakeTorus();
    double start = cnGetMilliseconds();
    cnShape shape;
    if (rays < 1 || cnShape_Init(&shape, &def, "mesh_rays") != CN_ERROR_NONE) {
        fprintf(stderr, "mesh_rays: %s\n", rays < 1 ? "usage: mesh_rays [RAYS]" : cnGetLastError()->message);
        return 1;
    }
    double built = cnGetMilliseconds();
    printf("%d triangles, %d nodes, %.1f bytes a triangle, built in %.1f ms\n", def.triangleCount,
           shape.mesh->nodeCount, (double)cnShape_GetBytes(&shape) / def.triangleCount, built - start);

    enum {
        batch = 4096
    };
    static cnVec3 origins[batch], translations[batch];
    cnPose pose = {cnVec3_zero, cnQuat_identity};
    double spent = 0.0;
    int hits = 0;
    for (int done = 0; done < rays; done += batch) {
        for (int i = 0; i < batch; ++i) {
            MakeRay(done + i, origins + i, translations + i);
        }
        start = cnGetMilliseconds();
        for (int i = 0; i < batch; ++i) {
            hits += cnShape_CastRay(&shape, pose, origins[i], translations[i]).hit ? 1 : 0;
        }
        spent += cnGetMilliseconds() - start;
    }
    int cast = (rays + batch - 1) / batch * batch;
    printf("%d rays, %.1f %% hit, %.2f million a second\n", cast, 100.0 * hits / cast, cast / spent * 1e-3);
    cnShape_Free(&shape);
    return 0;
}
