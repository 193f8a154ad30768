// Stiffness of contacts by the area method.
#pragma once

#include "solve/contact_rows.h"

// The stiffness of a contact's points and the share of their depth that rows see, where the properties have a
// contact area.
void cnContactArea_Resolve(const cnSolve* solve, const cnSolverContact* contact,
                           const cnPairProperties* properties, cnContactRows* rows);
