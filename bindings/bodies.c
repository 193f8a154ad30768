// The hand-written part of the boundary for many bodies in one call: columns at addresses that JavaScript has
// taken.
#include "flat.h"

// `columns`: addresses (0: none) of positions, rotations, velocities, angular velocities, masses, shapes,
// materials and groups. Handles of the bodies go to `bodies`.
int32_t cnw_CreateBodies(uint32_t world, int32_t count, const cnBodyDef* body, const cnGeometryDef* geometry,
                         const void* const* columns, int32_t groupCount, cnBodyId* bodies) {
    cnw_Begin();
    cnBodiesDef def = {
        .count = count,
        .body = body,
        .geometry = geometry,
        .positions = columns[0],
        .rotations = columns[1],
        .velocities = columns[2],
        .angularVelocities = columns[3],
        .masses = columns[4],
        .shapes = columns[5],
        .materials = columns[6],
        .groups = columns[7],
        .groupCount = groupCount,
    };
    return (int32_t)cnCreateBodies((cnWorldId){world}, &def, bodies);
}
