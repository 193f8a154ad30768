// Meshes and height fields against everything else.
#include "collide/collide.h"

bool cnCollideMesh(const cnPair* pair, cnCandidates* out) {
    (void)pair;
    (void)out;
    return true;
}
