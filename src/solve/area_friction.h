// Friction of an area that slides and spins at once.
//
// Each part of an area slides its own way: with v the slip of its centre, ω its spin and u = v + ω n × r, the
// parts' friction −μ p u/|u| comes to a force of F μ N and a torque of T μ N r̄ (r̄ the mean distance of the
// parts from the centre), where F and T follow from v/(r̄ ω) and the shape alone. Sliding takes from the
// torque and spinning from the force: a stone that spins fast slides as if there was hardly any friction, and
// both motions of a disc end together (Z. Farkas et al., "Frictional coupling between sliding and spinning
// motion", Phys. Rev. Lett. 90, 248302, 2003). The forces and torques that friction can hold are those within
// all (F, T), the limit surface (S. Goyal, A. Ruina, J. Papadopoulos, "Planar sliding with dry friction",
// Wear 143, 1991).
//
// Pressure counts as uniform. The area is an ellipse with the mean radius of the contact's patch and the
// principal axes of its points, and with a hole like it where the patch has less area than that: exact for
// discs and rings, within 2 % of a part of rectangles. F and T are integrals in polar coordinates about the
// point that does not move, v + ω n × r = 0, since all that is on one ray from there slides one way.
//
// In a step. The rows along the tangents and about the normal (friction.h) know nothing of one another. Where
// a contact slid in the last step, the motion that has more speed gets its share of the bound, and the other
// one becomes viscous, with the force that this law has at the velocities of the step's start: where it is
// slow, friction is proportional to it. So steps can be long, and a contact that comes to rest sticks. Where
// it did not slide, forces and torques of the last step beyond the ellipsoid F² + T² = 1, a common stand-in
// for the limit surface (R. Howe, M. Cutkosky, "Practical force-motion models for sliding manipulation",
// Int. J. Robotics Research 15, 1996), lower the bounds, so that it begins to slide.
#pragma once

// Shape of an area.
typedef struct cnFrictionArea {
    double aspect; // of the smaller principal axis to the larger, 0 < aspect <= 1
    double hole;   // of the hole's axes to the area's, 0 <= hole < 1
    double radius; // r̄ without the hole, the larger semi-axis being 1
} cnFrictionArea;

// Of what slides and spins, in any unit of speed.
typedef struct cnAreaMotion {
    double along, across; // slip of the centre along the larger and along the smaller principal axis
    double spin;          // r̄ |ω|
} cnAreaMotion;

// Parts of μ N against the slip, and of μ N r̄ against the spin.
typedef struct cnFrictionShares {
    double force, torque;
} cnFrictionShares;

cnFrictionArea cnFrictionArea_WithHole(double aspect, double hole);
// Of a size (area / r̄²); without a hole where the size is that of none or more. Of what is thinner than a
// twentieth of its axes nobody can tell how thin.
cnFrictionArea cnFrictionArea_OfSize(double aspect, double size);

// F and T of an area that moves.
cnFrictionShares cnShareFriction(const cnFrictionArea* area, const cnAreaMotion* motion);
