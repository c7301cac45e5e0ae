/*
 * The scoring function f of AVO, as the loop uses it: candidates in,
 * measurements out. scorer/ implements it; tests use a simple substitute.
 */
#ifndef CORE_RUN_EVALUATOR_H
#define CORE_RUN_EVALUATOR_H

#include "core/base/buf.h"
#include "core/run/candidate.h"
#include "core/score/measurement.h"

struct rival_request {
	enum rival rival;
	const struct candidate *candidate;
};

/* A rival that failed while a candidate was compared with it. */
struct rival_failure {
	bool failed;
	size_t rival; /* index into the request's rivals */
	enum verdict verdict;
	char *why;	    /* owned */
	double gpu_seconds; /* spent on it */
};

static inline void rival_failure_release(struct rival_failure *f)
{
	free(f->why);
	*f = (struct rival_failure){.failed = false};
}
DEFINE_RELEASE(rival_failure, struct rival_failure, rival_failure_release)
#define cleanup_rival_failure CLEANUP(rival_failure)

/* Who is told of an earlier candidate. The measurement is only lent for the
 * call: other threads may change it afterwards. */
struct code_found {
	void (*take)(void *arg, const char *id, const struct measurement *of);
	void *arg;
};

struct score_request {
	const struct candidate *candidate;
	/* Timed in the same blocks as the candidate; may be empty. */
	const struct rival_request *rivals;
	size_t n_rivals;
	/* If a rival fails, this names it and the measurement is NULL: nothing
	 * was learnt about the candidate. If this is NULL, the failure of a
	 * rival is an error, as the failure of a baseline always is. */
	struct rival_failure *rival_failure;
	/* Without rivals: makes as many launches as a comparison has, in two
	 * processes, because the candidate failed in a comparison. */
	bool thorough;
	bool baselines; /* compare with the task's baselines too */
	/* Only a win over rivals[0] is of interest: measuring may stop as soon
	 * as such a win is ruled out. */
	bool winners_only;
	/* With winners_only: as many rounds as without, because the last ones
	 * that could be winners are asked for; and a win that an unsteady machine
	 * leaves open is confirmed in up to eight sessions, which may decide
	 * together (core/score/sessions.h). */
	bool patient;
	/* clock_seconds() at which comparisons end with what they have seen; what
	 * was to be confirmed then is not. 0, HUGE_VAL: when they are done. Not
	 * for a machine elsewhere. */
	double until;
	/* CUDA: finds the earlier candidate with this machine code and these
	 * launches, and hands its measurement to *found; does nothing if there
	 * is none. A candidate that is found is not timed again, and the
	 * measurement says `same_code=`. May be NULL. */
	void (*find_code)(void *arg, const char *code,
			  const struct code_found *found);
	void *find_code_arg;
	/* If it is faster than rivals[0], compare again in fresh processes with
	 * a fresh seed: `confirmed` in the comparison with rivals[0]. */
	bool confirm;
	/* A candidate that passes is also run under these sanitizers (a set,
	 * see task.h), and fails if they find something; with `winners_only`
	 * only if its win was confirmed. The measurement says `sanitized`, or
	 * why not: `unsanitized`. */
	unsigned sanitizers;
};

/* What an agent wants to see of where the time goes. */
struct profile_wish {
	const char *case_name; /* NULL: the first */
	const char *kernel;    /* a part of its name; NULL: the longest, or the
				* one with the hot loop */
	/* "counters", "every" (all figures that were counted), "sass", "ptx";
	 * NULL: counters. */
	const char *show;
};

/* How a program of an agent's own ended. The caller owns `text`. */
struct program_run {
	struct buf text; /* what it printed, and how it ended */
	bool ok;	 /* it was compiled, ran to its end, exit code 0 */
	double gpu_seconds;
};

struct evaluator {
	/* A verdict of any kind is a measurement; an error means that nothing
	 * was learnt. measurement_free disposes of *out. */
	struct error *(*score)(struct evaluator *self, struct measurement **out,
			       const struct score_request *request);
	/* So many scores, profiles and microbenchmarks may be asked for at a
	 * time, each by a thread of its own; 0: one. Each is of one machine
	 * alone: its rivals are timed where its candidate is. */
	size_t at_once;
	/* Another machine measures: what is built or run here disturbs none of
	 * it, and is not used there. */
	bool elsewhere;
	/* *ok: does it build? *log: what the compiler printed, of bounded
	 * length; free() disposes. (optional) */
	struct error *(*build)(struct evaluator *self, bool *ok, char **log,
			       const struct candidate *candidate);
	/* Begins to build it in parallel with other work, for a score that will
	 * be asked for (`is_sure`) or may be. False: not at the moment.
	 * (optional: without it, nothing is built during a score) */
	bool (*build_ahead)(struct evaluator *self,
			    const struct candidate *candidate, bool is_sure);
	/* How many candidates to choose ahead of the one that is scored next,
	 * so that each is already built when its score is asked for: an
	 * estimate, at least 1. (with build_ahead) */
	size_t (*choose_ahead)(struct evaluator *self);
	/* The identity that a measurement of this candidate would have. */
	void (*identify)(struct evaluator *self, struct identity *out,
			 const struct candidate *candidate);
	/* The name of the machine, for people. Borrowed. */
	const char *(*machine_name)(struct evaluator *self);
	/* Adds lines on the machine: instruction sets, caches, the most that it
	 * can do, as far as they are known. (optional) */
	void (*machine_about)(struct evaluator *self, struct buf *out);
	/* Adds to *text, for a person or an agent, where the time of one case
	 * goes: a table and the likeliest bottlenecks, or code, or why this
	 * candidate cannot be profiled. NULL: nothing of this task can be. */
	struct error *(*profile)(struct evaluator *self, struct buf *text,
				 const struct candidate *candidate,
				 const struct profile_wish *wish);
	/* Compiles `source`, a program in the task's language, and runs it once
	 * for at most so many seconds, in the sandbox, on what candidates run
	 * on: for an agent that wants to know what the machine does. No score.
	 * ERROR_REFUSED where nothing can be run. (optional) */
	struct error *(*microbenchmark)(struct evaluator *self,
					struct program_run *out,
					const char *source, double seconds);
};

#endif
