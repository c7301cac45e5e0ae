/*
 * Spare runners on the GPU, launchers and capturers. A process needs one or
 * two tenths of a second to open the GPU, which is longer than most
 * comparisons launch, so they are started before they are needed. A spare is
 * sandboxed, has the GPU open, and holds nothing of any candidate. It becomes
 * one arm of one scoring, or captures one candidate, and is never a spare
 * again.
 *
 * A process that opens or leaves a GPU disturbs what runs there (2 to 40 % of
 * launches of 20 and 200 us by more than half a percent, H200). So they are
 * started when this scorer times nothing: while a candidate is built, checked
 * for the first time or captured, several pairs before the first of them runs.
 * While something is timed nothing ends, and what is not open yet is stopped
 * (launchers_quiet): it goes on with the driver while the judge looks at what
 * was timed. Idle ones take memory on the card and no time.
 *
 * Half of the time to open is for the queues by which work gets to the card,
 * eight of them. Launchers open one, since most plans are chains. A plan with
 * work side by side gets a launcher with all queues.
 *
 * In a search, whose winners are confirmed by new processes, a rival's launcher
 * is kept for the comparisons to come with the same rival: it holds the device
 * code of that rival and no host code, and has released its memory.
 *
 * All of them end with the scorer: when it frees them, and when it is killed,
 * as every sandboxed process does.
 */
#ifndef SCORER_HOST_LAUNCHERS_H
#define SCORER_HOST_LAUNCHERS_H

#include "scorer/host/arm.h"

struct scoring;

#define LAUNCHERS_MOST 12
#define LAUNCHERS_KEPT 2
/* In so many comparisons at most: two processes of the same code differ a little
 * in speed. */
#define LAUNCHER_USES 8

/* All zero: no spares may be started. */
struct launchers {
	uint64_t memory; /* of the card, bytes */
	size_t most;	 /* of both kinds, as the card's memory allows */
	struct spare {
		struct runner *runner;
		bool open; /* its driver has said so */
		bool stopped;
	} spare[LAUNCHERS_MOST];
	size_t n;
	/* Launchers that are done, and end only when nothing is timed. */
	struct spent {
		struct runner *runner;
		bool asked; /* to rest: its answer is not there yet */
		bool killed;
	} spent[2 * LAUNCHERS_MOST];
	size_t n_spent;
	/* Launchers that hold a rival's code; oldest first. */
	struct kept_launcher {
		struct runner *runner;
		char *whose; /* its name; owned */
		unsigned uses;
		bool asked; /* to rest: its answer is not there yet */
	} kept[LAUNCHERS_KEPT];
	size_t n_kept;
};

/* `memory`: of the card, in bytes; it limits how many spares there may be. */
void launchers_init(struct launchers *l, uint64_t memory);
/* Starts spares until there are n, as far as the memory of the card allows;
 * does not wait. Ends launchers that are done where they would be too many. */
struct error *launchers_expect(struct scoring *sc, size_t n) MUST_CHECK;
/* Takes a spare (or starts one) that has the GPU open; runner_free or
 * launchers_leave disposes. Spares that do not answer are thrown away. An
 * error if a new one cannot use the GPU. */
struct error *launchers_take(struct runner **out,
			     struct scoring *sc) MUST_CHECK;
/* The same, always a new one. */
struct error *launchers_take_fresh(struct runner **out,
				   const struct scoring *sc,
				   bool one_queue) MUST_CHECK;
/* As launchers_take, but for a capturer, which begins to load this build; in
 * Python it is a new process. */
struct error *launchers_take_capturer(struct runner **out, struct scoring *sc,
				      struct entry_points points,
				      const struct build *b) MUST_CHECK;
/* Waits until no runner starts or ends any more. */
struct error *launchers_await(struct scoring *sc) MUST_CHECK;
/* Before something is timed: waits until no runner ends any more, and stops
 * those that start. launchers_go_on lets them start, after an error too. */
struct error *launchers_quiet(struct scoring *sc) MUST_CHECK;
void launchers_go_on(struct launchers *l);
/* Takes over a launcher that is done (NULL: none). It releases its memory and
 * idles until nothing is timed. */
void launchers_leave(struct scoring *sc, struct runner *launcher);
/* The same, but keeps one that has this contender's code loaded and one queue, and
 * took part in so many comparisons, for the next with that contender, if it may
 * serve once more. */
void launchers_keep(struct scoring *sc, struct runner *launcher,
		    const char *whose, unsigned uses);
/* Takes a launcher that was kept, or returns NULL. *uses: as above. */
struct runner *launchers_take_kept(unsigned *uses, struct scoring *sc,
				   const char *whose) MUST_CHECK;
/* Takes over any runner on the GPU and ends it. Does not wait for its end,
 * unless it holds much of the card: `bytes`. */
void launchers_end(struct scoring *sc, struct runner *r, uint64_t bytes);
/* Ends launchers that are done; does not wait. */
void launchers_kill_spent(struct launchers *l);
/* Ends all and waits for their end. What is started next is new. */
void launchers_clear(struct launchers *l);

#endif
