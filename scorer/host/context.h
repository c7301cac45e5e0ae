/*
 * The state that the parts of the scorer share: the object that implements
 * `struct evaluator`, and in it the state of one scoring. Callers use scorer.h.
 */
#ifndef SCORER_HOST_CONTEXT_H
#define SCORER_HOST_CONTEXT_H

#include "scorer/build/prefetch.h"
#include "scorer/host/arm.h"
#include "scorer/build/build.h"
#include "scorer/host/ceilings.h"
#include "scorer/device/gpu.h"
#include "scorer/host/judge.h"
#include "scorer/host/kept_plans.h"
#include "scorer/host/launchers.h"
#include "scorer/device/machine.h"
#include "scorer/device/nvml.h"
#include "scorer/scorer.h"

/* How the reference was asked in a process of its own so far (contest/alone.h). */
struct asked_alone {
	double since;	 /* clock_seconds() when this evaluator was made */
	double seconds;	 /* that it took, all of them together */
	double least;	 /* and the quickest one; 0: none yet */
	unsigned blames; /* before a candidate is called wrong */
	bool once;	 /* of a case that was drawn for it */
	char *mark; /* file of a task of which that is known; owned; or NULL */
};

/* What inputs that were drawn showed of the task, in this evaluator or before. */
struct seen_of_task {
	bool influence[TASK_MAX_ARGS]; /* the input changed an output */
	bool varied[TASK_MAX_CASES];   /* all outputs of the case did vary */
};

/* The state that all parts of one scoring share. */
struct scoring {
	const struct task *task;
	const struct sandbox *sandbox;
	const struct gpu *gpu;	    /* the card, for CUDA; else NULL */
	const char *const *folders; /* CUDA: of libraries; borrowed */
	int program_fd;
	struct judge *judge;
	struct secret_random secret; /* for draws that arms must not know */
	struct layout_random layout; /* for draws that arms can see */
	struct asked_alone alone;
	const volatile int *stop_now;
	struct work_stage *stage; /* of the options; may be NULL */
	/* Where runners of a task for the CPU are, judge and arms: those of
	 * the lease (device/lock.h) that this scoring has; empty: the last
	 * ones. */
	cpu_set_t cpus;
	/* CUDA: the reason for class isolated; "": class replayed. */
	char isolated[512];
	struct launchers launchers; /* CUDA */
	struct kept_plans plans;    /* CUDA: of a search's rivals */
	struct nvml_watch watch;    /* CUDA: of the card, during contests */
	bool short_launches;  /* the last contest had many pairs of processes */
	size_t spares_next;   /* CUDA: that a next candidate will need */
	double seconds_timed; /* spent in launches */
	double seconds_starting; /* spent in starting sandboxed runners */
};

/* The CPUs of sc, or NULL for a runner_spec. */
const cpu_set_t *scoring_cpus(const struct scoring *sc);
/* The runner of a candidate or baseline under this task. */
struct error *scoring_arm_spec(struct runner_spec *out,
			       const struct scoring *sc,
			       const struct build *build) MUST_CHECK;

/* A candidate's functions. */
struct entry_points scoring_points(const struct task *t);
/* Shows the arms the static inputs of `s`, if the task has any; outcome i is
 * that of arm i. */
struct error *scoring_prepare(struct score_outcome *o, struct scoring *sc,
			      const struct input_set *s,
			      struct arm *const *arms, size_t n) MUST_CHECK;

struct scorer {
	struct evaluator base;
	const struct task *task;
	const struct fileset *files;
	struct scorer_options options;
	struct builder *builder;
	struct prefetch prefetch;
	double score_seconds; /* of the last scoring, without the build */
	bool said_waiting;    /* for the CPUs that another program has */
	struct machine machine;
	struct gpus gpus;	  /* CUDA */
	struct ceilings ceilings; /* of the card; all zero: not known */
	bool ceilings_sought;
	struct build reference;
	struct build *baseline; /* one for each of the task's baselines */
	struct scoring scoring;
	struct seen_of_task seen;
	char task_id[IDENTITY_HEX_LEN + 1];
};

/* Seeds scoring.secret and scoring.layout for the next scoring: from the seed
 * in the options and `salt`, else from the system. */
void scorer_reseed(struct scorer *s, uint64_t salt);
/* Can kernels of the task's language run on this machine? Always true for C. */
bool scorer_has_device(const struct scorer *s);
/* ERROR_REFUSED where a command of the task scores: `what` ("profiled") cannot be
 * done with a program that avogit does not launch. */
struct error *scorer_refuse_reported(const struct scorer *s,
				     const char *what) MUST_CHECK;
/* trusted.c: code that does not build, or lacks a function that the task names,
 * is an error of the task. */
struct error *scorer_build_once(struct build *b, struct scorer *s,
				const struct trusted_code *code) MUST_CHECK;
/* Begins to build what trusted code is not built yet, beside a candidate, where
 * compilers take long (CUDA) and what they make is kept. */
void scorer_build_beside(struct scorer *s, bool baselines);
/* The judge of a task, on a CPU: its reference is built first. */
struct error *scorer_judge_spec(struct runner_spec *out,
				struct scorer *s) MUST_CHECK;
/* Starts one that makes inputs and has no GPU, so that these can be handed on.
 * judge_free disposes. */
struct error *scorer_start_filler(struct judge **out,
				  struct scorer *s) MUST_CHECK;

#endif
