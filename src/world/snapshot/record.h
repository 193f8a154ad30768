// Recordings: how a world came to be what it is, to be played again and compared step by step.
//
// ## What is recorded
// Not calls but what they did. A step is deterministic, so a recording needs the state at its start and
// whatever changed the world between the engine's own phases: calls of any language, numbers that JavaScript
// wrote into columns, what listeners did, even a world that was restored or rewound. All of that shows as a
// difference between the state that a phase left and the state that the next one finds, and the lists of
// state say where to look. So there are three moments at which the bytes of a snapshot are compared with
// those at the end of the phase before:
//
//     before the collide | after the contact listeners | before the solve
//
// (each after the listeners of the moment)
//
// and what differs goes into the recording, section by section. A step that nobody touched adds its
// fingerprint only. Rejected: a stream of calls, which would need a hook in every public function and in
// every language, and still miss columns that are written directly.
//
// ## What is compared
// The end of a step adds its digest (step_digest.h). Playing it again compares the hashes, and where they
// differ the rest names the first section and the first row that do.
//
//     header | start: a snapshot | { changes | end of a step } …
//
// each a chunk with its length and checksum.
#pragma once

#include "world/snapshot/format.h"
#include "world/snapshot/step_digest.h"

#define CN_RECORDING_VERSION 2

// Takes up a recording; false when memory ran out.
bool cnRecorder_Start(cnWorld* world);

// Ends recording or playing.
void cnRecorder_Free(cnWorld* world);
bool cnRecorder_IsOn(const cnWorld* world);

// The bytes recorded so far; null when memory ran out since.
const void* cnRecorder_GetBytes(const cnWorld* world, size_t* bytes);

// What the start of a recording is; null with the reason in the fault.
const void* cnRecording_GetStart(const void* recording, size_t bytes, size_t* startBytes, cnFault* fault);

// From now on the world's steps take their changes from a recording, whose start it is in; the bytes stay the
// caller's. False when memory ran out.
bool cnRecorder_Play(cnWorld* world, const void* recording, size_t bytes);

typedef struct cnPlayed {
    int steps;                   // compared so far
    bool isAtEnd;                // nothing is left to be played
    cnStepDifference difference; // of the last one
    cnFault fault;               // why the recording cannot be played; empty: it can
} cnPlayed;

const cnPlayed* cnRecorder_GetPlayed(const cnWorld* world);
