/*
 * Does a change make a kernel slower or wrong? For each task file of the commit
 * before the change (BASE): does the commit after it (HEAD) touch what the task
 * is about, and if so, how do the two compare in one session?
 *
 * What measures comes from BASE: the task file, the reference, the baselines and
 * everything else that no candidate may change. HEAD gives the sources only.
 */
#ifndef CMD_GATE_GATE_H
#define CMD_GATE_GATE_H

#include "cmd/session/session.h"
#include "core/score/sessions.h"

/* In the order in which one outweighs another: a kernel that is wrong is wrong,
 * whatever could not be decided besides. */
enum gate_answer {
	GATE_YES,  /* not slower, right, and a claim holds */
	GATE_OPEN, /* undecided, or it could not be decided */
	GATE_NO,   /* slower, wrong, or a claim does not hold */
};
const char *gate_answer_name(enum gate_answer a); /* "yes", "open", "no" */

struct gate_rules {
	/* A loss of up to this share is let through: 0.02 is 2 %. */
	double allow;
	/* The speed relative to BASE that is claimed, at least 1; 0: none. */
	double claim;
	/* HEAD's task file and trusted files measure, not BASE's. */
	bool head_task;
	/* A change of what measures does not leave the answer open. */
	bool ignore_trusted;
	double seconds; /* most for a comparison; 0: the scorer's own */
};

/* So often a kernel is measured at most. */
#define GATE_MOST SESSIONS_MOST
/* Without --allow: an interval that begins here or above shows no loss. */
#define GATE_NO_LOSS 0.98

/* One task file of BASE, and what was found out. */
struct gate_kernel {
	char *task; /* its path, from the top of the repository */
	bool sources_changed;
	/* What measures and is another in HEAD: paths. */
	struct strvec trusted_changed;
	enum gate_answer answer;
	struct strvec reasons; /* sentences in Markdown */
	bool no_slower_case;   /* as the task has it */
	bool does_not_build;
	char *base_fails; /* why BASE itself fails; NULL: it does not */
	/* HEAD compared with BASE, each time in fresh processes with a fresh
	 * seed; again only where what there is decides nothing. Owned. */
	struct measurement *measured[GATE_MOST];
	size_t n_measured;
};

void gate_kernel_release(struct gate_kernel *k);

struct gate_change {
	struct commit_id base, head;
	bool descends;		    /* HEAD from BASE */
	struct gate_kernel *kernel; /* that HEAD affects */
	size_t n, cap;
	size_t n_tasks;		/* of BASE, affected or not */
	struct strvec added;	/* task files that only HEAD has */
	struct strvec unusable; /* of BASE, with the reason, in Markdown */
};
void gate_change_release(struct gate_change *g);

/* changes.c: fills g->kernel with those that HEAD affects, g->added and
 * g->unusable. `file`: only the task of this file; NULL: of every avogit.yaml
 * in BASE. ERROR_TASK if there is none. */
struct error *gate_find(struct gate_change *g, struct session *s,
			const char *file) MUST_CHECK;
/* measure.c: measures a kernel that was found, and judges it. What keeps it
 * from being measured leaves the answer open, except ERROR_INTERRUPTED. */
struct error *gate_measure(struct gate_kernel *k, const struct gate_change *g,
			   const struct gate_rules *rules) MUST_CHECK;

/* evidence.c: what all measurements of a kernel say together. */
enum gate_speed {
	GATE_SPEED_OPEN,
	GATE_SPEED_PASSES, /* no loss, or none beyond what is let through */
	GATE_SPEED_LOSES,
};
struct gate_evidence {
	enum gate_speed speed;
	enum gate_answer claim; /* GATE_YES where nothing is claimed */
	size_t n;		/* measurements that compared */
	size_t losses;		/* of them: by more than is let through */
	/* The loss is that of all together, found by their scatter. */
	bool by_scatter;
	double ratio; /* of all together; NAN: none told one */
	struct interval ratio95;
	/* One found a gain, none a loss, and all together are not below 1. */
	bool gain;
	bool faster;	   /* so sure that it is said */
	double worst_case; /* that every one of them found, or a smaller */
	bool at_least;
};
/* All zero where a measurement did not pass or compared nothing. */
struct gate_evidence gate_weigh(const struct gate_kernel *k,
				const struct gate_rules *rules);
/* Did this one lose by more than is let through? */
bool gate_is_loss(const struct measurement *m, const struct gate_rules *rules);
/* HEAD compared with BASE; NULL: not compared. Borrowed. */
const struct comparison *gate_comparison(const struct measurement *m);

/* judge.c: sets the answer and the reasons from what was measured. */
void gate_judge(struct gate_kernel *k, const struct gate_rules *rules);
/* Adds a reason; the answer becomes `a` if that outweighs it. */
void gate_say(struct gate_kernel *k, enum gate_answer a, const char *fmt, ...)
	PRINTF(3, 4);
/* The answer for all kernels together. */
enum gate_answer gate_answer(const struct gate_change *g);

/* markdown.c: the verdict as Markdown, for stdout. Text of the candidate's is
 * shown as code, so that it can be no heading, link or mention. */
void gate_markdown(struct buf *out, const struct gate_change *g,
		   const struct gate_rules *rules);
/* The verdict as JSON. */
struct json *gate_json(const struct gate_change *g) MUST_CHECK;

DEFINE_RELEASE(gate_change, struct gate_change, gate_change_release)
#define cleanup_gate_change CLEANUP(gate_change)

#endif
