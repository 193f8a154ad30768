// Meetings: surfaces that come together within the step.
//
// Bodies that come at a speed v are up to v h deep in each other when they are first found to touch, which is
// seen, has to be pushed out again, and puts the impulse at a point that lies inside of them. So a pair of
// two inelastic surfaces (no restitution, or too slow for it) that has no point now, and whose bodies come
// nearer than its gap within the step, is also looked at where they will be at its end should nothing but
// gravity act on them. What overlaps there meets: it has a contact now, with the points that overlap then, as
// far apart as they are now. The rows of the solve let a gap close and no more, in whichever sub-step that
// is.
//
// Not so what bounces, for that is an impact (impact_times.h says when and where it was); what an elastic
// foundation stops; and what is swept (CCD), for that may be through at the end of the step.
//
// What comes fast may be in so deep at the end of the step that the nearest way out is another than the way
// in: along it they overlap already, by more than the margin. (By less, what slides over flush boxes may have
// sunk in; for it the seam must not be a wall.) Then the poses of an earlier time are asked.
//
// A meeting lasts a step: in the next one its manifold is made again, and its multipliers, which are those of
// the blow, are forgotten.
#pragma once

#include "collide/pairs/narrow_phase.h"

// Where the bodies of a pair, and its shapes, will be at the end of the step or after a part of it.
typedef struct cnEndPoses {
    cnPose pose1, pose2;
    cnBuiltPose body1, body2;
} cnEndPoses;

// How much nearer the shapes of a pair that is apart come, m, when the first one is shifted relatively to the
// second: along the axis of their gap, where that is known.
double cnGetClosing(const cnCollideCache* cache, cnVec3 shift);

// How much nearer two points of the shapes can come within the step, m, at most.
double cnGetApproach(cnPairSides sides, const cnCollideCache* cache, const cnNarrowPhase* phase);

// Whether a pair whose shapes come nearer by `approach` (cnGetApproach) may meet.
bool cnMayMeet(const cnPair* pair, double approach, const cnNarrowPhase* phase);

// After a part of the step, 0…1.
cnEndPoses cnFindEndPoses(const cnPair* pair, double part, const cnNarrowPhase* phase);

// Which parts of the step are asked: all of it, then halves of what may have it.
typedef struct cnMeetingSearch {
    double part;        // to ask
    double early, late; // parts at which nothing overlaps, at which it has gone in too deep
    int count;
} cnMeetingSearch;
static inline cnMeetingSearch cnMeetingSearch_Begin(void) {
    return (cnMeetingSearch){.part = 1.0, .late = 1.0};
}
// After an answer; false where it is given up, or nothing meets.
bool cnMeetingSearch_GoOn(cnMeetingSearch* search, bool overlaps);

// Leaves of a manifold of those poses what overlaps there, and has come in along the normal. Whether there is
// any; `overlaps` where there was anything.
bool cnKeepMeetingPoints(cnManifold* manifold, const cnPair* pair, const cnEndPoses* end,
                         const cnNarrowPhase* phase, bool* overlaps);

// Installs what cnKeepMeetingPoints has left, as it is now.
void cnInstallMeeting(cnPair* pair, const cnManifold* manifold, const cnEndPoses* end,
                      const cnNarrowPhase* phase);
