/*
 * Holding what a launch left against the reference: which rows are looked at
 * (drawn after the launch, as many as time allows), and a finding in words.
 */
#ifndef SCORER_CHECK_H
#define SCORER_CHECK_H

#include "scorer/arm.h"
#include "scorer/gpu.h"
#include "scorer/judge.h"
#include "scorer/launchers.h"
#include "scorer/nvml.h"

/* What all parts of one scoring share. */
struct scoring {
	const struct task *task;
	const struct sandbox *sandbox;
	const struct gpu *gpu;	    /* the card, for CUDA; NULL else */
	const char *const *folders; /* CUDA: with libraries; borrowed */
	int image_fd;
	struct judge *judge;
	struct secret_random secret; /* for what decides */
	struct layout_random layout; /* for what arms are shown */
	const volatile int *stop_now;
	/* CUDA: what is scored is run as a whole, for this reason; "": it is
	 * replayed. */
	char isolated[512];
	struct launchers launchers; /* CUDA */
	struct nvml_watch watch;    /* CUDA: on the card, through comparisons */
	bool short_launches;  /* who was compared last had many pairs of them */
	double seconds_timed; /* spent in launches */
	double seconds_starting; /* spent in starting sandboxed runners */
};

/* The runner of a candidate or baseline under this task. */
struct error *scoring_arm_spec(struct runner_spec *out,
			       const struct scoring *sc,
			       int object_fd) MUST_CHECK;

/* A candidate's functions. */
struct entry_points scoring_points(const struct task *t);
/* Shows the arms the static inputs that `s` has, where the task knows such;
 * outcome i is that of arm i. */
struct error *scoring_settle(struct outcome *o, struct scoring *sc,
			     const struct input_set *s, struct arm *const *arms,
			     size_t n) MUST_CHECK;

/* What the reference costs for one case; all zero: not known yet. */
struct reference_cost {
	double row, whole; /* seconds */
};

/* Computes the reference for rows of image `index` worth about `budget`
 * seconds (all of it where the reference cannot do rows). False when even
 * that is more than the budget and `must` does not insist. */
struct error *check_reference(bool *done, struct scoring *sc,
			      const struct input_set *s,
			      struct reference_cost *cost, uint32_t index,
			      double budget, bool must) MUST_CHECK;
/* Compares a copy with it (`values` false: guards and poison alone). *worst
 * is raised to the error over what is allowed. */
struct error *check_outputs(struct outcome *o, double *worst,
			    struct scoring *sc, const struct input_set *s,
			    const struct buffers *b, uint32_t index,
			    bool values, const char *case_name) MUST_CHECK;
/* Turns an answer of the judge into an outcome; as check_outputs. */
void check_tell(struct outcome *o, double *worst, const struct task *t,
		const struct input_set *s, const struct answer *a,
		const char *case_name);
/* Rows for a lint or a first look: a few, or everything. */
void check_select(struct selection *out, struct scoring *sc,
		  const struct layout *l, int64_t rows);

#endif
