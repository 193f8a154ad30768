// What a step did to the energies of a world, for those who want to see it.
#pragma once

#include "world/world.h"

// Kinetic, gravity and springs as they are now.
void cnMeasureEnergies(const cnWorld* world, cnEnergies* energies);

// Where a balance is kept: before the bodies move, and once all forces are known, those of users too.
// `impactWork`: J, that impacts gave. Begin answers false when memory ran out.
bool cnBeginEnergyBalance(cnWorld* world);
void cnNoteImpacts(cnWorld* world); // once impacts have changed the velocities
void cnFinishEnergyBalance(cnWorld* world, double impactWork);
