/*
 * An arm of a contest: one sandboxed process that holds one candidate (or
 * baseline). The scorer times its launches and freezes it between them.
 */
#ifndef SCORER_HOST_ARM_H
#define SCORER_HOST_ARM_H

#include "core/base/secret.h"
#include "core/score/verdict.h"
#include "scorer/host/buffers.h"
#include "scorer/host/runner_process.h"
#include "scorer/device/steadiness.h"
#include "core/task/layout.h"

/* The result of a step of a scoring: a pass, or a failure of the candidate. */
struct score_outcome {
	enum verdict verdict;
	char *why; /* one sentence; NULL for a pass; owned */
	char *log; /* what the program printed; may be NULL; owned */
};
#define SCORE_OUTCOME_INIT              \
	{                               \
		.verdict = VERDICT_PASS \
	}
void score_outcome_set(struct score_outcome *o, enum verdict v, const char *fmt,
		       ...) PRINTF(3, 4);
void score_outcome_release(struct score_outcome *o);
DEFINE_RELEASE(score_outcome, struct score_outcome, score_outcome_release)
#define cleanup_score_outcome CLEANUP(score_outcome)

/* The functions of an object: `prepare` and `setup` may be NULL. `entry` NULL:
 * the object is not loaded, and launches call nothing. */
struct entry_points {
	const char *entry, *prepare, *setup;
	bool trusted; /* a baseline: its threads may spin between launches */
};

/* The prepared buffers of one process: a memory file that its candidate maps,
 * and the scorer's mapping of it. Guard bytes, drawn for each file, lie around
 * the buffers: data that a process leaves there reaches no other process, and
 * is found. */
struct prepared {
	int fd;		       /* -1: none */
	unsigned char *memory; /* mapped; NULL: none */
	struct layout layout;
	uint64_t page[LAYOUT_PAGE / sizeof(uint64_t)]; /* of guard bytes */
};
#define PREPARED_INIT    \
	{                \
		.fd = -1 \
	}

struct arm {
	const struct task *task;
	const struct sandbox *sandbox;
	const char *program; /* of another runner; borrowed */
	struct runner *runner;
	/* Another process of the same object, which calls `prepare` and never
	 * launches; NULL if there is no `prepare`. */
	struct arm *preparer;
	struct prepared prepared; /* from one arm_prepare to the next */
	bool frozen;
	bool trusted;
	uint64_t handed_bytes;	      /* with the last launch */
	double cpu_when_stopped;      /* seconds of CPU time, ready to launch */
	unsigned launches, pauses;    /* pauses: see PAUSE_SECONDS in arm.c */
	unsigned stopped_runs;	      /* launches that it ran before */
	double pause_wall, pause_cpu; /* seconds of all pauses, CPU in them */
	double pause_most;	      /* the greatest CPU time of one */
	/* Above 0: so long after a launch began it is stopped for a moment. */
	double jolt_after;
	bool watched; /* `began` is set */
	struct cpu_time began;
};

/* Starts the process and does not wait until it has loaded the object: several
 * arms can load at the same time. */
struct error *arm_spawn(struct arm **out, const struct task *task,
			struct entry_points points,
			const struct runner_spec *spec) MUST_CHECK;
/* Waits until the object is loaded; the arm is frozen then. A failure by the
 * object's own fault is in *o, and the arm is over. */
struct error *arm_ready(struct score_outcome *o, struct arm *arm) MUST_CHECK;
/* Shows its preparer the static inputs of a filled preview, untimed; no launch
 * gets the other contents of that set. The arm gets the bytes of the prepared
 * buffers and nothing else: its guard bytes around them are its own, and
 * VERDICT_OUT_OF_BOUNDS if `prepare` wrote to the preparer's. Both are frozen
 * afterwards. */
struct error *arm_prepare(struct score_outcome *o, struct arm *arm,
			  const struct input_set *s,
			  struct layout_random *layout) MUST_CHECK;
/* Lets the arm map the buffers of its next launch, whose contents are not there
 * yet. It is frozen afterwards; after any failure it is over. */
struct error *arm_make_ready(struct score_outcome *o, struct arm *arm,
			     const struct buffers *b) MUST_CHECK;
/* Can it launch again in the buffers of its last launch? One of another program
 * can if that says so. */
bool arm_may_stay(const struct arm *arm);
/* In place of arm_make_ready: it is frozen since its last launch, and will have
 * the next one in the same buffers. */
void arm_stay_ready(struct arm *arm);
/* Makes one launch in buffers that the judge poisoned and filled while the arm
 * was frozen, which it is until the clock starts. *seconds covers the whole
 * batch: of a task of one thread, all CPU time of its process until it is frozen
 * again; of others, the time until the copy of its outputs is taken. Guards
 * around the prepared buffers are checked here, those of the outputs by the
 * judge. The arm is frozen afterwards; after any failure it is over. */
struct error *arm_launch(double *seconds, struct score_outcome *o,
			 struct arm *arm, struct buffers *b) MUST_CHECK;
/* The CPU time of its process so far. */
struct cpu_time arm_cpu_time(const struct arm *arm);
void arm_free(struct arm *arm);

DEFINE_CLEANUP(arm, struct arm, arm_free)
#define cleanup_arm CLEANUP(arm)

#endif
