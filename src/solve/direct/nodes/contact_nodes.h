// Rows of contacts of islands that are solved directly, their friction at the start of a step, and what they
// keep for the next.
#pragma once

#include "solve/direct/nodes/direct_island.h"

// Rows of a contact's node at the poses that the bodies have.
void cnDirect_MakeContactRows(cnDirectIsland* island, cnDirectNode* node, cnRowTerms terms[cn_mostJointRows]);
// Friction begins with the bounds of the last step's forces, and in the split solver with these forces
// themselves.
void cnDirect_StartFriction(cnDirectIsland* island, cnDirectNode* node);
void cnDirect_StoreContact(const cnDirectIsland* island, const cnDirectNode* node);
