#include "collide/collide.h"

bool cnCollideHollow(const cnPair* pair, cnCandidates* out) {
    (void)pair;
    (void)out;
    return true;
}
