// Guards of memory that moves when it grows: arrays (array.h) and tables of columns (table.h).
//
// A pointer into such memory is good until the memory moves. Code that keeps one over calls pins the
// owner meanwhile:
//
//     CN_PIN(&table->concaves, "the manifolds of concave pairs");
//     ...    // growing or freeing table->concaves ends the program here, and names the holder
//     CN_UNPIN(&table->concaves);
//
// A generation that every holder compares when it uses its pointer would find the same faults later: where
// the pointer is used, not where the memory moved, and only on a path that uses it. A pin fails in the very
// call that grows, with the holder further up the same backtrace, and with one pair of lines around a phase
// instead of one at every use. What the generation is for stays: it tells how often the memory moved.
//
// Pins belong to the thread that starts tasks, around all of them, never to a task.
//
// Guards exist in debug and sanitizer builds (without NDEBUG). There a small array or table also takes just
// the room that is wanted, so that nearly every growth moves it, and memory that is given back is overwritten
// (allocator.h). In release builds nothing is left: no field and no code.
#pragma once

#include <stdint.h>

#ifdef NDEBUG
#define CN_GUARDS 0
#else
#define CN_GUARDS 1
#endif

// Capacity for `wanted` items or rows: twice the old one, of many half as much again; `smallest` or more.
int cnGrownCapacity(int capacity, int wanted, int smallest);

#if CN_GUARDS

typedef struct cnGuard {
    const char* holder;  // of the newest pin
    int pins;            // the memory must not move while there are any
    uint32_t generation; // times that the memory moved
} cnGuard;

// The last member of what is guarded, and what functions that move its memory are given beside their
// other arguments.
#define CN_GUARD_FIELD cnGuard guard;
#define CN_GUARD_OF(owner) , &(owner)->guard
#define CN_GUARD_PARAMETER , cnGuard* guard
#define CN_GUARD_MOVES(guard) cnGuard_Move(guard)

// `holder` tells what points into the memory, as a phrase.
#define CN_PIN(owner, holder) cnGuard_Pin(&(owner)->guard, holder)
#define CN_UNPIN(owner) cnGuard_Unpin(&(owner)->guard)

void cnGuard_Pin(cnGuard* guard, const char* holder);
void cnGuard_Unpin(cnGuard* guard);

// Before the memory moves or goes: ends the program where it is pinned.
void cnGuard_Move(cnGuard* guard);

#else

#define CN_GUARD_FIELD
#define CN_GUARD_OF(owner)
#define CN_GUARD_PARAMETER
#define CN_GUARD_MOVES(guard) ((void)0)
#define CN_PIN(owner, holder) ((void)0)
#define CN_UNPIN(owner) ((void)0)

#endif
