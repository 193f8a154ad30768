// What stays where it is while phases of a step point to it (base/report/guard.h).
#include "world/step/step.h"

void cnPinTables(cnWorld* world, const char* holder) {
    (void)world;
    (void)holder;
    CN_PIN(&world->bodies, holder);
    CN_PIN(&world->geometries, holder);
    CN_PIN(&world->proxies, holder);
    CN_PIN(&world->shapes, holder);
    CN_PIN(&world->constraints, holder);
    CN_PIN(&world->materials.materials, holder);
    CN_PIN(&world->materials.contactMaterials, holder);
}

void cnUnpinTables(cnWorld* world) {
    (void)world;
    CN_UNPIN(&world->bodies);
    CN_UNPIN(&world->geometries);
    CN_UNPIN(&world->proxies);
    CN_UNPIN(&world->shapes);
    CN_UNPIN(&world->constraints);
    CN_UNPIN(&world->materials.materials);
    CN_UNPIN(&world->materials.contactMaterials);
}
