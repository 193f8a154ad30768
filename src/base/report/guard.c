#include "base/report/guard.h"

#include <limits.h>

int cnGrownCapacity(int capacity, int wanted, int smallest) {
    enum {
        maxExact = 64,     // beyond, exact room would make growing quadratic
        mostDoubled = 1024 // beyond, growth by half leaves less unused, and holes that later growths fit into
    };
    if (CN_GUARDS && wanted <= maxExact) {
        return wanted;
    }
    int more = capacity <= mostDoubled ? capacity : capacity / 2;
    int grown = capacity > INT_MAX - more ? INT_MAX : capacity + more;
    grown = grown < wanted ? wanted : grown;
    return grown < smallest ? smallest : grown;
}

#if CN_GUARDS

#include <stdio.h>
#include <stdlib.h>

static void Fail(const cnGuard* guard, const char* fault) {
    fprintf(stderr, "guard: %s (pinned for: %s; moved %u times before)\n", fault,
            guard->holder != NULL ? guard->holder : "nothing", (unsigned)guard->generation);
    abort();
}

void cnGuard_Pin(cnGuard* guard, const char* holder) {
    guard->holder = holder;
    guard->pins += 1;
}

void cnGuard_Unpin(cnGuard* guard) {
    if (guard->pins <= 0) {
        Fail(guard, "memory is unpinned that is not pinned");
    }
    guard->pins -= 1;
}

void cnGuard_Move(cnGuard* guard) {
    if (guard->pins > 0) {
        Fail(guard, "memory moves while something points into it");
    }
    guard->generation += 1;
}

#endif
