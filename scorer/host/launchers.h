/*
 * Launchers made ahead, and capturers. Opening the GPU takes a process one or
 * two tenths of a second, more than most comparisons' launches do, so they are
 * started before they are needed. A spare one is sandboxed and has the GPU open,
 * and nothing of any candidate is in it. It becomes one arm of one candidate's
 * scoring, or captures one candidate, and is never a spare again.
 *
 * A process that opens or leaves a GPU disturbs what runs there (2 to 40 % of
 * launches of 20 and 200 us by more than half a percent, H200). So they are
 * started where nothing of this scorer's is timed: while a candidate is built,
 * looked at for the first time or captured, several pairs' worth before the
 * first of them runs; and before anything is timed launchers_await waits for
 * all that begins or ends. Idle ones take memory on the card and no time.
 *
 * Half of opening is the queues by which work gets to the card, eight of them.
 * Launchers take one: their launches are chains mostly. Who has work that runs
 * side by side gets one with all queues.
 *
 * All of them end with the scorer: when it frees them, and when it is killed, as
 * every sandboxed process does.
 */
#ifndef SCORER_HOST_LAUNCHERS_H
#define SCORER_HOST_LAUNCHERS_H

#include "scorer/host/arm.h"

struct scoring;

#define LAUNCHERS_MOST 12

/* All zero: none may be made ahead. */
struct launchers {
	uint64_t memory; /* of the card, bytes */
	size_t most;	 /* of both kinds, as the card's memory allows */
	struct spare {
		struct runner *runner;
		bool open; /* its driver has said so */
	} spare[LAUNCHERS_MOST];
	size_t n;
	/* Done with, and not ended while others are timed. */
	struct spent {
		struct runner *runner;
		bool asked; /* to rest: its answer is not there yet */
		bool doomed;
	} spent[2 * LAUNCHERS_MOST];
	size_t n_spent;
};

/* For a card with so much memory. */
void launchers_init(struct launchers *l, uint64_t memory);
/* So many will be needed: starts what lacks, as far as there may be so many,
 * and waits for nothing. Ends what is spent. */
struct error *launchers_expect(struct scoring *sc, size_t n) MUST_CHECK;
/* A spare one, with the GPU open; runner_free or launchers_leave disposes.
 * Of those made ahead the ones that do not answer are thrown away. An error
 * where a fresh one cannot use the GPU. */
struct error *launchers_take(struct runner **out,
			     struct scoring *sc) MUST_CHECK;
/* One that nobody made ahead. */
struct error *launchers_take_fresh(struct runner **out,
				   const struct scoring *sc,
				   bool one_queue) MUST_CHECK;
/* As launchers_take: it becomes a capturer of this object, which it goes on to
 * load. */
struct error *launchers_take_capturer(struct runner **out, struct scoring *sc,
				      struct entry_points points,
				      int object_fd) MUST_CHECK;
/* From here on something is timed: nothing is beginning or ending any more. */
struct error *launchers_await(struct scoring *sc) MUST_CHECK;
/* Takes one over (NULL: none) that has run what it had to: it lets go of its
 * memory and idles until nothing is timed. */
void launchers_leave(struct scoring *sc, struct runner *launcher);
/* Takes over any runner on the GPU, and ends it without waiting for that;
 * `bytes` are what it holds on the card: much of it is waited for. */
void launchers_end(struct scoring *sc, struct runner *r, uint64_t bytes);
/* Ends what is spent, without waiting for that. */
void launchers_bury(struct launchers *l);
/* Ends all, and waits: nothing is left, and what is made next is new. */
void launchers_clear(struct launchers *l);

#endif
