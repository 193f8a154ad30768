// Carriers: what moves the parts of a merged body as one.
//
// A merged body is a graph of bodies (dynamics/merged_body_table.h). While it is joined, one row of the body
// table carries its parts. Where a part is kinematic or static, that part is the carrier: the others ride on
// it. Else the carrier is a row of its own, that no user has made and no handle finds, with the mass, the
// centre of mass and the inertia of all parts together and their momenta:
//   M = Σ m,  C = Σ m c / M,  I = Σ (R I Rᵀ + m (|r|² 1 − r rᵀ)) with r = c − C,
//   V = Σ p / M,  L = Σ (l + r × p).
// All that solves, strikes or moves bodies sees the carrier and knows nothing of its parts: pairs name
// carriers (`body1`, `body2`, with arms and poses as made moved over to them), and so do constraints (their
// rows, frames and lists, cnConstraint_Redirect). Proxies, geometries and contact rows name the parts, as
// users do. In a step the forces on parts are summed up for the carrier before the solve (cnGatherForces),
// and parts follow it afterwards (cnFollowCarriers), so that their poses and velocities can be read and
// their proxies placed; phases over bodies pass over them by their flag (cn_bodyCarried). What lies between
// two parts sleeps: pairs have an `apartUntil` of infinity, constraints rest, and both keep the forces of
// the last step before.
//
// Whatever changes a part alone (its pose, velocity, motion, mass) takes its merged body apart first
// (cnLoosen), and the next collide joins it again with the momenta that there are then. So setting a part's
// velocity gives the whole what that part lacked, and no setter has to know of carriers.
#pragma once

#include "world/world.h"

// Of a part of a merged body that is joined: all of its parts move on their own until the next collide.
// Nothing for other bodies.
void cnLoosen(cnWorld* world, int bodyRow);

// Parts begin to move as one, where there are at least two that can. False when memory ran out: then it is
// due again before the next collide.
bool cnJoinMergedBody(cnWorld* world, int mergedRow);
// They move on their own, each as it moved with the others.
void cnPartMergedBody(cnWorld* world, int mergedRow);
// The same without cnRedirectToCarriers, which is due before bodies are made or joined; false where they were
// not joined.
bool cnTakeApart(cnWorld* world, int mergedRow);
// A part that has come to a merged body which is joined already, or that leaves one: where parts do not
// matter to what carries them, a static or a kinematic body. The carrier is in step with its pose, and
// cnRedirectToCarriers is due, too.
void cnTakePart(cnWorld* world, int bodyRow);
void cnReleasePart(cnWorld* world, int bodyRow);
// Before a collide: joins those that are due. False when memory ran out.
bool cnJoinDueMergedBodies(cnWorld* world);

// Pairs and constraints follow what the carriers of their bodies are now. Outside of a step after
// cnKeepContacts: rows of contacts change places.
void cnRedirectToCarriers(cnWorld* world);

// ---- in a step ----

// After one that put a body back and disabled it, since its state was not finite: where that was a carrier,
// its parts are back with it, and disabled instead. The row of a body that users know.
int cnPartFailedBody(cnWorld* world, int bodyRow);

void cnGatherForces(cnWorld* world);
void cnFollowCarriers(cnWorld* world);
